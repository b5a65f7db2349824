//! The timeline as shapes: the curve or its layers, rates below, ticks, and what the reader has marked.

mod both;
mod peaks;
mod snapshots;

pub use both::{BothPlots, draw_both, draw_both_marks};

use super::axis::{byte_ticks, count_ticks, time_ticks};
use super::color::{self, Tint};
use super::draw::{Align, Dash, Font, Op, Paint, TextWidth};
use crate::format;
use crate::query::filter::{Heap, Span, When};
use crate::query::label::file_of_line;
use crate::query::timeline::{Graph, Series, SeriesOf, Timeline};

/// Where the timeline lies on its canvas, and which stretch of time it shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plot {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    /// The curve's foot; rates stand between `rates_top` and `rates_bottom`, ticks below them.
    pub bottom: f64,
    pub rates_top: f64,
    pub rates_bottom: f64,
    pub from_us: f64,
    pub to_us: f64,
    pub max_bytes: f64,
}

/// What the axes stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axes {
    pub graph: Graph,
    pub times: Times,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Times {
    #[default]
    Elapsed,
    /// The time of day; the trace's start in µs since the Unix epoch.
    OfDay(u64),
    /// Processor time, of a profile.
    Processor(Snapshots),
}

/// What a profile has on its axis of time. Between two snapshots nothing is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshots {
    /// In µs, ascending.
    pub at_us: Vec<u64>,
    /// Events that the program named, ascending.
    pub flags: Vec<Flag>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Flag {
    pub at_us: u64,
    pub name: String,
}

impl Axes {
    /// `2.194 s`, with what kind of time that is where it is not the usual one.
    pub fn time_words(&self, us: u64) -> String {
        match self.times {
            Times::Processor(_) => format!("{} of processor time", format::elapsed_us(us)),
            Times::Elapsed => format::elapsed_us(us),
            Times::OfDay(start_us) => format::exact_time_of_day(start_us + us),
        }
    }

    /// `4.54 MiB`, or `198,536 blocks`.
    pub fn amount(&self, value: f64) -> String {
        match self.graph {
            Graph::LiveBytes | Graph::Allocated => format::bytes(value),
            Graph::LiveBlocks => format!("{} blocks", format::count(value.round() as u64)),
        }
    }

    /// The snapshot at or before a time; none before the first, and none of a trace.
    fn snapshot_at(&self, us: f64) -> Option<u64> {
        let Times::Processor(Snapshots { at_us, .. }) = &self.times else { return None };
        let n_before = at_us.partition_point(|at_us| *at_us as f64 <= us);
        n_before.checked_sub(1).and_then(|at| at_us.get(at)).copied()
    }
}

/// What the reader has marked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marks {
    pub brush: Option<Span>,
    pub cursor: Option<When>,
    /// µs since the trace's start, under the pointer.
    pub hover_us: Option<f64>,
    /// Which of the timeline's series is under the pointer.
    pub hover_layer: Option<usize>,
}

impl Plot {
    const GUTTER: f64 = 64.0;
    const RATES: f64 = 16.0;
    const TICKS: f64 = 20.0;

    pub fn new(width: f64, height: f64, timeline: &Timeline) -> Plot {
        let rates_bottom = height - Plot::TICKS;
        let rates_top = rates_bottom - Plot::RATES;
        let highest = timeline.live_max.iter().copied().fold(0.0, f64::max);
        Plot {
            left: Plot::GUTTER.min(width / 4.0),
            right: width - 16.0,
            top: 10.0,
            bottom: rates_top - 4.0,
            rates_top,
            rates_bottom,
            from_us: timeline.from_us as f64,
            to_us: (timeline.to_us as f64).max(timeline.from_us as f64 + 1.0),
            max_bytes: highest.max(1.0),
        }
    }

    pub fn x(&self, us: f64) -> f64 {
        self.left + (us - self.from_us) / (self.to_us - self.from_us) * (self.right - self.left)
    }

    /// The time under a place, within the stretch that is shown.
    pub fn us(&self, x: f64) -> f64 {
        let share = ((x - self.left) / (self.right - self.left).max(1.0)).clamp(0.0, 1.0);
        self.from_us + share * (self.to_us - self.from_us)
    }

    /// The time at a point, as round as pointing is exact: a power of ten that lies within a pixel.
    pub fn pointed_us(&self, x: f64) -> f64 {
        let us_a_pixel = (self.to_us - self.from_us) / (self.right - self.left).max(1.0);
        let mut round = 1.0;
        while round * 10.0 <= us_a_pixel {
            round *= 10.0;
        }
        ((self.us(x) / round).round() * round).clamp(self.from_us, self.to_us)
    }

    pub fn y(&self, bytes: f64) -> f64 {
        self.bottom - bytes / self.max_bytes * (self.bottom - self.top)
    }

    fn shows(&self, us: f64) -> bool {
        (self.from_us..=self.to_us).contains(&us)
    }
}

