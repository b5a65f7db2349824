//! The timeline as shapes: the curve or its layers, rates below, ticks, and the user's markers.

mod axes;
mod both;
mod peaks;
mod pins;
mod plot;
mod reading;
mod snapshots;
mod time_range;

pub use axes::{Axes, Snapshots, Times};
pub use both::{BothPlots, draw_both, draw_both_marks, times_at};
pub use pins::{Pin, PinLabel, draw_pins, pin_labels};
pub use plot::Plot;
pub use reading::{LayerReading, Reading};
pub use time_range::TimeRange;

use super::axis::{byte_ticks, count_ticks, time_ticks};
use super::color::{self, ModuleColors, Tint};
use super::draw::{Align, Dash, Font, Op, Paint, TextWidth};
use crate::format::{self, Units};
use camlscope_engine::query::filter::{Heap, Span, When};
use camlscope_engine::query::label::file_of_line;
use camlscope_engine::query::timeline::point::TimelinePoint;
use camlscope_engine::query::timeline::{Graph, Series, SeriesOf, Timeline};

/// The user's selection, cursor and pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marks {
    pub brush: Option<Span>,
    pub cursor: Option<When>,
    /// The time under the pointer, in µs since the start of the trace.
    pub hover_us: Option<f64>,
    /// The series under the pointer.
    pub hover_layer: Option<usize>,
}

/// Draws everything except the marks.
pub fn draw(timeline: &Timeline, plot: &Plot, axes: &Axes, colors: &ModuleColors, text: &dyn TextWidth) -> Vec<Op> {
    let mut ops = Vec::new();
    if !plot.is_strip() {
        grid(plot, axes, text, &mut ops);
    }
    if timeline.series.is_empty() {
        curve(timeline, plot, &mut ops);
    } else {
        layers(timeline, plot, colors, &mut ops);
    }
    rates(timeline, plot, &mut ops);
    if let Times::Cpu(snapshots) = &axes.times {
        snapshots::draw(snapshots, plot, text, &mut ops);
    }
    // The total allocated so far is always highest at the end.
    if axes.graph != Graph::Allocated && !plot.is_strip() {
        peaks::trace_peak(timeline, plot, axes, text, &mut ops);
        peak(timeline, plot, axes, text, &mut ops);
    }
    ops
}

/// Draws the marks, which follow the pointer. `point` has the figures at the pointer.
pub fn draw_marks(
    timeline: &Timeline,
    plot: &Plot,
    axes: &Axes,
    marks: &Marks,
    point: Option<&TimelinePoint>,
    text: &dyn TextWidth,
) -> Vec<Op> {
    let mut ops = Vec::new();
    brush(timeline, plot, axes, marks, text, &mut ops);
    cursor(plot, axes, marks, text, &mut ops);
    let reading = point.zip(marks.hover_us).and_then(|(point, us)| Reading::new(timeline, point, plot, axes, us));
    hover(plot, axes, marks, reading, text, &mut ops);
    ops
}

/// Returns the series at a position, or `None` outside of all of them.
pub fn layer_at(timeline: &Timeline, plot: &Plot, x: f64, y: f64) -> Option<usize> {
    if !(plot.left..=plot.right).contains(&x) || y > plot.bottom {
        return None;
    }
    let step = step_at(timeline, plot, plot.us(x));
    let mut top = 0.0;
    timeline.series.iter().position(|series| {
        top += series.live_last.get(step).copied().unwrap_or(0.0);
        y >= plot.y(top)
    })
}

fn step_at(timeline: &Timeline, plot: &Plot, us: f64) -> usize {
    let step = ((us - plot.from_us) / timeline.step_us.max(f64::MIN_POSITIVE)) as usize;
    step.min(timeline.live_last.len().saturating_sub(1))
}

/// Returns the color of the nth layer: the module's own color, or one of a few for heaps, domains and lines. Unlike in
/// other views, library code isn't drawn in the color of the background.
pub fn paint_of(nth: usize, series: &Series, colors: &ModuleColors) -> Paint {
    match own_paint(nth, series, colors) {
        Paint::Tint(Tint::Library) => Paint::Rest,
        paint => paint,
    }
}

