//! The timeline while two traces are compared, with both curves overlaid. They are aligned at the start or scaled to
//! the same length.

use yew::prelude::*;

use crate::ui::components::select::{options, select};
use crate::ui::context::WorkspaceContext;
use crate::ui::query::use_query;
use crate::ui::store::view::compare::CompareAction;
use crate::ui::store::view::{ViewAction, ViewState};
use crate::ui::views::timeline::swatch::Swatch;
use camlscope_engine::protocol::{Question, Request};
use camlscope_engine::query::filter::{Span, When};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::timeline::{Graph, Timeline, TimelineConfig};
use camlscope_present::layout::draw::Paint;
use camlscope_present::layout::timeline::BothPlots;
use camlscope_view::page::query::event::SharedAnswer;

/// The second trace's curve, and the position of both.
#[derive(Clone, PartialEq)]
pub struct TwoCurves {
    pub plots: BothPlots,
    pub after: SharedAnswer,
    /// The compared times, in microseconds of each trace.
    pub times: [Option<f64>; 2],
}

/// Returns the visible time range of each trace in microseconds. The timeline's zoom refers to the first trace.
pub fn shown(view_state: &ViewState, ends_us: [u64; 2]) -> [(f64, f64); 2] {
    let [end_a, end_b] = ends_us.map(|us| us.max(1) as f64);
    let axis_us = if view_state.compare.is_stretched { end_a } else { end_a.max(end_b) };
    let zoom = view_state.timeline.zoom.unwrap_or(Span { from: None, to: None });
    let from = zoom.from.map_or(0.0, |us| us as f64).min(axis_us - 1.0).max(0.0);
    let to = zoom.to.map_or(axis_us, |us| us as f64).clamp(from + 1.0, axis_us.max(from + 1.0));
    let ratio = if view_state.compare.is_stretched { end_b / end_a } else { 1.0 };
    [(from, to), (from * ratio, to * ratio)]
}

/// Builds the request for one of the two curves. The number of steps depends on its share of the width.
pub fn curve_request(
    workspace: &WorkspaceContext,
    width: f64,
    (from_us, to_us): (f64, f64),
    end_us: u64,
    is_other: bool,
) -> Request {
    let (from, to) = (from_us.min(end_us as f64), to_us.min(end_us as f64));
    let part = ((to - from) / (to_us - from_us)).clamp(0.0, 1.0);
    let n_steps = ((width / 2.0) * part).clamp(2.0, 2048.0) as usize;
    let config = TimelineConfig {
        from_us: from as u64,
        to_us: to.ceil() as u64,
        n_steps,
        by: None,
        top: 0,
        graph: Graph::LiveBytes,
    };
    let question = Question::Timeline(config);
    workspace.timeline_request(if is_other { Question::OfOther(Box::new(question)) } else { question })
}

/// `before` is the response about the first trace. Returns `None` until there are two curves to draw.
#[hook]
pub fn use_both(
    workspace: &WorkspaceContext,
    is_wanted: bool,
    size: Option<(f64, f64)>,
    before: Option<SharedAnswer>,
) -> Option<TwoCurves> {
    let view_state = &workspace.view_state;
    let summaries = workspace.loaded.other.as_ref().filter(|_| is_wanted);
    let summaries = summaries.map(|other| [&workspace.loaded.main.summary, &other.summary]);
    let shown = summaries.map(|both| (both, shown(view_state, both.map(|summary| summary.end_us))));
    let query = use_query(
        shown
            .as_ref()
            .zip(size)
            .map(|((both, shown), (width, _))| curve_request(workspace, width, shown[1], both[1].end_us, true)),
    );
    let ((summaries, shown), size) = shown.zip(size)?;
    let (before, after) = (before?, query.answer.clone()?);
    let curves = [before.get::<Timeline>()?, after.get()?];
    let plots = BothPlots {
        is_stretched: view_state.compare.is_stretched,
        is_cpu_time: workspace.capabilities.has_snapshots,
        units: workspace.units,
        ..BothPlots::new(size, curves, shown)
    };
    let time = |which: usize| match view_state.measure {
        Measure::Live(When::Peak) => Some(curves[which].peak.at_us as f64),
        Measure::Live(When::End) => Some(summaries[which].end_us as f64),
        Measure::Live(When::At(us)) => Some(us as f64),
        _ => None,
    };
    let times = [time(0), time(1)];
    Some(TwoCurves { plots, after, times })
}

pub fn legend() -> Html {
    html! {
        <div class="legend">
            <span class="legend-entry"><Swatch paint={Paint::Before} />{ "A (before)" }</span>
            <span class="legend-entry"><Swatch paint={Paint::After} />{ "B (after)" }</span>
        </div>
    }
}

/// How the time axes of the two curves are aligned.
pub fn alignment(view_state: &ViewState, dispatch: &Callback<ViewAction>) -> Html {
    let choices = options(&[(false, "start", "aligned at start"), (true, "stretched", "scaled to same length")]);
    let on_choice = dispatch.reform(|is_stretched| ViewAction::Compare(CompareAction::Stretched(is_stretched)));
    select("Alignment", choices, &view_state.compare.is_stretched, on_choice)
}