/// All but the marks.
pub fn draw(timeline: &Timeline, plot: &Plot, axes: &Axes, text: &dyn TextWidth) -> Vec<Op> {
    let mut ops = Vec::new();
    grid(plot, axes, text, &mut ops);
    if timeline.series.is_empty() {
        curve(timeline, plot, &mut ops);
    } else {
        layers(timeline, plot, &mut ops);
    }
    rates(timeline, plot, &mut ops);
    if let Times::Processor(snapshots) = &axes.times {
        snapshots::draw(snapshots, plot, text, &mut ops);
    }
    // All that was allocated so far is highest at the end.
    if axes.graph != Graph::Allocated {
        peaks::trace_peak(timeline, plot, axes, text, &mut ops);
        peak(timeline, plot, axes, text, &mut ops);
    }
    ops
}

/// What lies above it, and moves with the reader's hand.
pub fn draw_marks(timeline: &Timeline, plot: &Plot, axes: &Axes, marks: &Marks, text: &dyn TextWidth) -> Vec<Op> {
    let mut ops = Vec::new();
    brush(plot, marks, &mut ops);
    cursor(plot, axes, marks, text, &mut ops);
    hover(timeline, plot, axes, marks, text, &mut ops);
    ops
}

/// Which series is drawn at a place; none beside all of them.
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

/// The colour of the nth layer: a module's own, or one of the few for heaps, domains and lines.
pub fn paint_of(nth: usize, series: &Series) -> Paint {
    match &series.of {
        SeriesOf::Frame(label) if file_of_line(&label.name).is_some() => Paint::Tint(color::of_line(nth)),
        SeriesOf::Frame(label)
            if label.file.is_empty() && label.name.contains(['/', '.']) && label.name.ends_with(".ml") =>
        {
            Paint::Tint(color::of_file(&label.name))
        }
        // A module's name is read as that of a function in it.
        SeriesOf::Frame(label) => Paint::Tint(color::of_function(&label.name)),
        SeriesOf::Heap(heap) => Paint::Tint(Tint::Module {
            hue: match heap {
                Heap::Minor => 250,
                Heap::Promoted => 30,
                Heap::Major => 150,
                Heap::External => 310,
            },
            is_deep: false,
        }),
        SeriesOf::Domain(id) => Paint::Tint(Tint::Module { hue: id.wrapping_mul(137) % 360, is_deep: false }),
        SeriesOf::Others { .. } | SeriesOf::Unknown => Paint::Other,
    }
}

fn grid(plot: &Plot, axes: &Axes, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    amount_grid(plot, axes.graph, ops);
    let times = time_ticks(plot.from_us, plot.to_us, n_time_ticks(plot)).into_iter().map(|us| {
        let label = match axes.times {
            Times::OfDay(start_us) => format::time_of_day(start_us + us as u64),
            Times::Elapsed | Times::Processor(_) => format::elapsed_us(us as u64),
        };
        (us, label)
    });
    let left = match axes.times {
        Times::Processor(_) => processor_label(plot, text, ops),
        Times::Elapsed | Times::OfDay(_) => plot.left,
    };
    time_labels(plot, left, times, text, ops);
}