fn own_paint(nth: usize, series: &Series, colors: &ModuleColors) -> Paint {
    match &series.of {
        SeriesOf::Frame(label) if file_of_line(&label.name).is_some() => Paint::Tint(color::of_line(nth)),
        SeriesOf::Frame(label)
            if label.file.is_empty() && label.name.contains(['/', '.']) && label.name.ends_with(".ml") =>
        {
            Paint::Tint(colors.of_file(&label.name))
        }
        // A module's name is treated like the name of a function in it.
        SeriesOf::Frame(label) => Paint::Tint(colors.of_function(&label.name)),
        SeriesOf::Heap(heap) => Paint::Tint(Tint::Module {
            hue: match heap {
                Heap::Minor => 250,
                Heap::Promoted => 30,
                Heap::Major => 150,
                Heap::External => 310,
            },
            tone: 1,
        }),
        SeriesOf::Domain(id) => Paint::Tint(color::of_line(usize::from(*id))),
        SeriesOf::Others { .. } => Paint::Rest,
        SeriesOf::Unknown => Paint::Faint,
    }
}

fn grid(plot: &Plot, axes: &Axes, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    amount_grid(plot, axes.graph, axes.units, ops);
    let times = time_ticks(plot.from_us, plot.to_us, n_time_ticks(plot)).into_iter().map(|us| {
        let label = match axes.times {
            Times::OfDay(start_us) => format::time_of_day(start_us + us as u64),
            Times::Elapsed | Times::Cpu(_) => format::elapsed_us(us as u64),
        };
        (us, label)
    });
    let left = match axes.times {
        Times::Cpu(_) => cpu_label(plot, text, ops),
        Times::Elapsed | Times::OfDay(_) => plot.left,
    };
    time_labels(plot, left, times, text, ops);
}

/// Including the one at zero.
const MOST_GRID_LINES: usize = 4;

fn amount_grid(plot: &Plot, graph: Graph, units: Units, ops: &mut Vec<Op>) {
    let ticks = |n: usize| match graph {
        Graph::LiveBytes | Graph::Allocated => byte_ticks(plot.max_bytes, n, units),
        Graph::LiveBlocks => count_ticks(plot.max_bytes, n),
    };
    let most = (1..=4).rev().map(ticks).find(|ticks| ticks.len() <= MOST_GRID_LINES);
    for amount in most.unwrap_or_default() {
        let y = plot.y(amount).round() + 0.5;
        ops.push(line(vec![(plot.left, y), (plot.right, y)], Paint::Line, 1.0));
        let label = match graph {
            _ if amount == 0.0 => "0".to_owned(),
            Graph::LiveBytes | Graph::Allocated => units.bytes(amount),
            Graph::LiveBlocks => round_count(amount as u64),
        };
        ops.push(small(plot.left - 6.0, y, label, Paint::Faint, Align::Right));
    }
}

/// `200 k`: a round number, short enough for the gutter.
fn round_count(n: u64) -> String {
    match n {
        n if n >= 1_000_000 && n.is_multiple_of(100_000) => format!("{} M", n as f64 / 1e6),
        n if n >= 10_000 && n.is_multiple_of(1_000) => format!("{} k", n / 1_000),
        n => format::count(n),
    }
}

/// Draws the label to the left of the time ticks, and returns where the ticks may start.
fn cpu_label(plot: &Plot, text: &dyn TextWidth, ops: &mut Vec<Op>) -> f64 {
    let label = "CPU s";
    ops.push(small(0.0, plot.rates_bottom + 11.0, label.to_owned(), Paint::Faint, Align::Left));
    plot.left.max(text.width(label, Font::Small) + 8.0)
}

/// As many as fit side by side.
fn n_time_ticks(plot: &Plot) -> usize {
    ((plot.right - plot.left) / 90.0).max(2.0) as usize
}

/// Draws the labels below the chart, each at its time, within the edges.
fn time_labels(
    plot: &Plot,
    left: f64,
    times: impl IntoIterator<Item = (f64, String)>,
    text: &dyn TextWidth,
    ops: &mut Vec<Op>,
) {
    let y = plot.rates_bottom + 11.0;
    for (us, label) in times {
        let half = text.width(&label, Font::Small) / 2.0;
        let x = plot.x(us).clamp(left + half, (plot.right + 14.0 - half).max(left + half));
        ops.push(small(x, y, label, Paint::Faint, Align::Center));
    }
}

