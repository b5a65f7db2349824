//! The sentence that says what all views show, and how much that is: "Show live at the peak in bytes for objects of 256
//! words or less: 31.6 MiB of 32.8 MiB". Each of its parts can be changed where it stands.

mod chips;
mod draft;
mod editor;
mod name_field;
pub mod pick;
mod range;
mod say;

use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use self::chips::Chips;
use self::pick::Pick;
use self::say::{Said, What};
use crate::format;
use crate::protocol::{Answer, Channel, Question, Request, View};
use crate::query::amounts::Amounts;
use crate::query::filter::{Clause, When};
use crate::query::measure::Unit;
use crate::ui::asking::{Asked, Desk, use_answer};
use crate::ui::effect::use_effect_with;
use crate::ui::look::{Look, Turn};
use crate::ui::piece::{Piece, piece};
use crate::ui::workspace::{Work, use_work};

const CHANNEL: Channel = Channel(40);
const WHOLE: Channel = Channel(41);

#[derive(PartialEq)]
pub struct Sentence;

piece!(Sentence, use_sentence());

#[hook]
fn use_sentence() -> Html {
    let work = use_work();
    let is_busy = use_busy();
    let asked = use_answer(CHANNEL, work.as_ref().map(|work| work.look.ask(Question::Amounts)));
    let whole = use_answer(WHOLE, work.as_ref().and_then(|work| whole(&work.look)));
    let Some(Work { look, turn, loaded, .. }) = work else {
        return Html::default();
    };
    let said = Said::of(&look);
    html! {
        <section class="sentence" aria-label="What is shown">
            <span>{ "Show" }</span>
            { what(&look, said, loaded.main.summary.peak.at_us, &turn) }
            { moment(&look, said, &turn) }
            <span>{ "in" }</span>
            { unit(&look, said, &turn) }
            { Chips { look: Rc::clone(&look), turn: turn.clone() }.show() }
            { figures(&look, said, &asked, &whole, &turn) }
            if is_busy {
                <progress class="working" aria-label="Working out the answer" />
            }
        </section>
    }
}

/// What the share is of, where the measure does not know it.
fn whole(look: &Look) -> Option<Request> {
    let filter = Said::of(look).whole()?;
    Some(Request { view: View { filter, ..look.view() }, question: Question::Amounts })
}

/// Whether anything on the page waits for an answer.
#[hook]
fn use_busy() -> bool {
    let is_busy = use_state_eq(|| false);
    let desk = use_context::<Desk>();
    use_effect_with(desk.map(|desk| desk.bridge), {
        let is_busy = is_busy.setter();
        move |bridge| {
            let bridge = bridge.clone();
            if let Some(bridge) = &bridge {
                bridge.watch(Callback::from(move |busy| is_busy.set(busy)));
            }
            move || {
                if let Some(bridge) = &bridge {
                    bridge.watch(Callback::noop());
                }
            }
        }
    });
    *is_busy
}

fn what(look: &Rc<Look>, said: Said, peak_us: u64, turn: &Callback<Turn>) -> Html {
    let moment = match said.what {
        What::Live(when @ When::At(_)) => when,
        _ => When::At(peak_us),
    };
    let options = [
        (What::Live(When::Peak), "live at the peak"),
        (What::Live(moment), "live at"),
        (What::Live(When::End), "live at the end"),
        (What::Allocated, "allocated"),
        (What::Promoted, "promoted"),
        (What::ByteSeconds, "bytes × lifetime"),
    ];
    let at = options.iter().position(|option| option.0 == said.what).unwrap_or_default();
    let words = options.iter().enumerate().map(|(nth, option)| match option.0 {
        // What it is only shows beside it, once it is chosen.
        What::Live(When::At(_)) if nth != at => "live at a moment",
        _ => option.1,
    });
    let words: Vec<AttrValue> = words.map(AttrValue::Static).collect();
    let on_pick = counting(look, said, turn, move |at| (options[at].0, said.unit));
    Pick { label: "What is shown".into(), at, options: words, on_pick }.show()
}

/// The moment as text that can be typed.
fn moment(look: &Rc<Look>, said: Said, turn: &Callback<Turn>) -> Html {
    let What::Live(when @ When::At(_)) = said.what else {
        return Html::default();
    };
    let value = Clause::LiveAt(when).value();
    let onchange = {
        let (look, turn, value) = (Rc::clone(look), turn.clone(), value.clone());
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            match Clause::parse("live-at", input.value().trim()) {
                Ok(Clause::LiveAt(when)) => {
                    let (measure, chips) = said.turned(&look, What::Live(when), said.unit);
                    turn.emit(Turn::Count { measure, chips });
                }
                // What cannot be read gives way to what is shown.
                _ => input.set_value(&value),
            }
        })
    };
    html! { <input class="field say-moment" aria-label="Moment, such as 2.5s" {value} {onchange} /> }
}