fn amount_grid(plot: &Plot, graph: Graph, ops: &mut Vec<Op>) {
    let ticks = match graph {
        Graph::LiveBytes | Graph::Allocated => byte_ticks(plot.max_bytes, 3),
        Graph::LiveBlocks => count_ticks(plot.max_bytes, 3),
    };
    for amount in ticks {
        let y = plot.y(amount).round() + 0.5;
        ops.push(line(vec![(plot.left, y), (plot.right, y)], Paint::Line, 1.0));
        let label = match graph {
            _ if amount == 0.0 => "0".to_owned(),
            Graph::LiveBytes | Graph::Allocated => format::bytes(amount),
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

/// Beside the ticks of time, which have room behind it.
fn processor_label(plot: &Plot, text: &dyn TextWidth, ops: &mut Vec<Op>) -> f64 {
    let label = "processor s";
    ops.push(small(0.0, plot.rates_bottom + 11.0, label.to_owned(), Paint::Faint, Align::Left));
    plot.left.max(text.width(label, Font::Small) + 8.0)
}

/// As many as have room beside each other.
fn n_time_ticks(plot: &Plot) -> usize {
    ((plot.right - plot.left) / 90.0).max(2.0) as usize
}

/// Labels below the picture, each at its time, none beyond the edges.
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

/// The lowest and the highest value of each step as a band, so that a spike of one event stays visible.
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

/// The largest lies at the bottom; above all of them a line keeps each step's highest value.
fn layers(timeline: &Timeline, plot: &Plot, ops: &mut Vec<Op>) {
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
        ops.push(Op::Area { points, fill: paint_of(nth, series) });
    }
    for (step, (&highest, &last)) in timeline.live_max.iter().zip(&timeline.live_last).enumerate() {
        let (above, top) = (plot.y(last), plot.y(highest));
        if above - top >= 1.0 {
            ops.push(line(vec![(x(step), above), (x(step), top)], Paint::Line, 1.0));
        }
    }
}

/// Allocated a step as bars, promoted of it darker, on a scale of their own.
fn rates(timeline: &Timeline, plot: &Plot, ops: &mut Vec<Op>) {
    let most = timeline.allocated.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return;
    }
    let height = plot.rates_bottom - plot.rates_top;
    let x = |step: usize| plot.x(plot.from_us + step as f64 * timeline.step_us);
    for (amounts, fill) in [(&timeline.allocated, Paint::Line), (&timeline.promoted, Paint::Faint)] {
        for (step, bytes) in amounts.iter().enumerate().filter(|(_, bytes)| **bytes > 0.0) {
            let h = (bytes / most * height).min(height);
            let w = (x(step + 1) - x(step)).max(1.0);
            ops.push(Op::Rect { x: x(step), y: plot.rates_bottom - h, w, h, fill });
        }
    }
}

fn brush(plot: &Plot, marks: &Marks, ops: &mut Vec<Op>) {
    let Some(span) = marks.brush else {
        return;
    };
    let end = |us: Option<u64>, open: f64| us.map_or(open, |us| us as f64).clamp(plot.from_us, plot.to_us);
    let (from, to) = (plot.x(end(span.from, plot.from_us)), plot.x(end(span.to, plot.to_us)));
    let h = plot.rates_bottom - plot.top;
    ops.push(Op::Rect { x: from, y: plot.top, w: (to - from).max(1.0), h, fill: Paint::AccentSoft });
    for x in [from, to] {
        ops.push(Op::Rect { x: x - 1.0, y: plot.top, w: 2.0, h, fill: Paint::Accent });
    }
}

fn peak(timeline: &Timeline, plot: &Plot, axes: &Axes, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let at_us = timeline.peak.at_us as f64;
    if timeline.peak.bytes <= 0.0 || !plot.shows(at_us) {
        return;
    }
    let (x, y) = (plot.x(at_us), plot.y(timeline.peak.bytes).max(plot.top));
    ops.push(Op::Line {
        points: vec![(x, plot.top), (x, plot.bottom)],
        stroke: Paint::Muted,
        width: 1.0,
        dash: Dash::Dotted,
    });
    ops.push(Op::Dot { x, y, r: 3.0, fill: Paint::Ink });
    tag(plot, x, plot.top + 6.0, peaks::label(timeline, axes), Paint::Ink, text, ops);
}

fn cursor(plot: &Plot, axes: &Axes, marks: &Marks, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    if let Some(When::At(us)) = marks.cursor
        && plot.shows(us as f64)
    {
        let x = plot.x(us as f64);
        ops.push(Op::Rect { x: x - 0.75, y: plot.top, w: 1.5, h: plot.rates_bottom - plot.top, fill: Paint::Accent });
        let label = format!("live at {}", axes.time_words(us));
        tag(plot, x, plot.top + 20.0, label, Paint::Accent, text, ops);
    }
}

/// What there is under the pointer; of a profile, at the snapshot before it.
fn hover(timeline: &Timeline, plot: &Plot, axes: &Axes, marks: &Marks, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let Some(pointed_us) = marks.hover_us.filter(|us| plot.shows(*us)) else { return };
    let us = axes.snapshot_at(pointed_us).map_or(pointed_us, |us| us as f64);
    let x = plot.x(us).max(plot.left);
    ops.push(line(vec![(x, plot.top), (x, plot.bottom)], Paint::Faint, 1.0));
    let Some(&amount) = timeline.live_last.get(step_at(timeline, plot, pointed_us)) else { return };
    let mut words = vec![axes.time_words(us as u64), axes.amount(amount)];
    words.extend(marks.hover_layer.and_then(|layer| timeline.series.get(layer)).map(|series| series.name.clone()));
    if let Times::Processor(snapshots) = &axes.times {
        words.extend(snapshots::flag_at(snapshots, plot, pointed_us).map(|flag| format!("event “{}”", flag.name)));
    }
    tag(plot, x, plot.bottom - 8.0, words.join(" · "), Paint::Muted, text, ops);
}

/// A label beside a line, on the side that has room.
fn tag(plot: &Plot, x: f64, y: f64, label: String, fill: Paint, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let width = text.width(&label, Font::SmallBold);
    let (x, align) = if x + 8.0 + width <= plot.right { (x + 8.0, Align::Left) } else { (x - 8.0, Align::Right) };
    ops.push(Op::Text { x, y, text: label, fill, align, font: Font::SmallBold });
}

fn small(x: f64, y: f64, text: String, fill: Paint, align: Align) -> Op {
    Op::Text { x, y, text, fill, align, font: Font::Small }
}

fn line(points: Vec<(f64, f64)>, stroke: Paint, width: f64) -> Op {
    Op::Line { points, stroke, width, dash: Dash::Solid }
}

#[cfg(test)]
mod tests;
