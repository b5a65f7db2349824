//! The timeline strip: always there. Drag marks a stretch of time, a click asks what is live at that moment, the wheel
//! zooms; arrow keys do the same without a pointer.

mod both;
mod controls;
mod drag;
mod explainer;
mod handles;
mod height;
mod keys;
mod request;
mod saved;
mod so_far;
mod swatch;
mod tip;

use std::rc::Rc;

use web_sys::{Element, PointerEvent};
use yew::prelude::*;

use self::drag::{Drag, Target};
use self::handles::{Handles, Moments};
use self::height::HeightHandle;
use self::request::{as_point, as_timeline, request};
use self::tip::Tip;
use crate::ui::components::comparison;
use crate::ui::components::explainer::explainer;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::platform::canvas::Canvas;
use crate::ui::platform::size::use_size;
use crate::ui::query::use_query;
use crate::ui::store::view::{Tab, ViewAction};
use camlscope_engine::protocol::{Question, Request};
use camlscope_engine::query::filter::{Span, When};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::profile::ProfileSummary;
use camlscope_engine::query::timeline::point::TimelinePoint;
use camlscope_engine::query::timeline::{Graph, Timeline, TimelineConfig};
use camlscope_present::format;
use camlscope_present::layout::timeline::{Axes, Marks, Plot, Reading, TimeRange, Times, draw, draw_marks, layer_at};
use camlscope_present::words;

/// Layers that are told apart at once, and when the reader wants more of them.
const TOP: usize = 14;
const TOP_OPENED: usize = 40;

