//! What the timeline asks, of either trace.

use yew::prelude::*;

use crate::ui::context::WorkspaceContext;
use crate::ui::query::{SharedAnswer, use_query};
use crate::ui::views::timeline::scene::TimelineScene;
use camlscope_engine::protocol::{Question, Request};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::timeline::point::PointConfig;
use camlscope_engine::query::timeline::{Graph, SeriesOf, Timeline};

/// The curve is of live bytes whatever the measure, so a moving moment need not ask again.
pub fn request(WorkspaceContext { view_state, capabilities, .. }: &WorkspaceContext, question: Question) -> Request {
    Request { view: view_state.timeline_view(*capabilities), question }
}

/// The exact figures of a curve's layers at a time.
#[hook]
pub fn use_point(scene: &TimelineScene, at: Option<When>) -> Option<SharedAnswer> {
    let shown = scene.alone().and_then(SharedAnswer::get).zip(at);
    use_query(shown.map(|(timeline, at)| point_request(&scene.workspace, timeline, at, scene.axes.graph))).answer
}

fn point_request(workspace: &WorkspaceContext, timeline: &Timeline, at: When, graph: Graph) -> Request {
    let by = workspace.view_state.timeline.layers.by(workspace.capabilities);
    let series: Vec<SeriesOf> = timeline.series.iter().map(|series| series.of.clone()).collect();
    let by = by.filter(|_| !series.is_empty());
    request(workspace, Question::Point(PointConfig { at, by, series, graph }))
}
