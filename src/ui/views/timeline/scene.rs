//! The state of the timeline: the responses, their position on the canvas, and the selected time. Pointer and keyboard
//! handlers and drawing read it.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::platform::pointer::Pointer;
use crate::ui::platform::size::use_size;
use crate::ui::query::use_query;
use crate::ui::store::Loaded;
use crate::ui::store::view::{Capabilities, Tab, ViewAction, ViewState};
use crate::ui::views::timeline::controls;
use crate::ui::views::timeline::two_traces::{self, TwoCurves, use_both};
use camlscope_engine::protocol::{Question, Request};
use camlscope_engine::query::filter::{Span, When};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::profile::ProfileSummary;
use camlscope_engine::query::timeline::point::PointConfig;
use camlscope_engine::query::timeline::{Graph, SeriesOf, Timeline, TimelineConfig};
use camlscope_present::layout::timeline::{Axes, Marks, Plot, Times, layer_at};
use camlscope_view::page::components::comparison;
use camlscope_view::page::query::event::SharedAnswer;
use camlscope_view::page::query::hook::QueryState;
use camlscope_view::page::views::timeline::times::ComparedTimes;

/// The maximum number of layers. With fewer, the others together can be the largest.
const TOP: usize = 40;

pub struct TimelineScene {
    pub workspace: WorkspaceContext,
    pub canvas: NodeRef,
    pub size: Option<(f64, f64)>,
    /// The curve. If two traces are compared, it is the first trace's.
    pub query: QueryState,
    /// Whether two traces are compared, and their curves once both have arrived.
    pub is_both: bool,
    pub both: Option<TwoCurves>,
    pub plot: Option<Plot>,
    pub axes: Rc<Axes>,
    /// The times that can be chosen, or empty if any time can.
    pub snapshots_us: Rc<Vec<u64>>,
}

#[hook]
pub fn use_scene(canvas: &NodeRef) -> Rc<TimelineScene> {
    let workspace = use_workspace();
    let WorkspaceContext { view_state, loaded, .. } = &workspace;
    let size = use_size(canvas);
    let is_both = comparison::shows_both(view_state, loaded);
    let query = use_query(size.map(|(width, _)| curve_request(&workspace, width, is_both)));
    let both = use_both(&workspace, is_both, size, query.answer.clone());
    let plot = match &both {
        Some(both) => Some(both.plots.before),
        None => {
            let timeline = query.get().zip(size);
            timeline.map(|(timeline, (width, height))| Plot::new(width, height, timeline))
        }
    };
    let axes = use_axes(&workspace);
    let snapshots_us = use_memo(loaded.generation, |_| snapshots_us(loaded.profile()));
    Rc::new(TimelineScene { canvas: canvas.clone(), size, query, is_both, both, plot, axes, snapshots_us, workspace })
}

/// Queries the exact figures of a curve's layers at a time.
#[hook]
pub fn use_point(scene: &TimelineScene, at: Option<When>) -> Option<SharedAnswer> {
    let shown = scene.alone().and_then(SharedAnswer::get).zip(at);
    use_query(shown.map(|(timeline, at)| point_request(&scene.workspace, timeline, at, scene.axes.graph))).answer
}

fn point_request(workspace: &WorkspaceContext, timeline: &Timeline, at: When, graph: Graph) -> Request {
    let by = workspace.view_state.timeline.layers.by(workspace.capabilities);
    let series: Vec<SeriesOf> = timeline.series.iter().map(|series| series.of.clone()).collect();
    let by = by.filter(|_| !series.is_empty());
    workspace.timeline_request(Question::Point(PointConfig { at, by, series, graph }))
}

fn curve_request(workspace: &WorkspaceContext, width: f64, is_both: bool) -> Request {
    let WorkspaceContext { view_state, loaded, capabilities, .. } = workspace;
    let end_us = loaded.main.summary.end_us;
    if let Some(other) = loaded.other.as_ref().filter(|_| is_both) {
        let shown = two_traces::shown(view_state, [end_us, other.summary.end_us]);
        return two_traces::curve_request(workspace, width, shown[0], end_us, false);
    }
    workspace.timeline_request(Question::Timeline(TimelineConfig {
        from_us: view_state.timeline.zoom.and_then(|zoom| zoom.from).unwrap_or(0),
        to_us: view_state.timeline.zoom.and_then(|zoom| zoom.to).unwrap_or(end_us),
        n_steps: (width / 2.0).clamp(16.0, 2048.0) as usize,
        by: view_state.timeline.layers.by(*capabilities),
        top: TOP,
        graph: graph(workspace),
    }))
}

/// For snapshots, the graph follows the measure. For traces and comparisons, it is always live bytes.
fn graph(WorkspaceContext { view_state, capabilities, .. }: &WorkspaceContext) -> Graph {
    match capabilities.has_snapshots && view_state.tab != Tab::Compare {
        true => view_state.graph(),
        false => Graph::LiveBytes,
    }
}