#[component]
pub fn TimelineStrip() -> Html {
    let (canvas_ref, marks_ref, stage_ref) = (use_node_ref(), use_node_ref(), use_node_ref());
    let size = use_size(&canvas_ref);
    let workspace = use_workspace();
    let is_both = comparison::shows_both(&workspace.view_state, &workspace.loaded);
    let query = use_query(size.map(|(width, _)| curve_request(&workspace, width, is_both)));
    let drag = use_state(|| None::<Drag>);
    let hover_us = use_state_eq(|| None::<f64>);
    let hover_layer = use_state_eq(|| None::<usize>);
    // In the window; `None` if keys move the moment.
    let pointer_at = use_state_eq(|| None::<(f64, f64)>);
    let is_keyed = use_state_eq(|| false);
    let timeline = as_timeline(query.answer.as_ref());
    let both = both::use_both(&workspace, is_both, size, query.answer.clone());
    both::use_both_drawing(&workspace, [&canvas_ref, &marks_ref], query.answer.clone(), both.clone(), size, *hover_us);
    let alone = query.answer.clone().filter(|_| !is_both);
    let plot = match &both {
        Some(both) => Some(both.plots.before),
        None => timeline.zip(size).map(|(timeline, (width, height))| Plot::new(width, height, timeline)),
    };
    let theme = use_context::<crate::ui::platform::theme::Theme>().unwrap_or_default();
    let place = plot.zip(size);
    let axes = use_axes(&workspace);
    let is_unanswered = query.answer.is_none() && query.error.is_none() && !is_both;
    so_far::use_so_far(&canvas_ref, &workspace, size, &axes, is_unanswered);
    use_effect_with((alone.clone(), place, Rc::clone(&axes), Rc::clone(&workspace.colors), theme), {
        let canvas_ref = canvas_ref.clone();
        move |(timeline, place, axes, colors, _)| {
            let (Some(timeline), Some((plot, size))) = (as_timeline(timeline.as_ref()), place) else { return };
            if let Some(canvas) = Canvas::of(&canvas_ref, *size) {
                canvas.draw(&draw(timeline, plot, axes, colors, &canvas));
            }
        }
    });
    saved::use_timeline_picture(
        &workspace,
        timeline.is_some().then(|| saved::Curve {
            answer: alone.clone(),
            both: query.answer.clone().zip(both.clone()),
            place,
            axes: Rc::clone(&axes),
            marks: marks(&workspace, None, None),
        }),
    );
    // Apart from the curve, so that a moment that moves does not paint all of it again.
    let marked = Marks { hover_layer: *hover_layer, ..marks(&workspace, (*drag).as_ref(), *hover_us) };
    let (brush, marked_moment) = (marked.brush, marked.cursor);
    let read_at = |when: Option<When>| {
        let timeline = timeline.filter(|_| !is_both)?;
        Some(request::point_request(&workspace, timeline, when?, axes.graph))
    };
    let hovered = use_query(read_at(marked.hover_us.map(|us| When::At(us as u64)))).answer;
    let chosen = use_query(read_at(moment(&workspace))).answer;
    use_effect_with((alone, place, Rc::clone(&axes), marked, hovered.clone(), theme), {
        let marks_ref = marks_ref.clone();
        move |(timeline, place, axes, marked, hovered, _)| {
            let (Some(timeline), Some((plot, size))) = (as_timeline(timeline.as_ref()), place) else { return };
            if let Some(canvas) = Canvas::of(&marks_ref, *size) {
                canvas.draw(&draw_marks(timeline, plot, axes, marked, as_point(hovered.as_ref()), &canvas));
            }
        }
    });
    let WorkspaceContext { view_state, dispatch, loaded, .. } = &workspace;
    let end_us = loaded.main.summary.end_us;
    let axis_us = match &loaded.other {
        Some(other) if is_both && !view_state.compare.is_stretched => end_us.max(other.summary.end_us),
        _ => end_us,
    };
    let is_profile = loaded.is_profile();
    let peak_us =
        timeline.filter(|_| !is_profile).map_or(loaded.main.summary.peak.at_us, |timeline| timeline.peak.at_us);
    let moments = comparison::moments(view_state, loaded).map(|pair| Moments::new(pair, peak_us, end_us));
    let target = match moments {
        Some(moments) => Target::Moments(moments),
        None if is_profile => Target::Snapshots { marks_stretches: view_state.measure == Measure::Allocated },
        None => Target::Filter,
    };
    let layer = Callback::from({
        let answer = query.answer.clone().filter(|_| !is_both);
        move |(x, y): (f64, f64)| layer_at(as_timeline(answer.as_ref())?, &plot?, x, y)
    });
    let on_layer = Callback::from({
        let (answer, layer) = (query.answer.clone(), layer.clone());
        move |at: (f64, f64)| {
            let series = &as_timeline(answer.as_ref())?.series;
            controls::action_of(series.get(layer.emit(at)?)?, true)
        }
    });
    let snapshots_us = use_memo(loaded.generation, |_| snapshots_us(loaded.profile()));

    let on_down = drag::down(&canvas_ref, plot, view_state.brush(), view_state.measure, target, drag.setter());
    let on_move = drag::moved(&canvas_ref, plot, drag.clone(), target, hover_us.setter(), dispatch.clone());
    let on_move = {
        let (canvas_ref, hover_layer) = (canvas_ref.clone(), hover_layer.setter());
        let (pointer_at, is_keyed) = (pointer_at.setter(), is_keyed.setter());
        Callback::from(move |event: PointerEvent| {
            is_keyed.set(false);
            pointer_at.set(Some((f64::from(event.client_x()), f64::from(event.client_y()))));
            hover_layer.set(drag::pointed(&canvas_ref, &event).and_then(|at| layer.emit(at)));
            on_move.emit(event);
        })
    };
    let on_up = drag::up(&canvas_ref, plot, drag.clone(), target, on_layer, dispatch.clone());
    let on_leave = {
        let (hover_us, hover_layer) = (hover_us.setter(), hover_layer.setter());
        Callback::from(move |_: PointerEvent| {
            hover_us.set(None);
            hover_layer.set(None);
        })
    };
    let on_wheel = keys::wheel(&canvas_ref, plot, axis_us, dispatch);
    let cursor_us = cursor_us(&workspace);
    let filter_peak = timeline.filter(|_| !is_profile && !is_both).and_then(Timeline::filter_peak);
    let filter_peak_us = filter_peak.map(|peak| peak.at_us);
    let on_key = match is_profile {
        true => keys::snapshot_keys(view_state, &snapshots_us, cursor_us, dispatch),
        false => keys::keys(view_state, end_us, filter_peak_us, dispatch),
    };
    let on_key = {
        let is_keyed = is_keyed.setter();
        Callback::from(move |event: KeyboardEvent| {
            is_keyed.set(event.key() != "Escape" && event.key() != "Tab");
            on_key.emit(event);
        })
    };
    let on_blur = {
        let is_keyed = is_keyed.setter();
        Callback::from(move |_: FocusEvent| is_keyed.set(false))
    };
    let read = match *hover_us {
        Some(us) if drag.is_none() => Some((us, &hovered)),
        None if *is_keyed && marked_moment.is_some() => Some((cursor_us as f64, &chosen)),
        _ => None,
    };
    let tip = read.zip(query.answer.clone().filter(|_| !is_both)).and_then(|((us, point), answer)| {
        let plot = plot?;
        let reading = Reading::new(as_timeline(Some(&answer))?, as_point(point.as_ref())?, &plot, &axes, us)?;
        let at = (*pointer_at).filter(|_| !*is_keyed).or_else(|| {
            let area = canvas_ref.cast::<Element>()?.get_bounding_client_rect();
            Some((area.left() + plot.x(us), area.top() + plot.top))
        })?;
        let pointed = *hover_layer;
        (!reading.layers.is_empty()).then(|| html! { <Tip {answer} {reading} {pointed} {at} /> })
    });
    let reset = dispatch.reform(|_: MouseEvent| ViewAction::TimeZoom(None));

    let title = saved::title(axes.graph);
    let (about, keys_words) = match is_profile {
        true => (explainer::OF_PROFILE, "Moment: arrow keys go from snapshot to snapshot"),
        false => (explainer::SUMMARY, "Moment: arrow keys move it, with shift they mark a stretch of time"),
    };
    html! {
        <section class="timeline" aria-label={title}>
            <div class="timeline-head">
                if is_profile && moments.is_none() && !is_both {
                    { controls::graph_switch(view_state, dispatch) }
                } else {
                    <b class="timeline-title">{ "Live bytes" }</b>
                }
                { explainer(explainer::QUESTION, about, &explainer::SHAPES) }
                <div class="timeline-actions">
                    if view_state.timeline.zoom.is_some() {
                        <button class="quiet" onclick={reset}>{ "whole time" }</button>
                    }
                    if moments.is_none() {
                        { controls::peak_buttons(is_profile, filter_peak_us, dispatch) }
                    }
                    { controls::brush_fields(view_state, dispatch) }
                    if is_both {
                        { both::alignment(view_state, dispatch) }
                    } else {
                        { controls::stack_select(&view_state.timeline, is_profile, dispatch) }
                        { controls::clock_select(&view_state.timeline, dispatch, loaded.main.summary.info.start_time_us) }
                    }
                </div>
            </div>
            if is_both {
                { both::legend() }
            } else {
                { controls::legend(timeline, view_state.timeline.shows_others, is_profile, &workspace.colors, dispatch) }
            }
            <div class="timeline-stage" ref={stage_ref.clone()}>
                if moments.is_some() {
                    // Two moments have handles of their own, which the keyboard moves.
                    <canvas key="curve" ref={canvas_ref} class="timeline-canvas" role="img" aria-label={title}
                        onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up} onpointerleave={on_leave}
                        onwheel={on_wheel} />
                } else {
                    <canvas key="curve" ref={canvas_ref} tabindex="0" role="slider"
                        class={classes!("timeline-canvas", hover_layer.filter(|_| is_profile).map(|_| "is-on-layer"))} aria-label={keys_words}
                        aria-valuemin="0" aria-valuemax={format!("{:.6}", end_us as f64 / 1e6)}
                        aria-valuenow={format!("{:.6}", cursor_us as f64 / 1e6)}
                        aria-valuetext={value_text(&workspace, timeline.zip(plot), as_point(chosen.as_ref()), &axes, brush)}
                        onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up} onpointerleave={on_leave}
                        onwheel={on_wheel} onkeydown={on_key} onblur={on_blur} />
                }
                <canvas ref={marks_ref} class="timeline-marks" aria-hidden="true" />
                if let Some(((moments, plot), size)) = moments.zip(plot).zip(size) {
                    <Handles {moments} {plot} {size} {end_us} snapshots_us={Rc::clone(&snapshots_us)} dispatch={dispatch.clone()} />
                }
            </div>
            <HeightHandle stage={stage_ref} height={size.map(|size| size.1)} />
            { tip.unwrap_or_default() }
            { loaded.profile().map(events) }
        </section>
    }
}

