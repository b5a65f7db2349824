//! Finds a filter clause to disable when nothing passes the filter. It tries clauses one by one, starting with the
//! newest, which is the most likely culprit. Then it tries all of them together.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::{ViewAction, ViewState};
use camlscope_engine::protocol::Question;
use camlscope_engine::query::amounts::Amounts;
use camlscope_engine::query::filter::Filter;
use camlscope_engine::query::measure::Measure;
use camlscope_present::format::Units;
use camlscope_view::page::components::loosening::attempts;

#[derive(Clone, Debug, PartialEq)]
pub enum Loosening {
    Looking,
    /// The clause to disable, the amount without it, and the action that disables it.
    Found {
        words: String,
        amount: String,
        action: ViewAction,
    },
    /// The measure is zero even without a filter.
    NothingAtAll,
}

/// `implied_chip` belongs to the measure and is kept. Sends no query unless `is_empty`.
#[hook]
pub fn use_loosening(view_state: &ViewState, implied_chip: Option<usize>, is_empty: bool, units: Units) -> Loosening {
    let attempts = attempts(view_state, implied_chip);
    let about = (view_state.filter(), view_state.measure);
    let tried = use_state_eq(|| (about.clone(), 0));
    let n_tried = if tried.0 == about { tried.1 } else { 0 };
    let attempt = attempts.get(n_tried);
    let request = attempt.map(|attempt| ViewState { chips: attempt.chips.clone(), ..view_state.clone() });
    let query = use_query(request.filter(|_| is_empty).map(|view_state| view_state.request(Question::Amounts)));
    let passing = query.get::<Amounts>().map(|amounts| amounts.passing);
    let is_known = !query.is_waiting && (passing.is_some() || query.error.is_some());
    let finds_nothing = is_known && passing.is_none_or(|passing| passing.samples == 0);
    use_effect_with((about, n_tried, finds_nothing), {
        let tried = tried.setter();
        move |(about, n_tried, finds_nothing): &((Filter, Measure), usize, bool)| {
            if *finds_nothing {
                tried.set((about.clone(), n_tried + 1));
            }
        }
    });
    match (attempt, passing) {
        (None, _) => Loosening::NothingAtAll,
        (Some(attempt), Some(passing)) if is_known && !finds_nothing => Loosening::Found {
            words: attempt.words.clone(),
            amount: units.amount(view_state.measure.unit(), passing.value),
            action: ViewAction::Count { measure: view_state.measure, chips: attempt.chips.clone() },
        },
        _ => Loosening::Looking,
    }
}

#[derive(Properties, PartialEq)]
pub struct LoosenProps {
    pub view_state: Rc<ViewState>,
    pub dispatch: Callback<ViewAction>,
}

/// A button that disables a filter, with the amount it would show.
#[component]
pub fn Loosen(LoosenProps { view_state, dispatch }: &LoosenProps) -> Html {
    let WorkspaceContext { units, .. } = use_workspace();
    match use_loosening(view_state, None, true, units) {
        Loosening::Looking => html! { <p role="status">{ "Finding which filter hides everything…" }</p> },
        Loosening::NothingAtAll => html! { <p>{ "Nothing to show even without filters." }</p> },
        Loosening::Found { words, amount, action } => {
            let onclick = dispatch.reform(move |_: MouseEvent| action.clone());
            html! {
                <p data-loosen={words.clone()}>
                    <button class="button" {onclick}>{ format!("Disable {words}") }</button>{ format!(" to show {amount}") }
                </p>
            }
        }
    }
}
