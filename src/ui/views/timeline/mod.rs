//! The timeline strip: always there. Drag marks a stretch of time, a click asks what is live at that moment, the wheel
//! zooms; arrow keys do the same without a pointer.

mod drag;
mod shapes;

use std::rc::Rc;

use web_sys::{Element, HtmlSelectElement, KeyboardEvent, PointerEvent, WheelEvent};
use yew::prelude::*;

use self::drag::Drag;
use crate::format;
use crate::layout::draw::Paint;
use crate::layout::names;
use crate::layout::timeline::{Marks, Plot, draw, draw_marks, paint_of};
use crate::protocol::{Answer, Channel, Question, Request};
use crate::query::filter::{Clause, Filter, Span, When};
use crate::query::findings;
use crate::query::measure::Measure;
use crate::query::timeline::{Series, SeriesOf, Timeline, TimelineConfig};
use crate::ui::asking::{Known, use_answer};
use crate::ui::canvas::Canvas;
use crate::ui::effect::use_effect_with;
use crate::ui::look::{BYS, Look, Turn, by_word};
use crate::ui::parts::reading::reading;
use crate::ui::piece::{Piece, piece};
use crate::ui::size::use_size;
use crate::ui::workspace::{Work, use_work};

const CHANNEL: Channel = Channel(1);
/// Layers that are told apart; more colours could not be.
const TOP: usize = 7;

#[derive(PartialEq)]
pub struct TimelineStrip;

piece!(TimelineStrip, use_timeline_strip());

#[hook]
fn use_timeline_strip() -> Html {
    let canvas_ref = use_node_ref();
    let size = use_size(&canvas_ref);
    let work = use_work();
    let request = work.as_ref().zip(size).map(|(work, (width, _))| request(work, width));
    let asked = use_answer(CHANNEL, request);
    let drag = use_state(|| None::<Drag>);
    let hover_us = use_state_eq(|| None::<f64>);
    let timeline = timeline_of(&asked.answer);
    let plot = timeline.zip(size).map(|(timeline, (width, height))| Plot::new(width, height, timeline));
    let theme = use_context::<crate::ui::theme::Theme>().unwrap_or_default();
    let place = plot.zip(size);
    use_effect_with((asked.answer.clone(), place, work.as_ref().and_then(start_of_day), theme), {
        let canvas_ref = canvas_ref.clone();
        move |(timeline, place, wall_clock_us, _)| {
            let (Some(timeline), Some((plot, size))) = (timeline_of(timeline), place) else { return };
            if let Some(canvas) = Canvas::of(&canvas_ref, *size) {
                canvas.draw(&draw(timeline, plot, *wall_clock_us, &canvas));
            }
        }
    });
    // Apart from the curve, so that a moment that moves does not paint all of it again.
    let marks_ref = use_node_ref();
    let marked = work.as_ref().map(|work| marks(&work.look, (*drag).as_ref(), *hover_us));
    use_effect_with((asked.answer.clone(), place, marked, theme), {
        let marks_ref = marks_ref.clone();
        move |(timeline, place, marked, _)| {
            let (Some(timeline), Some((plot, size))) = (timeline_of(timeline), place) else { return };
            if let Some((canvas, marks)) = Canvas::of(&marks_ref, *size).zip(marked.as_ref()) {
                canvas.draw(&draw_marks(timeline, plot, marks, &canvas));
            }
        }
    });
    let Some(work) = work else {
        return Html::default();
    };
    let Work { look, turn, loaded, .. } = &work;
    let end_us = loaded.main.summary.end_us;

    let on_down = drag::down(&canvas_ref, plot, look.brush(), look.measure, drag.setter());
    let on_move = drag::moved(&canvas_ref, plot, drag.clone(), hover_us.setter(), turn.clone());
    let on_up = drag::up(&canvas_ref, plot, drag.clone(), turn.clone());
    let on_leave = {
        let hover_us = hover_us.setter();
        Callback::from(move |_: PointerEvent| hover_us.set(None))
    };
    let on_wheel = wheel(&canvas_ref, plot, end_us, turn);
    let on_key = keys(look, end_us, turn);
    let reset = turn.reform(|_: MouseEvent| Turn::TimeZoom(None));

    html! {
        <section class="timeline" aria-label="Live bytes over time">
            <div class="timeline-head">
                <b class="timeline-title">{ "Live bytes" }</b>
                { reading(shapes::QUESTION, shapes::SUMMARY, &shapes::SHAPES) }
                { legend(timeline, turn) }
                <div class="timeline-actions">
                    if look.zoom.is_some() {
                        <button class="quiet" onclick={reset}>{ "whole time" }</button>
                    }
                    { peak_button(turn) }
                    { brush_fields(look, turn) }
                    { stack_select(look, turn) }
                    { clock_select(look, turn, loaded.main.summary.info.start_time_us) }
                </div>
            </div>
            <div class="timeline-stage">
                <canvas ref={canvas_ref} class="timeline-canvas" tabindex="0" role="slider"
                    aria-label="Moment: arrow keys move it, with shift they mark a stretch of time"
                    aria-valuemin="0" aria-valuemax={format!("{:.6}", end_us as f64 / 1e6)}
                    aria-valuenow={format!("{:.6}", cursor_us(look, &work) as f64 / 1e6)}
                    aria-valuetext={value_text(look, timeline)}
                    onpointerdown={on_down} onpointermove={on_move} onpointerup={on_up} onpointerleave={on_leave}
                    onwheel={on_wheel} onkeydown={on_key} />
                <canvas ref={marks_ref} class="timeline-marks" aria-hidden="true" />
            </div>
        </section>
    }
}

