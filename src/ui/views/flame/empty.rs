//! Nothing to draw: why, and which clause brings something back.

use yew::prelude::*;

use crate::protocol::{Answer, Channel, Question, UserError};
use crate::query::flame::Direction;
use crate::query::measure::Measure;
use crate::ui::asking::use_answer;
use crate::ui::look::{Look, Turn};
use crate::ui::piece::{Piece, piece};
use crate::ui::workspace::{Work, use_work};

/// One for each clause that is tried, as far as channels go.
const FIRST_CHANNEL: u16 = 16;
const MOST_TRIED: u16 = 4;

/// The filter leaves nothing.
#[derive(PartialEq)]
pub struct NothingLeft;

piece!(NothingLeft, use_nothing_left());

#[hook]
fn use_nothing_left() -> Html {
    let Some(Work { look, turn, .. }) = use_work() else {
        return Html::default();
    };
    let on: Vec<usize> = (0..look.chips.len()).filter(|at| look.chips[*at].is_on).collect();
    let show_allocated = turn.reform(|_: MouseEvent| Turn::Measure(Measure::Allocated));
    let show_all = turn.reform(|_: MouseEvent| Turn::Zoom(Vec::new()));
    let without = |(at, channel): (&usize, u16)| Without { at: *at, channel }.show_as(*at);
    html! {
        <div class="flame-empty" role="status">
            <h2>{ "Nothing to draw" }</h2>
            <p>{ format!("No sample passes: {}, {}.", look.measure.words(), look.filter().words()) }</p>
            if !look.root.is_empty() {
                <p><button class="button" onclick={show_all}>{ "Show all" }</button>{ " This frame has nothing of it; others may." }</p>
            }
            { for on.iter().zip(FIRST_CHANNEL..FIRST_CHANNEL + MOST_TRIED).map(without) }
            if look.measure != Measure::Allocated {
                <p><button class="button" onclick={show_allocated}>{ "Show allocated bytes" }</button>{ " instead" }</p>
            }
        </div>
    }
}

#[derive(PartialEq)]
struct Without {
    at: usize,
    channel: u16,
}

piece!(Without, use_without);

/// What comes back without one of the clauses.
#[hook]
fn use_without(props: &Without) -> Html {
    let work = use_work();
    let request = work.as_ref().map(|work| {
        let mut look = Look::clone(&work.look);
        if let Some(chip) = look.chips.get_mut(props.at) {
            chip.is_on = false;
        }
        look.ask(Question::Amounts)
    });
    let asked = use_answer(Channel(props.channel), request);
    let Some(Work { look, turn, .. }) = work else {
        return Html::default();
    };
    let Some(chip) = look.chips.get(props.at) else {
        return Html::default();
    };
    let at = props.at;
    let onclick = turn.reform(move |_: MouseEvent| Turn::SwitchChip(at));
    let brings = match asked.answer.as_deref() {
        Some(Answer::Amounts(amounts)) if amounts.passing.samples > 0 => {
            format!("brings {} back", look.measure.unit().amount(amounts.passing.value))
        }
        Some(_) => "alone brings nothing back".to_owned(),
        None => "…".to_owned(),
    };
    html! {
        <p><button class="button" {onclick}>{ format!("Switch off “{}”", chip.clause.words()) }</button>{ format!(" {brings}") }</p>
    }
}

/// The question has no answer.
pub fn failed(error: &UserError, look: &Look, turn: &Callback<Turn>) -> Html {
    let is_sandwich = look.direction.function().is_some();
    let back = (is_sandwich || !look.root.is_empty()).then(|| {
        let to = if is_sandwich { Turn::Direction(Direction::TopDown) } else { Turn::Zoom(Vec::new()) };
        let onclick = turn.reform(move |_: MouseEvent| to.clone());
        html! { <p><button class="button" {onclick}>{ "Show all" }</button></p> }
    });
    html! {
        <div class="flame-empty" role="alert">
            <h2>{ error.text.clone() }</h2>
            <p>{ error.advice.clone() }</p>
            { back }
        </div>
    }
}
