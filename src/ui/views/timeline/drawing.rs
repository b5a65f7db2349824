//! Draws the curve on its canvas. Marks have a separate canvas, so that moving the time doesn't redraw the curve.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::context::WorkspaceContext;
use crate::ui::platform::use_canvas::use_canvas;
use crate::ui::query::use_query;
use crate::ui::views::timeline::scene::TimelineScene;
use camlscope_engine::protocol::{Question, Request};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::timeline::point::PointConfig;
use camlscope_engine::query::timeline::{Graph, Timeline};
use camlscope_present::layout::timeline::{Marks, Plot, draw, draw_both, draw_both_marks, draw_marks, times_at};
use camlscope_view::page::query::event::SharedAnswer;

#[hook]
pub fn use_curve(scene: &TimelineScene) {
    let (axes, colors) = (Rc::clone(&scene.axes), Rc::clone(&scene.workspace.colors));
    let drawn = scene.alone().cloned().zip(scene.place());
    let drawn = drawn.map(|(answer, (plot, size))| ((answer, plot, axes, colors), size));
    use_canvas(&scene.canvas, drawn, |(answer, plot, axes, colors), canvas| {
        Some(draw(answer.get()?, plot, axes, colors, canvas))
    });
}

/// `hovered` has the figures at the pointer.
#[hook]
pub fn use_marks(scene: &TimelineScene, marks_ref: &NodeRef, marks: Marks, hovered: Option<SharedAnswer>) {
    let drawn = scene.alone().cloned().zip(scene.place());
    let drawn = drawn.map(|(answer, (plot, size))| ((answer, plot, Rc::clone(&scene.axes), marks, hovered), size));
    use_canvas(marks_ref, drawn, |(answer, plot, axes, marks, hovered), canvas| {
        let point = hovered.as_ref().and_then(SharedAnswer::get);
        Some(draw_marks(answer.get()?, plot, axes, marks, point, canvas))
    });
}

/// Draws both curves, and on the second canvas everything that moves with the pointer.
#[hook]
pub fn use_both_drawing(scene: &TimelineScene, marks_ref: &NodeRef, hover_us: Option<f64>) {
    let curves = scene.query.answer.clone().zip(scene.both.clone());
    let times = curves.as_ref().zip(hover_us).and_then(|((before, both), hover_us)| {
        let curves = [before.get()?, both.after.get()?];
        Some(times_at(curves, &both.plots, hover_us))
    });
    let [before_us, after_us] = times.unwrap_or_default();
    let point_before = use_query(before_us.map(|us| point_request(&scene.workspace, us, false))).answer;
    let point_after = use_query(after_us.map(|us| point_request(&scene.workspace, us, true))).answer;
    let drawn = curves.zip(scene.size);
    use_canvas(&scene.canvas, drawn.clone(), |(before, both), canvas| {
        Some(draw_both(before.get()?, both.after.get()?, &both.plots, canvas))
    });
    let points = [point_before, point_after];
    let marks = drawn.map(|((_, both), size)| ((both, hover_us, points), size));
    use_canvas(marks_ref, marks, |(both, hover_us, points), canvas| {
        let points = points.each_ref().map(|point| point.as_ref().and_then(SharedAnswer::get));
        Some(draw_both_marks(&both.plots, both.times, *hover_us, points, canvas))
    });
}

fn point_request(workspace: &WorkspaceContext, us: u64, is_other: bool) -> Request {
    let question =
        Question::Point(PointConfig { at: When::At(us), by: None, series: Vec::new(), graph: Graph::LiveBytes });
    workspace.timeline_request(if is_other { Question::OfOther(Box::new(question)) } else { question })
}

/// Until the layers arrive, keeps showing the curve from the loading screen.
#[hook]
pub fn use_so_far(scene: &TimelineScene) {
    let is_wanted = scene.query.answer.is_none() && scene.query.error.is_none() && !scene.is_both;
    let curve = if is_wanted { so_far(&scene.workspace) } else { None };
    let drawn = curve.zip(scene.size).map(|(curve, size)| {
        let plot = Plot::new(size.0, size.1, &curve);
        ((curve, plot, Rc::clone(&scene.axes)), size)
    });
    use_canvas(&scene.canvas, drawn, |(curve, plot, axes), canvas| {
        Some(draw(curve, plot, axes, Default::default(), canvas))
    });
}

/// Returns `None` if the timeline shows a different curve.
fn so_far(workspace: &WorkspaceContext) -> Option<Timeline> {
    let WorkspaceContext { view_state, loaded, capabilities, .. } = workspace;
    let so_far = loaded.main.so_far.as_deref()?;
    let is_whole = view_state.filter().clauses.is_empty() && view_state.timeline.zoom.is_none();
    let is_live = !capabilities.has_snapshots || view_state.graph() == Graph::LiveBytes;
    let n = so_far.live.len();
    (is_whole && is_live && n > 0).then(|| Timeline {
        from_us: 0,
        to_us: loaded.main.summary.end_us,
        step_us: so_far.end_us as f64 / n as f64,
        live_min: so_far.live.clone(),
        live_max: so_far.live.clone(),
        live_last: so_far.live.clone(),
        ..Timeline::default()
    })
}
