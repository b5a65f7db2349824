//! The timeline strip: always there. Drag marks a stretch of time, a click asks what is live at that moment, the wheel
//! zooms; arrow keys do the same without a pointer.

mod both;
mod drag;
mod explainer;
mod handles;
mod request;
mod swatch;

use std::iter;
use std::rc::Rc;

use web_sys::{Element, KeyboardEvent, PointerEvent, WheelEvent};
use yew::prelude::*;

use self::drag::{Drag, Target};
use self::handles::{Handles, Moments};
use self::request::{as_timeline, request};
use self::swatch::Swatch;
use crate::format;
use crate::layout::names;
use crate::layout::timeline::{Marks, Plot, draw, draw_marks, paint_of};
use crate::protocol::{Question, Request};
use crate::query::filter::{Clause, Span, When};
use crate::query::measure::Measure;
use crate::query::timeline::{By, Series, SeriesOf, Timeline, TimelineConfig};
use crate::ui::components::comparison;
use crate::ui::components::explainer::explainer;
use crate::ui::components::select::{Select, SelectOption};
use crate::ui::components::text_field::TextField;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::platform::canvas::Canvas;
use crate::ui::platform::size::use_size;
use crate::ui::query::use_query;
use crate::ui::store::view::settings::TimelineSettings;
use crate::ui::store::view::{Tab, ViewAction, ViewState};

/// Layers that are status_text apart; more colours could not be.
const TOP: usize = 7;

