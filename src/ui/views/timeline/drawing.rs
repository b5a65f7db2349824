//! The curve on its canvas. Marks are drawn on a canvas of their own, so that a moment that moves doesn't paint the curve
//! again.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::context::WorkspaceContext;
use crate::ui::platform::canvas::Canvas;
use crate::ui::platform::theme::Theme;
use crate::ui::query::SharedAnswer;
use crate::ui::views::timeline::request::{as_point, as_timeline};
use crate::ui::views::timeline::scene::TimelineScene;
use camlscope_engine::query::timeline::{Graph, Timeline};
use camlscope_present::layout::timeline::{Marks, Plot, draw, draw_marks};

#[hook]
pub fn use_curve(scene: &TimelineScene) {
    let theme = use_context::<Theme>().unwrap_or_default();
    let canvas_ref = scene.canvas.clone();
    let drawn = (scene.alone().cloned(), scene.place(), Rc::clone(&scene.axes), Rc::clone(&scene.workspace.colors));
    use_effect_with((drawn, theme), move |((timeline, place, axes, colors), _)| {
        let (Some(timeline), Some((plot, size))) = (as_timeline(timeline.as_ref()), place) else { return };
        if let Some(canvas) = Canvas::of(&canvas_ref, *size) {
            canvas.draw(&draw(timeline, plot, axes, colors, &canvas));
        }
    });
}

/// `hovered` has the figures at the pointer.
#[hook]
pub fn use_marks(scene: &TimelineScene, marks_ref: &NodeRef, marks: Marks, hovered: Option<SharedAnswer>) {
    let theme = use_context::<Theme>().unwrap_or_default();
    let marks_ref = marks_ref.clone();
    let drawn = (scene.alone().cloned(), scene.place(), Rc::clone(&scene.axes), marks, hovered);
    use_effect_with((drawn, theme), move |((timeline, place, axes, marks, hovered), _)| {
        let (Some(timeline), Some((plot, size))) = (as_timeline(timeline.as_ref()), place) else { return };
        if let Some(canvas) = Canvas::of(&marks_ref, *size) {
            canvas.draw(&draw_marks(timeline, plot, axes, marks, as_point(hovered.as_ref()), &canvas));
        }
    });
}

/// Until the layers are there, the curve that the loading screen ended with stays.
#[hook]
pub fn use_so_far(scene: &TimelineScene) {
    let theme = use_context::<Theme>().unwrap_or_default();
    let is_wanted = scene.query.answer.is_none() && scene.query.error.is_none() && !scene.is_both;
    let curve = if is_wanted { so_far(&scene.workspace) } else { None };
    let canvas_ref = scene.canvas.clone();
    use_effect_with((curve, scene.size, Rc::clone(&scene.axes), theme), move |(curve, size, axes, _)| {
        let Some((curve, size)) = curve.as_ref().zip(*size) else { return };
        if let Some(canvas) = Canvas::of(&canvas_ref, size) {
            canvas.draw(&draw(curve, &Plot::new(size.0, size.1, curve), axes, Default::default(), &canvas));
        }
    });
}

/// `None` if another curve is wanted.
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
