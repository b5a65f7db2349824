//! Explains why a view is empty and which filter to disable.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::loosening::Loosen;
use crate::ui::store::Loaded;
use crate::ui::store::view::{ViewAction, ViewState};
use camlscope_engine::query::measure::Measure;
use camlscope_present::words;
use camlscope_present::words::errors::UserError;

pub const NOTHING_SAMPLED: &str = "No allocations were sampled.";

pub fn why_nothing(
    loaded: &Loaded,
    view_state: &ViewState,
    dispatch: &Callback<ViewAction>,
    error: Option<&UserError>,
) -> Html {
    let button = |words: &'static str, action: ViewAction| {
        let onclick = dispatch.reform(move |_: MouseEvent| action.clone());
        html! { <button class="button" {onclick}>{ words }</button> }
    };
    let (headline, below) = if let Some(error) = error {
        let remove = (!view_state.chips.is_empty()).then(|| button("Clear filters", ViewAction::ClearChips));
        (error.text.clone(), html! { <><p>{ &error.advice }</p>{ remove }</> })
    } else if loaded.is_empty() {
        (NOTHING_SAMPLED.to_owned(), Html::default())
    } else if !view_state.valid_search().is_empty() {
        let headline = format!("No function or file matches “{}”.", view_state.valid_search());
        (headline, button("Clear search", ViewAction::Search(String::new())))
    } else if !view_state.chips.iter().any(|chip| chip.is_on) {
        let show = || button("Show allocated bytes", ViewAction::Measure(Measure::Allocated));
        let show = (view_state.measure != Measure::Allocated).then(show);
        ("No data for this measure.".to_owned(), show.unwrap_or_default())
    } else {
        let headline = match view_state.measure {
            measure @ Measure::Live(_) => {
                format!("Nothing that passes the filter is {}.", words::measure::measure(measure))
            }
            _ => "Nothing passes the filter.".to_owned(),
        };
        (headline, html! { <Loosen view_state={Rc::new(view_state.clone())} dispatch={dispatch.clone()} /> })
    };
    html! { <div class="nothing"><p><b>{ headline }</b></p>{ below }</div> }
}
