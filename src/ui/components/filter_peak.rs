//! The peak of the objects that pass the filter. It is usually at a different time than the trace's peak.

use yew::prelude::*;

use crate::ui::context::WorkspaceContext;
use crate::ui::query::use_query;
use camlscope_engine::protocol::{Question, Request};
use camlscope_engine::query::filter::{Clause, Filter};
use camlscope_engine::query::summary::PeakSummary;
use camlscope_engine::query::timeline::{Graph, Timeline, TimelineConfig};

/// Returns `None` until it is known, if it is at the same time as the trace's peak, and without objects.
#[hook]
pub fn use_filter_peak(workspace: &WorkspaceContext) -> Option<PeakSummary> {
    let WorkspaceContext { view_state, loaded, capabilities, .. } = workspace;
    let summary = &loaded.main.summary;
    let view = view_state.timeline_view(*capabilities);
    let is_asked = capabilities.has_objects && narrows(&view.filter);
    let config =
        TimelineConfig { from_us: 0, to_us: summary.end_us, n_steps: 1, by: None, top: 0, graph: Graph::LiveBytes };
    let query = use_query(is_asked.then_some(Request { view, question: Question::Timeline(config) }));
    query.get().filter(|_| !query.is_waiting).and_then(Timeline::filter_peak)
}

/// Whether the filter can exclude objects.
fn narrows(filter: &Filter) -> bool {
    filter.clauses.iter().any(|clause| !matches!(clause, Clause::Hide(_)))
}
