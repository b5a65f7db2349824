//! Pointer interaction with the timeline: a click chooses a time, and a drag selects, moves or resizes a time range. A
//! drag below the curve, or of the time's own line, moves the time.

use std::rc::Rc;

use web_sys::PointerEvent;
use yew::prelude::*;

use crate::ui::context::WorkspaceContext;
use crate::ui::platform::pointer::Pointer;
use crate::ui::store::view::ViewAction;
use crate::ui::store::view::compare::{CompareAction, ComparePair};
use crate::ui::views::timeline::scene::TimelineScene;
use camlscope_engine::query::filter::{Clause, Span, When};
use camlscope_engine::query::measure::Measure;
use camlscope_present::layout::timeline::Plot;
use camlscope_view::page::views::timeline::times::ComparedTimes;

/// A drag in progress. Times are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimelineDrag {
    kind: DragKind,
    begin_us: f64,
    now_us: f64,
    begin_x: f64,
    now_x: f64,
}

/// The target of a selected time or time range.
#[derive(Clone, Copy, PartialEq)]
pub enum DragTarget {
    /// The filter, and the time of the shown live bytes.
    Filter,
    /// The two compared times. Selecting them doesn't filter.
    Times(ComparedTimes),
    /// The shown snapshot. Time ranges select what was allocated between two snapshots.
    Snapshots { selects_time_ranges: bool },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum DragKind {
    New,
    /// The original time range.
    Move(f64, f64),
    /// The end that stays fixed.
    Resize(f64),
    Scrub,
}

/// A press within this many pixels of a handle drags the handle.
const HANDLE_PX: f64 = 6.0;
/// A shorter drag is a click.
const CLICK_PX: f64 = 4.0;

impl TimelineDrag {
    /// Returns the selected time range, or `None` while the drag may still be a click.
    pub fn span(&self) -> Option<Span> {
        if self.kind == DragKind::Scrub || self.is_click() {
            return None;
        }
        let (one, two) = match self.kind {
            DragKind::New => (self.begin_us, self.now_us),
            DragKind::Move(from, to) => {
                let by = (self.now_us - self.begin_us).max(-from);
                (from + by, to + by)
            }
            DragKind::Resize(stays) => (stays, self.now_us),
            DragKind::Scrub => return None,
        };
        Some(Span::new(one.min(two).max(0.0) as u64, one.max(two) as u64))
    }

    fn is_click(&self) -> bool {
        (self.now_x - self.begin_x).abs() < CLICK_PX
    }
}

/// The position of the pointer or the keyboard.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Pointing {
    pub us: Option<f64>,
    pub layer: Option<usize>,
    /// The pointer's position in the window.
    pub client: Option<(f64, f64)>,
    /// Whether the keyboard was used last.
    pub is_keyed: bool,
}

pub fn down(scene: &Rc<TimelineScene>, drag: &UseStateHandle<Option<TimelineDrag>>) -> Callback<PointerEvent> {
    let (scene, drag) = (Rc::clone(scene), drag.clone());
    Callback::from(move |event: PointerEvent| {
        let (Some(plot), Some(at)) = (scene.plot, Pointer::on(&scene.canvas, &event)) else { return };
        if event.button() != 0 {
            return;
        }
        Pointer::capture(&scene.canvas, &event);
        let Pointer { x, y, .. } = at;
        let us = plot.pointed_us(x);
        let (view_state, target) = (&scene.workspace.view_state, target(&scene));
        let is_near = |us: f64| (plot.x(us) - x).abs() <= HANDLE_PX;
        let is_on_time = matches!(view_state.measure, Measure::Live(When::At(at)) if is_near(at as f64));
        let kind = match view_state.brush().map(|span| ends(span, &plot)) {
            _ if matches!(target, DragTarget::Times(_)) => DragKind::New,
            _ if target == (DragTarget::Snapshots { selects_time_ranges: false }) => DragKind::Scrub,
            _ if y > plot.bottom || is_on_time => DragKind::Scrub,
            Some((from, to)) if is_near(from) => DragKind::Resize(to),
            Some((from, to)) if is_near(to) => DragKind::Resize(from),
            Some((from, to)) if from < us && us < to => DragKind::Move(from, to),
            _ => DragKind::New,
        };
        drag.set(Some(TimelineDrag { kind, begin_us: us, now_us: us, begin_x: x, now_x: x }));
    })
}