#[component]
pub fn TimelineStrip() -> Html {
    let (canvas_ref, marks_ref) = (use_node_ref(), use_node_ref());
    let size = use_size(&canvas_ref);
    let workspace = use_workspace();
    let is_both = comparison::shows_both(&workspace.view_state, &workspace.loaded);
    let query = use_query(size.map(|(width, _)| curve_request(&workspace, width, is_both)));
    let drag = use_state(|| None::<Drag>);
    let hover_us = use_state_eq(|| None::<f64>);
    let timeline = as_timeline(query.answer.as_ref());
    let both = both::use_both(&workspace, is_both, size, query.answer.clone());
    both::use_both_drawing(&canvas_ref, &marks_ref, query.answer.clone(), both.clone(), size, *hover_us);
    let alone = query.answer.clone().filter(|_| !is_both);
    let plot = match &both {
        Some(both) => Some(both.plots.before),
        None => timeline.zip(size).map(|(timeline, (width, height))| Plot::new(width, height, timeline)),
    };
    let theme = use_context::<crate::ui::platform::theme::Theme>().unwrap_or_default();
    let place = plot.zip(size);
    use_effect_with((alone.clone(), place, start_of_day(&workspace), theme), {
        let canvas_ref = canvas_ref.clone();
        move |(timeline, place, wall_clock_us, _)| {
            let (Some(timeline), Some((plot, size))) = (as_timeline(timeline.as_ref()), place) else { return };
            if let Some(canvas) = Canvas::of(&canvas_ref, *size) {
                canvas.draw(&draw(timeline, plot, *wall_clock_us, &canvas));
            }
        }
    });
    // Apart from the curve, so that a moment that moves does not paint all of it again.
    let marked = marks(&workspace.view_state, (*drag).as_ref(), *hover_us);
    use_effect_with((alone, place, marked, theme), {
        let marks_ref = marks_ref.clone();
        move |(timeline, place, marked, _)| {
            let (Some(timeline), Some((plot, size))) = (as_timeline(timeline.as_ref()), place) else { return };
            if let Some(canvas) = Canvas::of(&marks_ref, *size) {
                canvas.draw(&draw_marks(timeline, plot, marked, &canvas));
            }
        }
    });
    let WorkspaceContext { view_state, dispatch, loaded, .. } = &workspace;
    let end_us = loaded.main.summary.end_us;
    let axis_us = match &loaded.other {
        Some(other) if is_both && !view_state.compare.is_stretched => end_us.max(other.summary.end_us),
        _ => end_us,
    };
    let peak_us = timeline.map_or(loaded.main.summary.peak.at_us, |timeline| timeline.peak.at_us);
    let moments = comparison::moments(view_state, loaded).map(|pair| Moments::new(pair, peak_us, end_us));
    let target = moments.map_or(Target::Filter, Target::Moments);

    let on_down = drag::down(&canvas_ref, plot, view_state.brush(), view_state.measure, target, drag.setter());
    let on_move = drag::moved(&canvas_ref, plot, drag.clone(), hover_us.setter(), dispatch.clone());
    let on_up = drag::up(&canvas_ref, plot, drag.clone(), target, dispatch.clone());
    let on_leave = {
        let hover_us = hover_us.setter();
        Callback::from(move |_: PointerEvent| hover_us.set(None))
    };
    let on_wheel = wheel(&canvas_ref, plot, axis_us, dispatch);
    let on_key = keys(view_state, end_us, dispatch);
    let reset = dispatch.reform(|_: MouseEvent| ViewAction::TimeZoom(None));

    html! {
        <section class="timeline" aria-label="Live bytes over time">
            <div class="timeline-head">
                <b class="timeline-title">{ "Live bytes" }</b>
                { explainer(explainer::QUESTION, explainer::SUMMARY, &explainer::SHAPES) }
                if is_both {
                    { both::legend() }
                } else {
                    { legend(timeline, dispatch) }
                }
                <div class="timeline-actions">
                    if view_state.timeline.zoom.is_some() {
                        <button class="quiet" onclick={reset}>{ "whole time" }</button>
                    }
                    if moments.is_none() {
                        { peak_button(dispatch) }
                    }
                    { brush_fields(view_state, dispatch) }
                    if is_both {
                        { both::alignment(view_state, dispatch) }
                    } else {
                        { stack_select(&view_state.timeline, dispatch) }
                        { clock_select(&view_state.timeline, dispatch, loaded.main.summary.info.start_time_us) }
                    }
                </div>
            </div>
            <div class="timeline-stage">
                if moments.is_some() {
                    // Two moments have handles of their own, which the keyboard moves.
                    <canvas key="curve" ref={canvas_ref} class="timeline-canvas" role="img" aria-label="Live bytes over time"
                        onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up} onpointerleave={on_leave}
                        onwheel={on_wheel} />
                } else {
                    <canvas key="curve" ref={canvas_ref} class="timeline-canvas" tabindex="0" role="slider"
                        aria-label="Moment: arrow keys move it, with shift they mark a stretch of time"
                        aria-valuemin="0" aria-valuemax={format!("{:.6}", end_us as f64 / 1e6)}
                        aria-valuenow={format!("{:.6}", cursor_us(view_state, &workspace) as f64 / 1e6)}
                        aria-valuetext={value_text(view_state, timeline)}
                        onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up} onpointerleave={on_leave}
                        onwheel={on_wheel} onkeydown={on_key} />
                }
                <canvas ref={marks_ref} class="timeline-marks" aria-hidden="true" />
                if let Some(((moments, plot), size)) = moments.zip(plot).zip(size) {
                    <Handles {moments} {plot} {size} {end_us} dispatch={dispatch.clone()} />
                }
            </div>
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
            by: view_state.timeline.stacked_by,
            top: TOP,
        }),
    )
}

/// Where ticks tell the time of day: when the trace began.
fn start_of_day(workspace: &WorkspaceContext) -> Option<u64> {
    workspace.view_state.timeline.wall_clock.then_some(workspace.loaded.main.summary.info.start_time_us)
}

fn marks(view_state: &ViewState, drag: Option<&Drag>, hover_us: Option<f64>) -> Marks {
    Marks {
        brush: drag.and_then(Drag::span).or_else(|| view_state.brush()),
        cursor: match view_state.measure {
            // Two moments that are compared have handles instead.
            Measure::Live(when) if view_state.tab != Tab::Compare => Some(when),
            _ => None,
        },
        hover_us: if drag.is_none() { hover_us } else { None },
    }
}