/// All objects of the filter but for the marked stretch, which is drawn instead.
fn request(work: &Work, width: f64) -> Request {
    let look = &work.look;
    let mut clauses: Vec<Clause> =
        look.filter().clauses.into_iter().filter(|clause| !matches!(clause, Clause::Allocated(_))).collect();
    // What the library allocates counts for the program's module that called it: that is who can do something about it.
    clauses.push(findings::library());
    let mut request = look.ask(Question::Timeline(TimelineConfig {
        from_us: look.zoom.and_then(|zoom| zoom.from).unwrap_or(0),
        to_us: look.zoom.and_then(|zoom| zoom.to).unwrap_or(work.loaded.main.summary.end_us),
        n_steps: (width / 2.0).clamp(16.0, 2048.0) as usize,
        by: look.stacked_by,
        top: TOP,
    }));
    request.view.filter = Filter { clauses };
    // The curve is of live bytes whatever the measure, so a moving moment need not ask again.
    request.view.measure = Measure::Allocated;
    request.view.grain = crate::query::tree::Grain::default();
    request
}

/// Where ticks tell the time of day: when the trace began.
fn start_of_day(work: &Work) -> Option<u64> {
    work.look.wall_clock.then_some(work.loaded.main.summary.info.start_time_us)
}

fn marks(look: &Look, drag: Option<&Drag>, hover_us: Option<f64>) -> Marks {
    Marks {
        brush: drag.and_then(Drag::span).or_else(|| look.brush()),
        cursor: match look.measure {
            Measure::Live(when) => Some(when),
            _ => None,
        },
        hover_us: if drag.is_none() { hover_us } else { None },
    }
}

fn cursor_us(look: &Look, work: &Work) -> u64 {
    match look.measure {
        Measure::Live(When::At(us)) => us,
        Measure::Live(When::End) => work.loaded.main.summary.end_us,
        _ => work.loaded.main.summary.peak.at_us,
    }
}

fn timeline_of(answer: &Option<Known>) -> Option<&Timeline> {
    match answer.as_deref() {
        Some(Answer::Timeline(timeline)) => Some(timeline),
        _ => None,
    }
}

fn value_text(look: &Look, timeline: Option<&Timeline>) -> String {
    let peak = timeline.map_or_else(String::new, |timeline| {
        format!("; peak {} at {}", format::bytes(timeline.peak.bytes), format::elapsed_us(timeline.peak.at_us))
    });
    let moment = match look.measure {
        measure @ Measure::Live(_) => measure.words(),
        _ => "no moment is chosen".to_owned(),
    };
    format!("{moment}{peak}")
}

