//! The filter bar's text when nothing passes the filter: suggests the filter's own peak, or the filter to disable.

use yew::prelude::*;

use crate::ui::components::loosening::{Loosening, use_loosening};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::store::view::ViewAction;
use camlscope_engine::query::filter::When;
use camlscope_engine::query::summary::PeakSummary;
use camlscope_present::format;
use camlscope_view::page::components::filter_bar::shown_measure::{Quantity, ShownMeasure};

#[derive(Properties, PartialEq)]
pub struct NothingProps {
    pub filter_peak: Option<PeakSummary>,
}

#[component]
pub fn Nothing(props: &NothingProps) -> Html {
    let WorkspaceContext { view_state, dispatch, capabilities, units, .. } = use_workspace();
    let shown = ShownMeasure::of(&view_state);
    let other_peak = props.filter_peak.filter(|_| shown.what == Quantity::Live(When::Peak));
    let loosening = use_loosening(&view_state, shown.implied_chip, other_peak.is_none(), units);
    let button = |words: &'static str, action: ViewAction| {
        let onclick = dispatch.reform(move |_: MouseEvent| action.clone());
        html! { <button type="button" class="say-link" {onclick}>{ words }</button> }
    };
    if let Some(peak) = other_peak {
        let (measure, chips) = shown.with(&view_state, Quantity::Live(When::At(peak.at_us)), shown.unit);
        let (bytes, at) = (units.bytes(peak.bytes), format::duration_us(peak.at_us));
        return html! {
            <span data-empty="peak">
                { format!("Nothing that passes the filter is live at the trace’s peak. Its own peak: {bytes} at {at}. ") }
                { button("Show it", ViewAction::Count { measure, chips }) }
            </span>
        };
    }
    let file = capabilities.file_noun();
    let words = shown.what.words();
    match loosening {
        Loosening::NothingAtAll => {
            html! { <span data-empty="trace">{ format!("Nothing {words} in this {file}.") }</span> }
        }
        Loosening::Looking => {
            html! { <span data-empty="filter">{ format!("Nothing that passes the filter {words}.") }</span> }
        }
        Loosening::Found { words: clause, amount, action } => html! {
            <span data-empty="filter" data-loosen={clause.clone()}>
                { format!("Nothing that passes the filter {words}. Without {clause}: {amount}. ") }
                { button("Disable it", action) }
            </span>
        },
    }
}