fn cursor_us(view_state: &ViewState, workspace: &WorkspaceContext) -> u64 {
    match view_state.measure {
        Measure::Live(When::At(us)) => us,
        Measure::Live(When::End) => workspace.loaded.main.summary.end_us,
        _ => workspace.loaded.main.summary.peak.at_us,
    }
}

fn value_text(view_state: &ViewState, timeline: Option<&Timeline>) -> String {
    let peak = timeline.map_or_else(String::new, |timeline| {
        format!("; peak {} at {}", format::bytes(timeline.peak.bytes), format::elapsed_us(timeline.peak.at_us))
    });
    let moment = match view_state.measure {
        measure @ Measure::Live(_) => measure.words(),
        _ => "no moment is chosen".to_owned(),
    };
    format!("{moment}{peak}")
}

/// Each layer's colour and name; a click shows only what it allocated.
fn legend(timeline: Option<&Timeline>, dispatch: &Callback<ViewAction>) -> Html {
    let Some(timeline) = timeline.filter(|timeline| !timeline.series.is_empty()) else {
        return Html::default();
    };
    let entry = |series: &Series| {
        let swatch = html! { <Swatch paint={paint_of(series)} /> };
        match focus_clause(series) {
            Some(clause) => {
                let onclick = dispatch.reform(move |_: MouseEvent| ViewAction::AddClause(clause.clone()));
                let title = format!("Show only {}", series.name);
                html! { <button class="legend-entry" {title} {onclick}>{ swatch }{ short(series) }</button> }
            }
            None => html! { <span class="legend-entry">{ swatch }{ short(series) }</span> },
        }
    };
    html! { <div class="legend">{ for timeline.series.iter().map(entry) }</div> }
}

fn short(series: &Series) -> String {
    match &series.of {
        SeriesOf::Frame(label) => names::plain(&label.name),
        SeriesOf::Others { n } => format!("{n} other{}", if *n == 1 { "" } else { "s" }),
        SeriesOf::Heap(_) | SeriesOf::Domain(_) => series.name.clone(),
    }
}

fn focus_clause(series: &Series) -> Option<Clause> {
    use crate::query::filter::{FrameTest, NameTest, Part};
    match &series.of {
        SeriesOf::Heap(heap) => Some(Clause::Heap(vec![*heap])),
        SeriesOf::Domain(id) => Some(Clause::Domain(vec![*id])),
        SeriesOf::Frame(label) => {
            let part = match (label.place, label.file.is_empty()) {
                (None, true) if label.name.contains(".ml") => Part::File,
                (None, true) => Part::Module,
                _ => Part::Function,
            };
            Some(Clause::Frame(FrameTest { part, name: NameTest::is(&label.name), not: false, allocating_only: false }))
        }
        SeriesOf::Others { .. } => None,
    }
}

fn peak_button(dispatch: &Callback<ViewAction>) -> Html {
    let onclick = dispatch.reform(|_: MouseEvent| ViewAction::Measure(Measure::Live(When::Peak)));
    html! { <button class="quiet" {onclick} title="Show what is live at the peak">{ "peak" }</button> }
}

/// The marked stretch as text that can be typed.
fn brush_fields(view_state: &ViewState, dispatch: &Callback<ViewAction>) -> Html {
    let Some(at) = view_state.chips.iter().position(|chip| chip.is_on && matches!(chip.clause, Clause::Allocated(_)))
    else {
        return Html::default();
    };
    let value = view_state.chips[at].clause.value();
    let on_commit = {
        let dispatch = dispatch.clone();
        Callback::from(move |input: web_sys::HtmlInputElement| {
            let typed = Clause::parse("allocated", input.value().trim());
            input.set_custom_validity(&typed.as_ref().err().map_or_else(String::new, ToString::to_string));
            let is_taken = typed.is_ok();
            match typed {
                Ok(clause) => dispatch.emit(ViewAction::SetChip(at, clause)),
                Err(_) => drop(input.report_validity()),
            }
            is_taken
        })
    };
    let clear = dispatch.reform(move |_: MouseEvent| ViewAction::RemoveChip(at));
    html! {
        <span class="brush-fields">
            <TextField class="brush-input" {value} {on_commit} label="Marked stretch of time, such as 1s..2s" />
            <button class="quiet" onclick={clear} aria-label="Unmark">{ "×" }</button>
        </span>
    }
}