fn curve_request(workspace: &WorkspaceContext, width: f64, is_both: bool) -> Request {
    let WorkspaceContext { view_state, loaded, .. } = workspace;
    let end_us = loaded.main.summary.end_us;
    if let Some(other) = loaded.other.as_ref().filter(|_| is_both) {
        let shown = both::shown(view_state, [end_us, other.summary.end_us]);
        return both::curve_request(workspace, width, shown[0], end_us, false);
    }
    request(
        workspace,
        Question::Timeline(TimelineConfig {
            from_us: view_state.timeline.zoom.and_then(|zoom| zoom.from).unwrap_or(0),
            to_us: view_state.timeline.zoom.and_then(|zoom| zoom.to).unwrap_or(end_us),
            n_steps: (width / 2.0).clamp(16.0, 2048.0) as usize,
            by: view_state.timeline.layers.by(loaded.is_profile()),
            top: if view_state.timeline.shows_others { TOP_OPENED } else { TOP },
            graph: graph(workspace),
        }),
    )
}

/// A profile's curve is that of what is shown; a trace has one alone, and so have two moments that are compared.
fn graph(WorkspaceContext { view_state, loaded, .. }: &WorkspaceContext) -> Graph {
    match loaded.is_profile() && view_state.tab != Tab::Compare {
        true => view_state.graph(),
        false => Graph::LiveBytes,
    }
}

