//! Nothing to draw: why, and which clause brings something back.

use yew::prelude::*;

use crate::protocol::{Answer, Question, UserError};
use crate::query::flame::Direction;
use crate::query::measure::Measure;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::{ViewAction, ViewState};

/// The number of clauses that are tried.
const MAX_TRIED: usize = 4;

/// The filter leaves nothing.
#[component]
pub fn NothingLeft() -> Html {
    let WorkspaceContext { view_state, dispatch, .. } = use_workspace();
    let on: Vec<usize> = (0..view_state.chips.len()).filter(|at| view_state.chips[*at].is_on).collect();
    let show_allocated = dispatch.reform(|_: MouseEvent| ViewAction::Measure(Measure::Allocated));
    let show_all = dispatch.reform(|_: MouseEvent| ViewAction::Zoom(Vec::new()));
    let without = |at: &usize| html! { <Without key={*at} at={*at} /> };
    html! {
        <div class="flame-empty" role="status">
            <h2>{ "Nothing to draw" }</h2>
            <p>{ format!("Nothing passes: {}, {}.", view_state.measure.words(), view_state.filter().words()) }</p>
            if !view_state.flame.root.is_empty() {
                <p><button class="button" onclick={show_all}>{ "Show all" }</button>{ " This frame has nothing of it; others may." }</p>
            }
            { for on.iter().take(MAX_TRIED).map(without) }
            if view_state.measure != Measure::Allocated {
                <p><button class="button" onclick={show_allocated}>{ "Show allocated bytes" }</button>{ " instead" }</p>
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct WithoutProps {
    at: usize,
}

/// What comes back without one of the clauses.
#[component]
fn Without(props: &WithoutProps) -> Html {
    let WorkspaceContext { view_state, dispatch, .. } = use_workspace();
    let mut without = ViewState::clone(&view_state);
    if let Some(chip) = without.chips.get_mut(props.at) {
        chip.is_on = false;
    }
    let query = use_query(Some(without.request(Question::Amounts)));
    let Some(chip) = view_state.chips.get(props.at) else {
        return Html::default();
    };
    let at = props.at;
    let onclick = dispatch.reform(move |_: MouseEvent| ViewAction::SwitchChip(at));
    let brings = match query.answer.as_deref() {
        Some(Answer::Amounts(amounts)) if amounts.passing.samples > 0 => {
            format!("brings {} back", view_state.measure.unit().amount(amounts.passing.value))
        }
        Some(_) => "alone brings nothing back".to_owned(),
        None => "…".to_owned(),
    };
    html! {
        <p><button class="button" {onclick}>{ format!("Switch off “{}”", chip.clause.words()) }</button>{ format!(" {brings}") }</p>
    }
}

/// The question has no answer.
pub fn failed(error: &UserError, view_state: &ViewState, dispatch: &Callback<ViewAction>) -> Html {
    let is_sandwich = view_state.flame.direction.function().is_some();
    let back = (is_sandwich || !view_state.flame.root.is_empty()).then(|| {
        let to = if is_sandwich { ViewAction::Direction(Direction::TopDown) } else { ViewAction::Zoom(Vec::new()) };
        let onclick = dispatch.reform(move |_: MouseEvent| to.clone());
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