/// Draws the range of each step as a band, so that a spike of a single event stays visible.
fn curve(timeline: &Timeline, plot: &Plot, ops: &mut Vec<Op>) {
    let x = |step: usize| plot.x(plot.from_us + (step as f64 + 0.5) * timeline.step_us);
    let upper = || timeline.live_max.iter().enumerate().map(|(step, &bytes)| (x(step), plot.y(bytes)));
    let lower = || timeline.live_min.iter().enumerate().map(|(step, &bytes)| (x(step), plot.y(bytes)));
    let mut below: Vec<(f64, f64)> = lower().collect();
    if let (Some(&(first, _)), Some(&(last, _))) = (below.first(), below.last()) {
        below.push((last, plot.bottom));
        below.push((first, plot.bottom));
    }
    ops.push(Op::Area { points: below, fill: Paint::AccentSoft });
    let mut band: Vec<(f64, f64)> = upper().collect();
    band.extend(lower().collect::<Vec<_>>().into_iter().rev());
    ops.push(Op::Area { points: band, fill: Paint::Accent });
    ops.push(line(upper().collect(), Paint::Accent, 1.0));
}

/// Draws the layers, largest at the bottom. An outline above them shows the maximum of each step, which includes the
/// peak.
fn layers(timeline: &Timeline, plot: &Plot, colors: &ModuleColors, ops: &mut Vec<Op>) {
    let n = timeline.live_last.len();
    let x = |step: usize| plot.x(plot.from_us + (step as f64 + 1.0) * timeline.step_us);
    let mut base = vec![0.0; n];
    for (nth, series) in timeline.series.iter().enumerate() {
        let lower: Vec<(f64, f64)> = base.iter().enumerate().map(|(step, &bytes)| (x(step), plot.y(bytes))).collect();
        for (bytes, more) in base.iter_mut().zip(&series.live_last) {
            *bytes += more;
        }
        let mut points: Vec<(f64, f64)> =
            base.iter().enumerate().map(|(step, &bytes)| (x(step), plot.y(bytes))).collect();
        points.extend(lower.into_iter().rev());
        ops.push(Op::Area { points, fill: paint_of(nth, series, colors) });
    }
    let mut above: Vec<(f64, f64)> =
        timeline.live_max.iter().enumerate().map(|(step, &bytes)| (x(step), plot.y(bytes))).collect();
    let outline = above.clone();
    above.extend(base.iter().enumerate().rev().map(|(step, &bytes)| (x(step), plot.y(bytes))));
    ops.push(Op::Area { points: above, fill: Paint::Line });
    ops.push(line(outline, Paint::Muted, 1.0));
}

/// Draws allocation per step as bars, with the promoted part darker. The scale is logarithmic and starts at a quarter
/// of the median, so that ordinary steps are visible next to a burst.
fn rates(timeline: &Timeline, plot: &Plot, ops: &mut Vec<Op>) {
    let most = timeline.allocated.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return;
    }
    let height = plot.rates_bottom - plot.rates_top;
    let least = usual(&timeline.allocated) / 4.0;
    let scaled = |bytes: f64| (bytes / least).ln_1p() / (most / least).ln_1p();
    let x = |step: usize| plot.x(plot.from_us + step as f64 * timeline.step_us);
    for (amounts, fill) in [(&timeline.allocated, Paint::Line), (&timeline.promoted, Paint::Faint)] {
        for (step, bytes) in amounts.iter().enumerate().filter(|(_, bytes)| **bytes > 0.0) {
            let h = (scaled(*bytes) * height).min(height);
            let w = (x(step + 1) - x(step)).max(1.0);
            ops.push(Op::Rect { x: x(step), y: plot.rates_bottom - h, w, h, fill });
        }
    }
}

/// Returns the median of the nonzero steps.
fn usual(amounts: &[f64]) -> f64 {
    let mut amounts: Vec<f64> = amounts.iter().copied().filter(|bytes| *bytes > 0.0).collect();
    let middle = amounts.len() / 2;
    if amounts.is_empty() { 1.0 } else { *amounts.select_nth_unstable_by(middle, f64::total_cmp).1 }
}