fn stack_select(settings: &TimelineSettings, dispatch: &Callback<ViewAction>) -> Html {
    let choices: Vec<Option<By>> = iter::once(None).chain(By::ALL.map(Some)).collect();
    let option = |by: &Option<By>| match by {
        None => "total".into(),
        Some(by) => SelectOption::new(by.as_str(), format!("stacked by {}", by.as_str())),
    };
    let options: Vec<SelectOption> = choices.iter().map(option).collect();
    let selected = choices.iter().position(|by| *by == settings.stacked_by).unwrap_or_default();
    let on_select = dispatch.reform(move |index: usize| ViewAction::StackBy(choices.get(index).copied().flatten()));
    html! { <Select label="Tell apart" {options} {selected} {on_select} /> }
}

fn clock_select(settings: &TimelineSettings, dispatch: &Callback<ViewAction>, start_us: u64) -> Html {
    // An anonymised trace has no start.
    if start_us == 0 {
        return Html::default();
    }
    let options = vec!["elapsed".into(), SelectOption::new("wall", "time of day (UTC)")];
    let selected = usize::from(settings.wall_clock);
    let on_select = dispatch.reform(|index: usize| ViewAction::WallClock(index == 1));
    html! { <Select label="Times" {options} {selected} {on_select} /> }
}

/// The wheel zooms at the pointer.
fn wheel(canvas: &NodeRef, plot: Option<Plot>, end_us: u64, dispatch: &Callback<ViewAction>) -> Callback<WheelEvent> {
    let (canvas, dispatch) = (canvas.clone(), dispatch.clone());
    Callback::from(move |event: WheelEvent| {
        let (Some(plot), Some(element)) = (plot, canvas.cast::<Element>()) else { return };
        // Sideways scrolling is the browser's, and so is its own zoom.
        if event.ctrl_key() || event.delta_y() == 0.0 {
            return;
        }
        event.prevent_default();
        let at = plot.us(f64::from(event.client_x()) - element.get_bounding_client_rect().left());
        let factor = (event.delta_y().clamp(-100.0, 100.0) * 0.004).exp();
        let from = at - (at - plot.from_us) * factor;
        let to = at + (plot.to_us - at) * factor;
        let (from, to) = (from.max(0.0) as u64, (to.min(end_us as f64)) as u64);
        let is_whole = from == 0 && to >= end_us;
        // A thousand µs is as near as anyone needs to look.
        if to.saturating_sub(from) >= 1_000 || factor > 1.0 {
            dispatch.emit(ViewAction::TimeZoom((!is_whole).then(|| Span::new(from, to))));
        }
    })
}

/// Arrow keys move the moment; with shift they widen the marked stretch. `Home` and `End`, `p` for the peak, `Escape`.
fn keys(view_state: &Rc<ViewState>, end_us: u64, dispatch: &Callback<ViewAction>) -> Callback<KeyboardEvent> {
    let (view_state, dispatch) = (Rc::clone(view_state), dispatch.clone());
    Callback::from(move |event: KeyboardEvent| {
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
            "p" => {
                event.prevent_default();
                return dispatch.emit(ViewAction::Measure(Measure::Live(When::Peak)));
            }
            _ => return,
        };
        event.prevent_default();
        if event.shift_key() {
            let brush = view_state.brush().unwrap_or(Span::new(now, now));
            let (from, to) = (brush.from.unwrap_or(0), brush.to.unwrap_or(end_us));
            let span = if moved < now {
                Span::new(from, to.saturating_sub(step).max(from))
            } else {
                Span::new(from, to.saturating_add(step).min(end_us))
            };
            dispatch.emit(ViewAction::AddClause(Clause::Allocated(span)));
        } else {
            dispatch.emit(ViewAction::Measure(Measure::Live(When::At(moved))));
        }
    })
}
