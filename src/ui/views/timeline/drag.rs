//! What a pointer does on the timeline: a click is a moment, a drag marks a stretch, moves it, or takes it by a handle. A
//! drag below the curve, or of the moment's own line, moves the moment along.

use web_sys::{Element, PointerEvent};
use yew::prelude::*;

use crate::ui::store::view::ViewAction;
use crate::ui::store::view::compare::{CompareAction, ComparePair};
use crate::ui::views::timeline::handles::Moments;
use camlscope_engine::query::filter::{Clause, Span, When};
use camlscope_engine::query::measure::Measure;
use camlscope_present::layout::timeline::Plot;

/// A drag under way, in µs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    kind: Kind,
    begin_us: f64,
    now_us: f64,
    begin_x: f64,
    now_x: f64,
}

/// What a stretch or a moment is for.
#[derive(Clone, Copy, PartialEq)]
pub enum Target {
    /// A clause of the filter, and the moment that is shown.
    Filter,
    /// The two moments that are compared. Marking them filters nothing.
    Moments(Moments),
    /// The snapshot of a profile that is shown; stretches are for what was allocated between two.
    Snapshots { marks_stretches: bool },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    New,
    /// The stretch as it was.
    Move(f64, f64),
    /// The end that stays.
    Resize(f64),
    Scrub,
}

/// A press within this many pixels of a handle takes the handle.
const HANDLE_PX: f64 = 6.0;
/// A shorter drag is a click.
const CLICK_PX: f64 = 4.0;

impl Drag {
    /// The stretch that it marks; none while it may still be a click.
    pub fn span(&self) -> Option<Span> {
        if self.kind == Kind::Scrub || self.is_click() {
            return None;
        }
        let (one, two) = match self.kind {
            Kind::New => (self.begin_us, self.now_us),
            Kind::Move(from, to) => {
                let by = (self.now_us - self.begin_us).max(-from);
                (from + by, to + by)
            }
            Kind::Resize(stays) => (stays, self.now_us),
            Kind::Scrub => return None,
        };
        Some(Span::new(one.min(two).max(0.0) as u64, one.max(two) as u64))
    }

    fn is_click(&self) -> bool {
        (self.now_x - self.begin_x).abs() < CLICK_PX
    }
}

pub fn down(
    canvas: &NodeRef,
    plot: Option<Plot>,
    brush: Option<Span>,
    measure: Measure,
    target: Target,
    set: UseStateSetter<Option<Drag>>,
) -> Callback<PointerEvent> {
    let canvas = canvas.clone();
    Callback::from(move |event: PointerEvent| {
        let (Some(plot), Some(element)) = (plot, canvas.cast::<Element>()) else { return };
        if event.button() != 0 {
            return;
        }
        let _ = element.set_pointer_capture(event.pointer_id());
        let x = pointer_x(&element, &event);
        let us = plot.pointed_us(x);
        let is_on_moment = matches!(measure, Measure::Live(When::At(at)) if (plot.x(at as f64) - x).abs() <= HANDLE_PX);
        let is_below = f64::from(event.client_y()) - element.get_bounding_client_rect().top() > plot.bottom;
        let kind = match brush.map(|span| ends(span, &plot)) {
            _ if matches!(target, Target::Moments(_)) => Kind::New,
            _ if target == (Target::Snapshots { marks_stretches: false }) => Kind::Scrub,
            _ if is_below || is_on_moment => Kind::Scrub,
            Some((from, to)) if (plot.x(from) - x).abs() <= HANDLE_PX => Kind::Resize(to),
            Some((from, to)) if (plot.x(to) - x).abs() <= HANDLE_PX => Kind::Resize(from),
            Some((from, to)) if from < us && us < to => Kind::Move(from, to),
            _ => Kind::New,
        };
        set.set(Some(Drag { kind, begin_us: us, now_us: us, begin_x: x, now_x: x }));
    })
}

pub fn moved(
    canvas: &NodeRef,
    plot: Option<Plot>,
    drag: UseStateHandle<Option<Drag>>,
    target: Target,
    hover: UseStateSetter<Option<f64>>,
    dispatch: Callback<ViewAction>,
) -> Callback<PointerEvent> {
    let canvas = canvas.clone();
    Callback::from(move |event: PointerEvent| {
        let (Some(plot), Some(element)) = (plot, canvas.cast::<Element>()) else { return };
        let x = pointer_x(&element, &event);
        hover.set(Some(plot.pointed_us(x)));
        if let Some(under_way) = *drag {
            let now = Drag { now_us: plot.pointed_us(x), now_x: x, ..under_way };
            drag.set(Some(now));
            if under_way.kind == Kind::Scrub && !(is_of_profile(target) && now.is_click()) {
                dispatch.emit(move_to(target, now.now_us as u64));
            }
        }
    })
}

pub fn up(
    canvas: &NodeRef,
    plot: Option<Plot>,
    drag: UseStateHandle<Option<Drag>>,
    target: Target,
    on_layer: Callback<(f64, f64), Option<ViewAction>>,
    dispatch: Callback<ViewAction>,
) -> Callback<PointerEvent> {
    let canvas = canvas.clone();
    Callback::from(move |event: PointerEvent| {
        let (Some(plot), Some(element), Some(under_way)) = (plot, canvas.cast::<Element>(), *drag) else { return };
        let x = pointer_x(&element, &event);
        let ended = Drag { now_us: plot.pointed_us(x), now_x: x, ..under_way };
        drag.set(None);
        let now_us = ended.now_us as u64;
        let layer = is_of_profile(target) && ended.is_click();
        let layer = layer.then(|| pointed(&canvas, &event)).flatten().and_then(|at| on_layer.emit(at));
        if let Some(action) = layer {
            return dispatch.emit(action);
        }
        dispatch.emit(match (target, ended.span()) {
            (Target::Moments(_), Some(Span { from, to })) => {
                let [before, after] = [from, to].map(|us| When::At(us.unwrap_or_default()));
                ViewAction::Compare(CompareAction::Pair(ComparePair::Moments { before, after }))
            }
            (Target::Moments(moments), None) => moments.with_nearer_at(now_us),
            (_, Some(span)) if ended.kind == Kind::New => ViewAction::MarkStretch(span),
            (_, Some(span)) => ViewAction::AddClause(Clause::Allocated(span)),
            (_, None) => move_to(target, now_us),
        });
    })
}

/// The pointer's place on the canvas.
pub fn pointed(canvas: &NodeRef, event: &PointerEvent) -> Option<(f64, f64)> {
    let area = canvas.cast::<Element>()?.get_bounding_client_rect();
    Some((f64::from(event.client_x()) - area.left(), f64::from(event.client_y()) - area.top()))
}

fn is_of_profile(target: Target) -> bool {
    matches!(target, Target::Snapshots { .. })
}

fn move_to(target: Target, us: u64) -> ViewAction {
    match target {
        Target::Snapshots { .. } => ViewAction::MoveMoment(When::At(us)),
        Target::Filter | Target::Moments(_) => ViewAction::Measure(Measure::Live(When::At(us))),
    }
}

fn ends(span: Span, plot: &Plot) -> (f64, f64) {
    (span.from.map_or(plot.from_us, |us| us as f64), span.to.map_or(plot.to_us, |us| us as f64))
}

fn pointer_x(element: &Element, event: &PointerEvent) -> f64 {
    f64::from(event.client_x()) - element.get_bounding_client_rect().left()
}
