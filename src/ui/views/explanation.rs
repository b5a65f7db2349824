//! What the “What am I looking at?” button says on each tab.

use yew::prelude::*;

use crate::ui::components::explainer::{ExampleShape, Explainer};
use crate::ui::store::view::{Capabilities, Tab, ViewState};
use crate::ui::views::{compare, events, flame, histograms, leaks, source, summary, table};

const QUESTION: &str = "What am I looking at?";

pub fn explanation(view_state: &ViewState, capabilities: Capabilities) -> Html {
    let (summary, shapes) = text(view_state, capabilities);
    // The filter bar of a comparison has no room for the question.
    let is_short = view_state.tab == Tab::Compare;
    html! { <Explainer question={QUESTION} {is_short} {summary} {shapes} /> }
}

fn text(
    view_state: &ViewState,
    Capabilities { has_objects, has_snapshots, .. }: Capabilities,
) -> (&'static str, &'static [ExampleShape]) {
    match view_state.tab {
        Tab::Summary if has_snapshots => (summary::explainer::OF_PROFILE, &summary::explainer::SHAPES[..2]),
        Tab::Summary => (summary::explainer::SUMMARY, &summary::explainer::SHAPES),
        Tab::Flame => (flame::explainer::SUMMARY, &flame::explainer::SHAPES),
        Tab::Table if has_objects => (table::explainer::SUMMARY, &table::explainer::SHAPES),
        Tab::Table => (table::explainer::OF_PROFILE, &table::explainer::SHAPES[..2]),
        Tab::Histograms => histograms::explainer::text(view_state.histograms.chart),
        Tab::Leaks if has_snapshots => (leaks::explainer::OF_PROFILE, &leaks::explainer::SHAPES),
        Tab::Leaks => (leaks::explainer::SUMMARY, &leaks::explainer::SHAPES),
        Tab::Source => (source::explainer::SUMMARY, &source::explainer::SHAPES),
        Tab::Events => (events::explainer::SUMMARY, &events::explainer::SHAPES),
        Tab::Compare if has_objects => (compare::explainer::SUMMARY, &compare::explainer::SHAPES),
        Tab::Compare => (compare::explainer::OF_PROFILE, &compare::explainer::OF_PROFILE_SHAPES),
    }
}