pub fn moved(
    scene: &Rc<TimelineScene>,
    drag: &UseStateHandle<Option<TimelineDrag>>,
    pointing: &UseStateHandle<Pointing>,
) -> Callback<PointerEvent> {
    let (scene, drag, pointing) = (Rc::clone(scene), drag.clone(), pointing.setter());
    Callback::from(move |event: PointerEvent| {
        let (Some(plot), Some(at)) = (scene.plot, Pointer::on(&scene.canvas, &event)) else { return };
        let (x, us) = (at.x, plot.pointed_us(at.x));
        pointing.set(Pointing { us: Some(us), layer: scene.layer_at(at), client: Some(at.client), is_keyed: false });
        if let Some(under_way) = *drag {
            let now = TimelineDrag { now_us: us, now_x: x, ..under_way };
            drag.set(Some(now));
            let target = target(&scene);
            if under_way.kind == DragKind::Scrub && !(is_of_snapshots(target) && now.is_click()) {
                scene.workspace.dispatch.emit(move_to(target, us as u64));
            }
        }
    })
}

pub fn up(scene: &Rc<TimelineScene>, drag: &UseStateHandle<Option<TimelineDrag>>) -> Callback<PointerEvent> {
    let (scene, drag) = (Rc::clone(scene), drag.clone());
    Callback::from(move |event: PointerEvent| {
        let at = Pointer::on(&scene.canvas, &event);
        let (Some(plot), Some(at), Some(under_way)) = (scene.plot, at, *drag) else { return };
        let ended = TimelineDrag { now_us: plot.pointed_us(at.x), now_x: at.x, ..under_way };
        drag.set(None);
        let (now_us, target) = (ended.now_us as u64, target(&scene));
        let is_on_layer = is_of_snapshots(target) && ended.is_click();
        let layer = if is_on_layer { scene.layer_action(at) } else { None };
        let action = layer.unwrap_or_else(|| match (target, ended.span()) {
            (DragTarget::Times(_), Some(Span { from, to })) => {
                let [before, after] = [from, to].map(|us| When::At(us.unwrap_or_default()));
                ViewAction::Compare(CompareAction::Pair(ComparePair::Times { before, after }))
            }
            (DragTarget::Times(times), None) => times.with_nearer_at(now_us),
            (_, Some(span)) if ended.kind == DragKind::New => ViewAction::SelectTimeRange(span),
            (_, Some(span)) => ViewAction::AddClause(Clause::Allocated(span)),
            (_, None) => move_to(target, now_us),
        });
        scene.workspace.dispatch.emit(action);
    })
}

fn target(scene: &TimelineScene) -> DragTarget {
    let WorkspaceContext { view_state, capabilities, .. } = &scene.workspace;
    match scene.times() {
        Some(times) => DragTarget::Times(times),
        None if capabilities.has_snapshots => {
            DragTarget::Snapshots { selects_time_ranges: view_state.measure == Measure::Allocated }
        }
        None => DragTarget::Filter,
    }
}

fn is_of_snapshots(target: DragTarget) -> bool {
    matches!(target, DragTarget::Snapshots { .. })
}

fn move_to(target: DragTarget, us: u64) -> ViewAction {
    match target {
        DragTarget::Snapshots { .. } => ViewAction::MoveTime(When::At(us)),
        DragTarget::Filter | DragTarget::Times(_) => ViewAction::ChooseTime(When::At(us)),
    }
}

fn ends(span: Span, plot: &Plot) -> (f64, f64) {
    (span.from.map_or(plot.from_us, |us| us as f64), span.to.map_or(plot.to_us, |us| us as f64))
}