fn brush(timeline: &Timeline, plot: &Plot, axes: &Axes, marks: &Marks, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let Some(range) = marks.brush.map(|span| TimeRange::new(span, timeline, axes.graph)) else {
        return;
    };
    let (from, to) = (plot.x(range.from_us.max(plot.from_us)), plot.x(range.to_us.min(plot.to_us)));
    let h = plot.rates_bottom - plot.top;
    ops.push(Op::Rect { x: from, y: plot.top, w: (to - from).max(1.0), h, fill: Paint::AccentSoft });
    for x in [from, to] {
        ops.push(Op::Rect { x: x - 1.0, y: plot.top, w: 2.0, h, fill: Paint::Accent });
    }
    // While the pointer is over the timeline, its own label is shown instead.
    if marks.hover_us.is_none() {
        boxed(plot, to, plot.bottom - 12.0, range.words(axes), Paint::Ink, text, ops);
    }
}

fn peak(timeline: &Timeline, plot: &Plot, axes: &Axes, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let at_us = timeline.peak.at_us as f64;
    if timeline.peak.bytes <= 0.0 || !plot.shows(at_us) {
        return;
    }
    let (x, y) = (plot.x(at_us), plot.y(timeline.peak.bytes).max(plot.top));
    ops.push(Op::Dot { x, y, r: 3.5, fill: Paint::Surface });
    ops.push(Op::Dot { x, y, r: 2.5, fill: Paint::Ink });
    let label = peaks::label(timeline, axes);
    let (x, y, font) = (peaks::label_x(plot, x, &label, text), y - 11.0, Font::SmallBold);
    ops.push(Op::Text { x, y, text: label, fill: Paint::Ink, align: Align::Center, font });
}

fn cursor(plot: &Plot, axes: &Axes, marks: &Marks, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    if let Some(When::At(us)) = marks.cursor
        && plot.shows(us as f64)
    {
        let x = plot.x(us as f64);
        ops.push(Op::Rect { x: x - 0.75, y: plot.top, w: 1.5, h: plot.rates_bottom - plot.top, fill: Paint::Accent });
        let label = format!("live at {}", axes.time_words(us));
        // Below a note at the same time.
        tag(plot, x, plot.top + 25.0, label, Paint::Accent, text, ops);
    }
}

/// Shows the figures under the pointer. In a profile, these are of the snapshot before it.
fn hover(plot: &Plot, axes: &Axes, marks: &Marks, reading: Option<Reading>, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let Some(pointed_us) = marks.hover_us.filter(|us| plot.shows(*us)) else { return };
    let us = axes.snapshot_at(pointed_us).map_or(pointed_us, |us| us as f64);
    let x = plot.x(us).max(plot.left);
    ops.push(line(vec![(x, plot.top), (x, plot.bottom)], Paint::Faint, 1.0));
    // If there are layers, a list next to the pointer shows the figures of all of them.
    if let Some(reading) = reading.filter(|reading| reading.layers.is_empty()) {
        boxed(plot, x, plot.bottom - 12.0, reading.head(), Paint::Muted, text, ops);
    }
}

/// Adds a label next to a line, on the side that has room.
fn tag(plot: &Plot, x: f64, y: f64, label: String, fill: Paint, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let width = text.width(&label, Font::SmallBold);
    let (x, align) = if x + 8.0 + width <= plot.right { (x + 8.0, Align::Left) } else { (x - 8.0, Align::Right) };
    ops.push(Op::Text { x, y, text: label, fill, align, font: Font::SmallBold });
}

/// Like [`tag`], on a background that makes it readable on any color.
fn boxed(plot: &Plot, x: f64, y: f64, label: String, fill: Paint, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let width = text.width(&label, Font::SmallBold);
    let left = if x + 14.0 + width <= plot.right { x + 8.0 } else { (x - 14.0 - width).max(plot.left) };
    ops.push(Op::Rect { x: left, y: y - 9.0, w: width + 12.0, h: 18.0, fill: Paint::Surface });
    ops.push(Op::Text { x: left + 6.0, y, text: label, fill, align: Align::Left, font: Font::SmallBold });
}

fn small(x: f64, y: f64, text: String, fill: Paint, align: Align) -> Op {
    Op::Text { x, y, text, fill, align, font: Font::Small }
}

fn line(points: Vec<(f64, f64)>, stroke: Paint, width: f64) -> Op {
    Op::Line { points, stroke, width, dash: Dash::Solid }
}

#[cfg(test)]
mod tests;
