//! Explains why there is nothing to draw and which filter to disable.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::loosening::Loosen;
use crate::ui::components::nothing::NOTHING_SAMPLED;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::store::view::{ViewAction, ViewState};
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::measure::Measure;
use camlscope_present::words;
use camlscope_present::words::errors::UserError;

/// Nothing passes the filter.
#[component]
pub fn NothingLeft() -> Html {
    let WorkspaceContext { loaded, view_state, dispatch, .. } = use_workspace();
    let show_allocated = dispatch.reform(|_: MouseEvent| ViewAction::Measure(Measure::Allocated));
    let show_all = dispatch.reform(|_: MouseEvent| ViewAction::Zoom(Vec::new()));
    if loaded.is_empty() {
        return html! { <div class="flame-empty" role="status"><h2>{ NOTHING_SAMPLED }</h2></div> };
    }
    html! {
        <div class="flame-empty" role="status">
            <h2>{ "Nothing to show" }</h2>
            <p>{ format!("No data: {}, {}.", words::measure::measure(view_state.measure), words::filter::filter(&view_state.filter())) }</p>
            if !view_state.flame.root.is_empty() {
                <p><button class="button" onclick={show_all}>{ "Show all" }</button>{ " This frame has no data." }</p>
            }
            if view_state.chips.iter().any(|chip| chip.is_on) {
                <Loosen view_state={Rc::clone(&view_state)} dispatch={dispatch.clone()} />
            }
            if view_state.measure != Measure::Allocated {
                <p><button class="button" onclick={show_allocated}>{ "Show allocated bytes" }</button>{ " instead" }</p>
            }
        </div>
    }
}

/// The query failed.
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
