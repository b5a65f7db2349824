//! What changed: between two moments of the trace, or between it and a second one. Each row says how sure its change is,
//! since both sides are samples.

mod explainer;

use yew::prelude::*;

use crate::format;
use crate::layout::flame;
use crate::protocol::{Answer, Question, Versus};
use crate::query::compare::{Change, CompareConfig, Comparison, Row, Scale, Sum};
use crate::query::filter::When;
use crate::query::measure::Unit;
use crate::ui::components::explainer::{QUESTION, explainer};
use crate::ui::components::select::{Select, SelectOption};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::settings::ComparePair;
use crate::ui::store::view::{Tab, ViewAction};

/// Nobody reads further, and the largest changes stand first.
const MAX_ROWS: usize = 200;

#[component]
pub fn CompareView() -> Html {
    let workspace = use_workspace();
    let pairs = pairs(&workspace);
    let chosen = workspace.view_state.compare.pair;
    let pair = pairs.iter().find(|pair| Some(pair.pair) == chosen).or(pairs.first());
    let request = pair.map(|pair| {
        let scale = match pair.versus {
            Versus::Other { scale } => scale,
            Versus::Moments { .. } => Scale::AsIs,
        };
        let config = CompareConfig { measure: workspace.view_state.measure, sum: Sum::Own, scale, limit: MAX_ROWS };
        workspace.view_state.request(Question::Compare { versus: pair.versus, config })
    });
    let query = use_query(request);
    let Some(pair) = pair else {
        return Html::default();
    };
    let answer = match (query.answer.as_deref(), &query.error) {
        (_, Some(error)) => {
            html! { <p class="compare-words" role="alert">{ format!("{} {}", error.text, error.advice) }</p> }
        }
        (Some(Answer::Compare(comparison)), None) => changes(&workspace, pair, comparison),
        _ => html! { <p class="compare-words" role="status">{ "Comparing…" }</p> },
    };
    html! {
        <div class="compare">
            <div class="compare-bar">{ choice(&workspace, &pairs, pair) }</div>
            { answer }
            { explainer(QUESTION, explainer::SUMMARY, &explainer::SHAPES) }
        </div>
    }
}

/// Two things that can be compared.
#[derive(Clone, PartialEq)]
struct Pair {
    pair: ComparePair,
    versus: Versus,
    before: String,
    after: String,
}

/// A second trace comes first: it was opened for that.
fn pairs(workspace: &WorkspaceContext) -> Vec<Pair> {
    let mut pairs = Vec::new();
    if let Some(other) = &workspace.loaded.other {
        let names = || (workspace.loaded.main.name.clone(), other.name.clone());
        let (before, after) = names();
        pairs.push(Pair { pair: ComparePair::Traces, versus: Versus::Other { scale: Scale::AsIs }, before, after });
        let (before, after) = names();
        let after = format!("{after}, per second");
        pairs.push(Pair {
            pair: ComparePair::TracesPerSecond,
            versus: Versus::Other { scale: Scale::PerSecond },
            before,
            after,
        });
    }
    let mut moments = |pair, before: (When, String), after: (When, String)| {
        let versus = Versus::Moments { before: before.0, after: after.0 };
        pairs.push(Pair { pair, versus, before: before.1, after: after.1 });
    };
    let end_us = workspace.loaded.main.summary.end_us;
    let at = |us: u64| (When::At(us), format::elapsed_us(us));
    let end = || (When::End, "the end".to_owned());
    if let Some(brush) = workspace.view_state.brush() {
        moments(ComparePair::Brush, at(brush.from.unwrap_or(0)), at(brush.to.unwrap_or(end_us)));
    }
    // A round figure near the middle.
    let unit = format::whole_power(10.0, end_us as f64 / 20.0).max(1.0);
    moments(ComparePair::HalfAndEnd, at(((end_us as f64 / 2.0 / unit).round() * unit) as u64), end());
    moments(ComparePair::PeakAndEnd, (When::Peak, "the peak".to_owned()), end());
    pairs
}

fn choice(workspace: &WorkspaceContext, pairs: &[Pair], pair: &Pair) -> Html {
    let selected = pairs.iter().position(|other| other == pair).unwrap_or_default();
    let option = |pair: &Pair| SelectOption::new(pair.pair.as_str(), format!("{} → {}", pair.before, pair.after));
    let options: Vec<SelectOption> = pairs.iter().map(option).collect();
    let ids: Vec<ComparePair> = pairs.iter().map(|pair| pair.pair).collect();
    let dispatch = workspace.dispatch.clone();
    let on_select = Callback::from(move |index: usize| {
        if let Some(pair) = ids.get(index) {
            dispatch.emit(ViewAction::ComparePair(*pair));
        }
    });
    let hint = if workspace.loaded.other.is_none() { "Drop a second trace to compare two runs." } else { "" };
    html! {
        <>
            <Select label="What is compared" {options} {selected} {on_select} is_prominent=true />
            <span class="compare-hint">{ hint }</span>
        </>
    }
}

fn changes(workspace: &WorkspaceContext, pair: &Pair, comparison: &Comparison) -> Html {
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
                    <tbody>{ for comparison.rows.iter().map(|row| line(workspace, unit, row)) }</tbody>
                </table>
            </div>
        </>
    }
}

fn line(workspace: &WorkspaceContext, unit: Unit, Row { label, change }: &Row) -> Html {
    let (dispatch, selected) = (workspace.dispatch.clone(), label.clone());
    let onclick = Callback::from(move |_: MouseEvent| {
        dispatch.emit(ViewAction::Select(Some(selected.clone())));
        dispatch.emit(ViewAction::Tab(Tab::Flame));
    });
    let name = flame::title(label);
    let class = if change.verdict.is_significant() { "compare-sure" } else { "compare-unsure" };
    html! {
        <tr class={class}>
            <th scope="row"><button class="compare-name" title="Show it in the flame graph" {onclick}>{ &name }</button></th>
            <td>{ unit.amount(change.before) }</td>
            <td>{ unit.amount(change.after) }</td>
            <td data-figure={format!("compare.{name}")} data-value={change.change.to_string()}>{ signed(unit, change) }</td>
            <td>{ change.verdict.as_str() }</td>
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
