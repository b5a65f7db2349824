//! Keyboard and wheel interaction with the timeline.

use std::rc::Rc;

use web_sys::{KeyboardEvent, WheelEvent};
use yew::prelude::*;

use crate::ui::context::WorkspaceContext;
use crate::ui::platform::pointer::Pointer;
use crate::ui::store::view::ViewAction;
use crate::ui::views::timeline::scene::TimelineScene;
use camlscope_engine::query::filter::{Clause, Span, When};
use camlscope_engine::query::measure::Measure;
use camlscope_view::page::views::timeline::times::{snapshot_after, snapshot_before};

pub fn wheel(scene: &Rc<TimelineScene>) -> Callback<WheelEvent> {
    let scene = Rc::clone(scene);
    Callback::from(move |event: WheelEvent| {
        let (Some(plot), Some(at)) = (scene.plot, Pointer::on(&scene.canvas, &event)) else { return };
        // Leave horizontal scrolling and page zoom to the browser.
        if event.ctrl_key() || event.delta_y() == 0.0 {
            return;
        }
        event.prevent_default();
        let (at, end_us) = (plot.us(at.x), scene.axis_us());
        let factor = (event.delta_y().clamp(-100.0, 100.0) * 0.004).exp();
        let from = at - (at - plot.from_us) * factor;
        let to = at + (plot.to_us - at) * factor;
        let (from, to) = (from.max(0.0) as u64, (to.min(end_us as f64)) as u64);
        let is_whole = from == 0 && to >= end_us;
        // There is no need to zoom in further than one millisecond.
        if to.saturating_sub(from) >= 1_000 || factor > 1.0 {
            scene.workspace.dispatch.emit(ViewAction::TimeZoom((!is_whole).then(|| Span::new(from, to))));
        }
    })
}

/// Arrow keys move the time, and with Shift they resize the selection. `Home` and `End` go to the ends, `p` to the
/// trace's peak, and `P` to the peak of the filtered objects.
pub fn keys(scene: &Rc<TimelineScene>) -> Callback<KeyboardEvent> {
    let scene = Rc::clone(scene);
    Callback::from(move |event: KeyboardEvent| {
        let WorkspaceContext { view_state, dispatch, .. } = &scene.workspace;
        let end_us = scene.end_us();
        let shown = view_state.timeline.zoom.unwrap_or(Span::new(0, end_us));
        let width = shown.to.unwrap_or(end_us).saturating_sub(shown.from.unwrap_or(0));
        let step = (width / 100).max(1);
        let now = match view_state.measure {
            Measure::Live(When::At(us)) => us,
            _ => shown.from.unwrap_or(0) + width / 2,
        };
        let moved = match event.key().as_str() {
            "ArrowLeft" => now.saturating_sub(step),
            "ArrowRight" => now.saturating_add(step).min(end_us),
            "Home" => 0,
            "End" => end_us,
            key @ ("p" | "P") => {
                let when = scene.filter_peak_us().filter(|_| key == "P").map_or(When::Peak, When::At);
                event.prevent_default();
                return dispatch.emit(ViewAction::ChooseTime(when));
            }
            _ => return,
        };
        event.prevent_default();
        if event.shift_key() {
            let marked = view_state.brush();
            let brush = marked.unwrap_or(Span::new(now, now));
            let (from, to) = (brush.from.unwrap_or(0), brush.to.unwrap_or(end_us));
            let span = if moved < now {
                Span::new(from, to.saturating_sub(step).max(from))
            } else {
                Span::new(from, to.saturating_add(step).min(end_us))
            };
            dispatch.emit(match marked {
                None => ViewAction::SelectTimeRange(span),
                Some(_) => ViewAction::AddClause(Clause::Allocated(span)),
            });
        } else {
            dispatch.emit(ViewAction::ChooseTime(When::At(moved)));
        }
    })
}

/// For snapshots: arrow keys move between snapshots, and with Shift they select what was allocated between two.
pub fn snapshot_keys(scene: &Rc<TimelineScene>) -> Callback<KeyboardEvent> {
    let scene = Rc::clone(scene);
    Callback::from(move |event: KeyboardEvent| {
        let WorkspaceContext { view_state, dispatch, .. } = &scene.workspace;
        let (snapshots_us, now_us) = (&scene.snapshots_us, scene.cursor_us());
        let moved = match event.key().as_str() {
            "ArrowLeft" => Some(When::At(snapshot_before(snapshots_us, now_us))),
            "ArrowRight" => Some(When::At(snapshot_after(snapshots_us, now_us))),
            "Home" => snapshots_us.first().copied().map(When::At),
            "End" => snapshots_us.last().copied().map(When::At),
            "p" => Some(When::Peak),
            _ => return,
        };
        event.prevent_default();
        dispatch.emit(match (moved, view_state.measure) {
            (Some(When::At(us)), Measure::Allocated) if event.shift_key() => {
                let from = view_state.brush().and_then(|span| span.from).unwrap_or(now_us);
                ViewAction::AddClause(Clause::Allocated(Span::new(from.min(us), us.max(from))))
            }
            (Some(moved), _) => ViewAction::MoveTime(moved),
            (None, _) => return,
        });
    })
}