/// Memoized, because there may be many snapshots.
#[hook]
fn use_axes(workspace: &WorkspaceContext) -> Rc<Axes> {
    let WorkspaceContext { view_state, loaded, units, .. } = workspace;
    let about = (loaded.generation, graph(workspace), view_state.timeline.wall_clock, *units);
    use_memo(about, |&(_, graph, wall_clock, units)| {
        let times = match loaded.profile() {
            Some(profile) => Times::Cpu(profile.into()),
            None if wall_clock => Times::OfDay(loaded.main.summary.info.start_time_us),
            None => Times::Elapsed,
        };
        Axes { graph, times, units }
    })
}

fn snapshots_us(profile: Option<&ProfileSummary>) -> Vec<u64> {
    profile.into_iter().flat_map(|profile| &profile.snapshots).map(|snapshot| snapshot.at_us).collect()
}

fn time(view_state: &ViewState, capabilities: Capabilities) -> Option<When> {
    match view_state.measure {
        Measure::Live(when) => Some(when),
        _ => capabilities.has_snapshots.then(|| view_state.time()),
    }
}

/// Returns the time that the figures refer to, or the peak if there is none.
pub fn cursor_us(view_state: &ViewState, loaded: &Loaded) -> u64 {
    let (summary, capabilities) = (&loaded.main.summary, loaded.main.capabilities);
    match time(view_state, capabilities).unwrap_or(When::Peak) {
        When::At(us) => us,
        When::End if capabilities.has_snapshots => summary.last_event_us,
        When::End => summary.last_event_us.max(summary.end_us),
        When::Peak => summary.peak.at_us,
    }
}

impl TimelineScene {
    /// Returns the curve. If two traces are compared, it is the first trace's.
    pub fn timeline(&self) -> Option<&Timeline> {
        self.query.get()
    }

    /// Returns the curve with its layers, or `None` if two traces are compared.
    pub fn alone(&self) -> Option<&SharedAnswer> {
        self.query.answer.as_ref().filter(|_| !self.is_both)
    }

    pub fn place(&self) -> Option<(Plot, (f64, f64))> {
        self.plot.zip(self.size)
    }

    pub fn end_us(&self) -> u64 {
        self.workspace.loaded.main.summary.end_us
    }

    /// Returns the end of the axis.
    pub fn axis_us(&self) -> u64 {
        match &self.workspace.loaded.other {
            Some(other) if self.is_both && !self.workspace.view_state.compare.is_stretched => {
                self.end_us().max(other.summary.end_us)
            }
            _ => self.end_us(),
        }
    }

    /// Returns the two compared times, if the Compare tab compares times.
    pub fn times(&self) -> Option<ComparedTimes> {
        let WorkspaceContext { view_state, loaded, capabilities, .. } = &self.workspace;
        let timeline = self.timeline().filter(|_| !capabilities.has_snapshots);
        let peak_us = timeline.map_or(loaded.main.summary.peak.at_us, |timeline| timeline.peak.at_us);
        comparison::times(view_state, loaded).map(|pair| ComparedTimes::new(pair, peak_us, self.end_us()))
    }

    /// Returns the time of the filtered objects' peak, if it differs from the trace's peak.
    pub fn filter_peak_us(&self) -> Option<u64> {
        let is_wanted = !self.workspace.capabilities.has_snapshots && !self.is_both;
        let peak = self.timeline().filter(|_| is_wanted).and_then(Timeline::filter_peak);
        peak.map(|peak| peak.at_us)
    }

    /// Returns the time that the figures refer to, if there is one.
    pub fn time(&self) -> Option<When> {
        time(&self.workspace.view_state, self.workspace.capabilities)
    }

    pub fn cursor_us(&self) -> u64 {
        cursor_us(&self.workspace.view_state, &self.workspace.loaded)
    }

    /// `brush` is the time range that is being selected, if any.
    pub fn marks(&self, brush: Option<Span>) -> Marks {
        let WorkspaceContext { view_state, capabilities, .. } = &self.workspace;
        let cursor = match view_state.measure {
            // Compared times have handles instead.
            _ if view_state.tab == Tab::Compare => None,
            Measure::Live(when) => Some(when),
            Measure::Blocks if capabilities.has_snapshots => Some(view_state.time()),
            _ => None,
        };
        Marks { brush: brush.or_else(|| view_state.brush()), cursor, hover_us: None, hover_layer: None }
    }

    /// Returns the layer under the pointer.
    pub fn layer_at(&self, Pointer { x, y, .. }: Pointer) -> Option<usize> {
        layer_at(self.alone()?.get()?, &self.plot?, x, y)
    }

    /// Returns the action of a click on that layer.
    pub fn layer_action(&self, at: Pointer) -> Option<ViewAction> {
        controls::action_of(self.timeline()?.series.get(self.layer_at(at)?)?, self.workspace.capabilities)
    }
}