/// Each layer's colour and name; a click shows only what it allocated.
fn legend(timeline: Option<&Timeline>, turn: &Callback<Turn>) -> Html {
    let Some(timeline) = timeline.filter(|timeline| !timeline.series.is_empty()) else {
        return Html::default();
    };
    let entry = |series: &Series| {
        let swatch = Swatch { paint: paint_of(series) }.show();
        match focus_of(series) {
            Some(clause) => {
                let onclick = turn.reform(move |_: MouseEvent| Turn::AddClause(clause.clone()));
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

fn focus_of(series: &Series) -> Option<Clause> {
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

/// Its size, as in the style sheet.
const SWATCH: f64 = 9.0;

#[derive(PartialEq)]
struct Swatch {
    paint: Paint,
}

piece!(Swatch, use_swatch);

/// A square of a layer's colour. The page's policy allows no inline style, so it is a canvas.
#[hook]
fn use_swatch(props: &Swatch) -> Html {
    let node = use_node_ref();
    let theme = use_context::<crate::ui::theme::Theme>().unwrap_or_default();
    use_effect_with((props.paint, theme), {
        let node = node.clone();
        move |(paint, _)| {
            if let Some(canvas) = Canvas::of(&node, (SWATCH, SWATCH)) {
                canvas.draw(&[crate::layout::draw::Op::Rect { x: 0.0, y: 0.0, w: SWATCH, h: SWATCH, fill: *paint }]);
            }
        }
    });
    html! { <canvas ref={node} class="swatch" aria-hidden="true" /> }
}

fn peak_button(turn: &Callback<Turn>) -> Html {
    let onclick = turn.reform(|_: MouseEvent| Turn::Measure(Measure::Live(When::Peak)));
    html! { <button class="quiet" {onclick} title="Show what is live at the peak">{ "peak" }</button> }
}

/// The marked stretch as text that can be typed.
fn brush_fields(look: &Look, turn: &Callback<Turn>) -> Html {
    let Some(at) = look.chips.iter().position(|chip| chip.is_on && matches!(chip.clause, Clause::Allocated(_))) else {
        return Html::default();
    };
    let value = look.chips[at].clause.value();
    let onchange = {
        let turn = turn.clone();
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<web_sys::HtmlInputElement>() else { return };
            let typed = Clause::parse("allocated", input.value().trim());
            input.set_custom_validity(&typed.as_ref().err().map_or_else(String::new, ToString::to_string));
            match typed {
                Ok(clause) => turn.emit(Turn::SetChip(at, clause)),
                Err(_) => drop(input.report_validity()),
            }
        })
    };
    let clear = turn.reform(move |_: MouseEvent| Turn::RemoveChip(at));
    html! {
        <span class="brush-fields">
            <input class="brush-input" {value} {onchange} aria-label="Marked stretch of time, such as 1s..2s" />
            <button class="quiet" onclick={clear} aria-label="Unmark">{ "×" }</button>
        </span>
    }
}

fn stack_select(look: &Look, turn: &Callback<Turn>) -> Html {
    let onchange = {
        let turn = turn.clone();
        Callback::from(move |event: Event| {
            let word = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value()).unwrap_or_default();
            if let Some(by) = BYS.into_iter().find(|by| by_word(*by) == word) {
                turn.emit(Turn::StackBy(by));
            }
        })
    };
    let option = |by| {
        let word = by_word(by);
        let text = if by.is_none() { "total".to_owned() } else { format!("stacked by {word}") };
        html! { <option value={word} selected={look.stacked_by == by}>{ text }</option> }
    };
    html! { <select class="quiet" {onchange} aria-label="Tell apart">{ for BYS.into_iter().map(option) }</select> }
}

fn clock_select(look: &Look, turn: &Callback<Turn>, start_us: u64) -> Html {
    // An anonymised trace has no start.
    if start_us == 0 {
        return Html::default();
    }
    let onchange = {
        let turn = turn.clone();
        Callback::from(move |event: Event| {
            let word = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value());
            turn.emit(Turn::WallClock(word.as_deref() == Some("wall")));
        })
    };
    html! {
        <select class="quiet" {onchange} aria-label="Times">
            <option value="elapsed" selected={!look.wall_clock}>{ "elapsed" }</option>
            <option value="wall" selected={look.wall_clock}>{ "time of day (UTC)" }</option>
        </select>
    }
}

/// The wheel zooms at the pointer.
fn wheel(canvas: &NodeRef, plot: Option<Plot>, end_us: u64, turn: &Callback<Turn>) -> Callback<WheelEvent> {
    let (canvas, turn) = (canvas.clone(), turn.clone());
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
            turn.emit(Turn::TimeZoom((!is_whole).then(|| Span::new(from, to))));
        }
    })
}

/// Arrow keys move the moment; with shift they widen the marked stretch. `Home` and `End`, `p` for the peak, `Escape`.
fn keys(look: &Rc<Look>, end_us: u64, turn: &Callback<Turn>) -> Callback<KeyboardEvent> {
    let (look, turn) = (Rc::clone(look), turn.clone());
    Callback::from(move |event: KeyboardEvent| {
        let shown = look.zoom.unwrap_or(Span::new(0, end_us));
        let width = shown.to.unwrap_or(end_us).saturating_sub(shown.from.unwrap_or(0));
        let step = (width / 100).max(1);
        let now = match look.measure {
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
                return turn.emit(Turn::Measure(Measure::Live(When::Peak)));
            }
            _ => return,
        };
        event.prevent_default();
        if event.shift_key() {
            let brush = look.brush().unwrap_or(Span::new(now, now));
            let (from, to) = (brush.from.unwrap_or(0), brush.to.unwrap_or(end_us));
            let span = if moved < now {
                Span::new(from, to.saturating_sub(step).max(from))
            } else {
                Span::new(from, to.saturating_add(step).min(end_us))
            };
            turn.emit(Turn::AddClause(Clause::Allocated(span)));
        } else {
            turn.emit(Turn::Measure(Measure::Live(When::At(moved))));
        }
    })
}
