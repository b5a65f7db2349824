//! Why a table has no rows, and what to loosen.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::loosening::Loosen;
use crate::ui::store::state::Loaded;
use crate::ui::store::view::{ViewAction, ViewState};
use camlscope_engine::query::measure::Measure;
use camlscope_present::words;
use camlscope_present::words::errors::UserError;

pub const NOTHING_SAMPLED: &str = "No allocation was sampled.";

pub fn why_nothing(
    loaded: &Loaded,
    view_state: &ViewState,
    dispatch: &Callback<ViewAction>,
    error: Option<&UserError>,
) -> Html {
    let button = |words: String, action: ViewAction| {
        let onclick = dispatch.reform(move |_: MouseEvent| action.clone());
        html! { <button class="button" {onclick}>{ words }</button> }
    };
    if let Some(error) = error {
        return html! {
            <div class="nothing">
                <p><b>{ &error.text }</b></p>
                <p>{ &error.advice }</p>
                if !view_state.chips.is_empty() {
                    { button("Remove the filter".to_owned(), ViewAction::ClearChips) }
                }
            </div>
        };
    }
    if loaded.is_empty() {
        return html! { <div class="nothing"><p><b>{ NOTHING_SAMPLED }</b></p></div> };
    }
    if !view_state.table.search.is_empty() {
        return html! {
            <div class="nothing">
                <p><b>{ format!("No name or file contains “{}”.", view_state.table.search) }</b></p>
                { button("Clear the search".to_owned(), ViewAction::SearchTable(String::new())) }
            </div>
        };
    }
    if !view_state.chips.iter().any(|chip| chip.is_on) {
        return html! {
            <div class="nothing">
                <p><b>{ "Nothing counts for this measure." }</b></p>
                if view_state.measure != Measure::Allocated {
                    { button("Show all that was allocated".to_owned(), ViewAction::Measure(Measure::Allocated)) }
                }
            </div>
        };
    }
    let words = match view_state.measure {
        measure @ Measure::Live(_) => {
            format!("Nothing that passes the filter is {}.", words::measure::measure(measure))
        }
        _ => "Nothing passes the filter.".to_owned(),
    };
    html! {
        <div class="nothing">
            <p><b>{ words }</b></p>
            <Loosen view_state={Rc::new(view_state.clone())} dispatch={dispatch.clone()} />
        </div>
    }
}
