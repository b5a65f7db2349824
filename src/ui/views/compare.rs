//! What changed: between two moments of the trace, or between it and a second one. Each row says how sure its change is,
//! since both sides are samples.

mod shapes;

use yew::prelude::*;

use crate::format;
use crate::layout::flame;
use crate::protocol::{Answer, Channel, Question, Versus};
use crate::query::compare::{Change, CompareConfig, Comparison, Row, Sum};
use crate::query::filter::When;
use crate::query::measure::Unit;
use crate::ui::asking::use_answer;
use crate::ui::look::{Setting, Tab, Turn};
use crate::ui::parts::reading::{QUESTION, reading};
use crate::ui::parts::sentence::pick::Pick;
use crate::ui::piece::{Piece, piece};
use crate::ui::workspace::{Work, use_work};

const CHANNEL: Channel = Channel(90);
/// Nobody reads further, and the largest changes stand first.
const MAX_ROWS: usize = 200;

#[derive(PartialEq)]
pub struct CompareView;

piece!(CompareView, use_compare_view());

#[hook]
fn use_compare_view() -> Html {
    let work = use_work();
    let chosen = work.as_ref().and_then(|work| {
        let pairs = pairs(work);
        let word = work.look.settings.get(Setting::Versus);
        pairs.iter().find(|pair| pair.word == word).or(pairs.first()).cloned()
    });
    let request = work.as_ref().zip(chosen.as_ref()).map(|(work, pair)| {
        let per_second = pair.versus == Versus::Other { per_second: true };
        let config = CompareConfig { measure: work.look.measure, sum: Sum::Own, per_second, limit: MAX_ROWS };
        work.look.ask(Question::Compare { versus: pair.versus, config })
    });
    let asked = use_answer(CHANNEL, request);
    let Some((work, pair)) = work.zip(chosen) else {
        return Html::default();
    };
    let answer = match (asked.answer.as_deref(), &asked.error) {
        (_, Some(error)) => {
            html! { <p class="compare-words" role="alert">{ format!("{} {}", error.text, error.advice) }</p> }
        }
        (Some(Answer::Compare(comparison)), None) => changes(&work, &pair, comparison),
        _ => html! { <p class="compare-words" role="status">{ "Comparing…" }</p> },
    };
    html! {
        <div class="compare">
            <div class="compare-bar">{ choice(&work, &pair) }</div>
            { answer }
            { reading(QUESTION, shapes::SUMMARY, &shapes::SHAPES) }
        </div>
    }
}

/// Two things that can be compared.
#[derive(Clone, PartialEq)]
struct Pair {
    /// In a link.
    word: &'static str,
    versus: Versus,
    before: String,
    after: String,
}

/// A second trace comes first: it was opened for that.
fn pairs(work: &Work) -> Vec<Pair> {
    let mut pairs = Vec::new();
    if let Some(other) = &work.loaded.other {
        let names = || (work.loaded.main.name.clone(), other.name.clone());
        let (before, after) = names();
        pairs.push(Pair { word: "traces", versus: Versus::Other { per_second: false }, before, after });
        let (before, after) = names();
        let after = format!("{after}, per second");
        pairs.push(Pair { word: "traces-per-second", versus: Versus::Other { per_second: true }, before, after });
    }
    let mut moments = |word, before: (When, String), after: (When, String)| {
        let versus = Versus::Moments { before: before.0, after: after.0 };
        pairs.push(Pair { word, versus, before: before.1, after: after.1 });
    };
    let end_us = work.loaded.main.summary.end_us;
    let at = |us: u64| (When::At(us), format::elapsed_us(us));
    let end = || (When::End, "the end".to_owned());
    if let Some(brush) = work.look.brush() {
        moments("stretch", at(brush.from.unwrap_or(0)), at(brush.to.unwrap_or(end_us)));
    }
    // A round figure near the middle.
    let unit = format::whole_power(10.0, end_us as f64 / 20.0).max(1.0);
    moments("half", at(((end_us as f64 / 2.0 / unit).round() * unit) as u64), end());
    moments("peak", (When::Peak, "the peak".to_owned()), end());
    pairs
}

fn choice(work: &Work, pair: &Pair) -> Html {
    let pairs = pairs(work);
    let at = pairs.iter().position(|other| other == pair).unwrap_or_default();
    let options = pairs.iter().map(|pair| format!("{} → {}", pair.before, pair.after).into()).collect();
    let turn = work.turn.clone();
    let on_pick = Callback::from(move |at: usize| {
        if let Some(pair) = pairs.get(at) {
            turn.emit(Turn::Set(Setting::Versus, pair.word.to_owned()));
        }
    });
    let hint = if work.loaded.other.is_none() { "Drop a second trace to compare two runs." } else { "" };
    html! {
        <>
            { Pick { label: "What is compared".into(), at, options, on_pick }.show() }
            <span class="compare-hint">{ hint }</span>
        </>
    }
}

fn changes(work: &Work, pair: &Pair, comparison: &Comparison) -> Html {
    let unit = comparison.unit;
    let all = &comparison.all;
    let sure = comparison.rows.iter().filter(|row| row.change.verdict.is_significant()).count();
    let of_rows = match sure {
        0 => "No function's change is more than chance.".to_owned(),
        1 => "1 function changed by more than chance.".to_owned(),
        n => format!("{n} functions changed by more than chance."),
    };
    let words =
        format!("{}, then {}: {}. {of_rows}", unit.amount(all.before), unit.amount(all.after), signed(unit, all));
    html! {
        <>
            <p class="compare-words" data-figure="compare.change" data-value={all.change.to_string()}>{ words }</p>
            <div class="compare-scroll" tabindex="0" role="region" aria-label="What changed, by function">
                <table class="compare-table">
                    <thead><tr>
                        <th scope="col">{ "Allocated by" }</th>
                        <th scope="col">{ &pair.before }</th>
                        <th scope="col">{ &pair.after }</th>
                        <th scope="col">{ "Change" }</th>
                        <th scope="col">{ "Verdict" }</th>
                    </tr></thead>
                    <tbody>{ for comparison.rows.iter().map(|row| line(work, unit, row)) }</tbody>
                </table>
            </div>
        </>
    }
}

fn line(work: &Work, unit: Unit, Row { label, change }: &Row) -> Html {
    let (turn, selected) = (work.turn.clone(), label.clone());
    let onclick = Callback::from(move |_: MouseEvent| {
        turn.emit(Turn::Select(Some(selected.clone())));
        turn.emit(Turn::Tab(Tab::Flame));
    });
    let name = flame::title(label);
    let class = if change.verdict.is_significant() { "compare-sure" } else { "compare-unsure" };
    html! {
        <tr class={class}>
            <th scope="row"><button class="compare-name" title="Show it in the flame graph" {onclick}>{ &name }</button></th>
            <td>{ unit.amount(change.before) }</td>
            <td>{ unit.amount(change.after) }</td>
            <td data-figure={format!("compare.{name}")} data-value={change.change.to_string()}>{ signed(unit, change) }</td>
            <td>{ change.verdict.word() }</td>
        </tr>
    }
}

/// `+1.2 MiB ±0.3 MiB`.
fn signed(unit: Unit, change: &Change) -> String {
    let sign = if change.change < 0.0 { "−" } else { "+" };
    let amount = unit.amount(change.change.abs());
    if change.error > 0.0 {
        format!("{sign}{amount} ±{}", unit.amount(change.error))
    } else {
        format!("{sign}{amount}")
    }
}
