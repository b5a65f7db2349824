//! Until the layers are there, the curve that the loading screen ended with stays.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::context::WorkspaceContext;
use crate::ui::platform::canvas::Canvas;
use crate::ui::platform::theme::Theme;
use camlscope_engine::query::timeline::{Graph, Timeline};
use camlscope_present::layout::timeline::{Axes, Plot, draw};

/// Draws it while it is wanted.
#[hook]
pub fn use_so_far(
    canvas_ref: &NodeRef,
    workspace: &WorkspaceContext,
    size: Option<(f64, f64)>,
    axes: &Rc<Axes>,
    is_wanted: bool,
) {
    let theme = use_context::<Theme>().unwrap_or_default();
    let curve = if is_wanted { so_far(workspace) } else { None };
    use_effect_with((curve, size, Rc::clone(axes), theme), {
        let canvas_ref = canvas_ref.clone();
        move |(curve, size, axes, _)| {
            let Some((curve, size)) = curve.as_ref().zip(*size) else { return };
            if let Some(canvas) = Canvas::of(&canvas_ref, size) {
                canvas.draw(&draw(curve, &Plot::new(size.0, size.1, curve), axes, Default::default(), &canvas));
            }
        }
    });
}

/// The curve that the loading screen ended with; `None` where what is asked for is another one.
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