/// A profile may have many snapshots, so they are listed once.
#[hook]
fn use_axes(workspace: &WorkspaceContext) -> Rc<Axes> {
    let WorkspaceContext { view_state, loaded, units, .. } = workspace;
    let about = (loaded.generation, graph(workspace), view_state.timeline.wall_clock, *units);
    use_memo(about, |&(_, graph, wall_clock, units)| {
        let times = match loaded.profile() {
            Some(profile) => Times::Processor(profile.into()),
            None if wall_clock => Times::OfDay(loaded.main.summary.info.start_time_us),
            None => Times::Elapsed,
        };
        Axes { graph, times, units }
    })
}

fn snapshots_us(profile: Option<&ProfileSummary>) -> Vec<u64> {
    profile.into_iter().flat_map(|profile| &profile.snapshots).map(|snapshot| snapshot.at_us).collect()
}

/// The flags of the timeline, for those who do not see them.
fn events(profile: &ProfileSummary) -> Html {
    if profile.marks.is_empty() {
        return Html::default();
    }
    let events = profile.marks.iter().map(|mark| {
        html! { <li>{ format!("{} at {} of processor time", mark.name, format::elapsed_us(mark.at_us)) }</li> }
    });
    html! { <ul class="visually-hidden" aria-label="Events that the program named">{ for events }</ul> }
}

fn marks(
    WorkspaceContext { view_state, loaded, .. }: &WorkspaceContext,
    drag: Option<&Drag>,
    hover_us: Option<f64>,
) -> Marks {
    Marks {
        brush: drag.and_then(Drag::span).or_else(|| view_state.brush()),
        cursor: match view_state.measure {
            // Two moments that are compared have handles instead.
            _ if view_state.tab == Tab::Compare => None,
            Measure::Live(when) => Some(when),
            Measure::Blocks if loaded.is_profile() => Some(view_state.moment()),
            _ => None,
        },
        hover_us: if drag.is_none() { hover_us } else { None },
        hover_layer: None,
    }
}

/// The time that the figures are about, if they are about one.
fn moment(WorkspaceContext { view_state, loaded, .. }: &WorkspaceContext) -> Option<When> {
    match view_state.measure {
        Measure::Live(when) => Some(when),
        _ => loaded.is_profile().then(|| view_state.moment()),
    }
}

fn cursor_us(workspace: &WorkspaceContext) -> u64 {
    let WorkspaceContext { loaded, .. } = workspace;
    let summary = &loaded.main.summary;
    match moment(workspace).unwrap_or(When::Peak) {
        When::At(us) => us,
        When::End => summary.last_event_us.max(if loaded.is_profile() { 0 } else { summary.end_us }),
        When::Peak => summary.peak.at_us,
    }
}

/// The moment, what every layer has there, the peak, and the marked stretch.
fn value_text(
    workspace: &WorkspaceContext,
    shown: Option<(&Timeline, Plot)>,
    point: Option<&TimelinePoint>,
    axes: &Axes,
    brush: Option<Span>,
) -> String {
    let (view_state, timeline) = (&workspace.view_state, shown.map(|(timeline, _)| timeline));
    let peak = timeline.filter(|_| axes.graph != Graph::Allocated).map_or_else(String::new, |timeline| {
        let (name, trace_peak) = match timeline.filter_peak() {
            Some(_) => {
                let at = axes.time_words(timeline.unfiltered_peak.at_us);
                ("filter’s peak", format!("; trace’s peak at {at}"))
            }
            None => ("peak", String::new()),
        };
        let at = axes.time_words(timeline.peak.at_us);
        format!("; {name} {} at {at}{trace_peak}", axes.amount(timeline.peak.bytes))
    });
    let moment = match (view_state.measure, &axes.times) {
        (Measure::Live(When::At(us)), _) => format!("live at {}", axes.time_words(us)),
        (measure @ Measure::Live(_), _) => words::measure::measure(measure),
        (measure, Times::Processor(_)) => {
            let verb = if measure == Measure::Allocated { "allocated up to" } else { "live at" };
            match view_state.moment() {
                When::At(us) => format!("{verb} {}", axes.time_words(us)),
                when => format!("{verb} {}", comparison::moment_words(when)),
            }
        }
        _ => "no moment is chosen".to_owned(),
    };
    let marked = timeline.zip(brush).map_or_else(String::new, |(timeline, span)| {
        format!("; marked {}", TimeRange::new(span, timeline, axes.graph).words(axes))
    });
    let figures = shown.zip(point).filter(|_| self::moment(workspace).is_some());
    let figures = figures
        .and_then(|((timeline, plot), point)| tip::words(timeline, point, &plot, axes, cursor_us(workspace) as f64));
    let figures = figures.map_or_else(String::new, |figures| format!(", {figures}"));
    format!("{moment}{figures}{peak}{marked}")
}