fn unit(look: &Rc<Look>, said: Said, turn: &Callback<Turn>) -> Html {
    const UNITS: [(Unit, &str); 3] = [(Unit::Bytes, "bytes"), (Unit::Blocks, "blocks"), (Unit::Samples, "samples")];
    if said.unit == Unit::ByteSeconds {
        let title = "Divided by the trace's duration it is the mean live size";
        return html! { <span class="say-fixed" {title}>{ "byte-seconds" }</span> };
    }
    let at = UNITS.iter().position(|unit| unit.0 == said.unit).unwrap_or_default();
    let words: Vec<AttrValue> = UNITS.iter().map(|unit| AttrValue::Static(unit.1)).collect();
    let on_pick = counting(look, said, turn, move |at| (said.what, UNITS[at].0));
    Pick { label: "What it is counted in".into(), at, options: words, on_pick }.show()
}

fn counting(
    look: &Rc<Look>,
    said: Said,
    turn: &Callback<Turn>,
    chosen: impl Fn(usize) -> (What, Unit) + 'static,
) -> Callback<usize> {
    let (look, turn) = (Rc::clone(look), turn.clone());
    Callback::from(move |at: usize| {
        let (what, unit) = chosen(at);
        let (measure, chips) = said.turned(&look, what, unit);
        turn.emit(Turn::Count { measure, chips });
    })
}

/// How much that is, or why it is nothing.
fn figures(look: &Look, said: Said, asked: &Asked, whole: &Asked, turn: &Callback<Turn>) -> Html {
    let body = match (&asked.error, asked.answer.as_deref()) {
        (Some(error), _) => html! {
            <span class="say-error" data-error={error.kind.clone()}>{ &error.text }{ " " }{ &error.advice }</span>
        },
        (None, Some(Answer::Amounts(amounts))) => {
            let amounts = match whole.answer.as_deref() {
                Some(Answer::Amounts(whole)) if said.spoken.is_some() => say::of_whole(*amounts, whole.passing),
                _ => *amounts,
            };
            match amounts.passing.samples {
                0 => nothing(look, said, turn),
                _ => amounts_in_words(&amounts),
            }
        }
        _ => html! { <span>{ "Counting…" }</span> },
    };
    html! { <p class="say-figures" role="status" data-waiting={asked.is_waiting.to_string()}>{ body }</p> }
}

fn amounts_in_words(amounts: &Amounts) -> Html {
    let Amounts { unit, passing, whole, .. } = amounts;
    let is_all = passing.objects == whole.objects;
    html! {
        <>
            <b data-figure="passing.passing.value" data-value={passing.value.to_string()} title={exact(*unit, passing.value)}>
                { say::amount(*unit, passing.value) }
            </b>
            <span hidden={is_all}>
                { " of " }
                <span data-figure="passing.whole.value" data-value={whole.value.to_string()}
                    title={exact(*unit, whole.value)}>{ say::amount(*unit, whole.value) }</span>
                { " · " }
                <span data-figure="passing.share_error" data-value={amounts.share_error.unwrap_or_default().to_string()}
                    title="The share that passes, and its standard error in points">{ say::share(amounts) }</span>
            </span>
            if is_all {
                { error_in_words(passing.error) }
            }
            <span hidden={*unit == Unit::Samples}>
                { " · " }
                <span data-figure="passing.passing.samples" data-value={passing.samples.to_string()}>
                    { say::samples(passing.samples) }
                </span>
            </span>
        </>
    }
}

fn error_in_words(error: Option<f64>) -> Html {
    match error {
        Some(error) if error > 0.0 => {
            html! { <span title="Standard error">{ format!(" ±{}", format::percent(error)) }</span> }
        }
        _ => Html::default(),
    }
}

/// All digits, for those who point at a figure.
fn exact(unit: Unit, value: f64) -> String {
    let noun = match unit {
        Unit::Bytes => "bytes",
        Unit::Blocks => "blocks",
        Unit::ByteSeconds => "byte-seconds",
        Unit::Samples => "samples",
    };
    format!("{} {noun}", format::count(value.round() as u64))
}

/// Nothing passes: the newest clause is the likeliest to be in the way.
fn nothing(look: &Look, said: Said, turn: &Callback<Turn>) -> Html {
    let newest = look.chips.iter().enumerate().rev().find(|(at, chip)| chip.is_on && Some(*at) != said.spoken);
    match newest {
        None => html! { <span data-empty="trace">{ format!("Nothing {} in this trace.", said.what.words()) }</span> },
        Some((at, chip)) => {
            let onclick = turn.reform(move |_: MouseEvent| Turn::SwitchChip(at));
            html! {
                <span data-empty="filter">
                    { format!("Nothing {} and passes the filter. Loosen “{}”, or ", said.what.words(), say::chip_words(&chip.clause)) }
                    <button type="button" class="say-link" {onclick}>{ "switch it off" }</button>
                    { "." }
                </span>
            }
        }
    }
}
