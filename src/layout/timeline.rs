//! The timeline as shapes: the curve or its layers, rates below, ticks, and what the reader has marked.

mod both;

pub use both::{BothPlots, draw_both, draw_both_marks};

use super::axis::{byte_ticks, time_ticks};
use super::color::{self, Tint};
use super::draw::{Align, Dash, Font, Op, Paint, TextWidth};
use crate::format;
use crate::query::filter::{Heap, Span, When};
use crate::query::timeline::{Series, SeriesOf, Timeline};

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

/// What the reader has marked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marks {
    pub brush: Option<Span>,
    pub cursor: Option<When>,
    /// µs since the trace's start, under the pointer.
    pub hover_us: Option<f64>,
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

/// All but the marks. If ticks show the time of day, `wall_clock_us` is the trace's start in µs since the Unix epoch.
pub fn draw(timeline: &Timeline, plot: &Plot, wall_clock_us: Option<u64>, text: &dyn TextWidth) -> Vec<Op> {
    let mut ops = Vec::new();
    grid(plot, wall_clock_us, text, &mut ops);
    if timeline.series.is_empty() {
        curve(timeline, plot, &mut ops);
    } else {
        layers(timeline, plot, &mut ops);
    }
    rates(timeline, plot, &mut ops);
    peak(timeline, plot, text, &mut ops);
    ops
}

/// What lies above it, and moves with the reader's hand.
pub fn draw_marks(timeline: &Timeline, plot: &Plot, marks: &Marks, text: &dyn TextWidth) -> Vec<Op> {
    let mut ops = Vec::new();
    brush(plot, marks, &mut ops);
    cursor(timeline, plot, marks, text, &mut ops);
    ops
}

/// A layer's colour: a module's own, or one of the few for heaps and domains.
pub fn paint_of(series: &Series) -> Paint {
    match &series.of {
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
        SeriesOf::Others { .. } => Paint::Other,
    }
}

fn grid(plot: &Plot, wall_clock_us: Option<u64>, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    byte_grid(plot, ops);
    let times = time_ticks(plot.from_us, plot.to_us, n_time_ticks(plot)).into_iter().map(|us| {
        let label = match wall_clock_us {
            Some(start_us) => format::time_of_day(start_us + us as u64),
            None => format::elapsed_us(us as u64),
        };
        (us, label)
    });
    time_labels(plot, times, text, ops);
}

fn byte_grid(plot: &Plot, ops: &mut Vec<Op>) {
    for bytes in byte_ticks(plot.max_bytes, 3) {
        let y = plot.y(bytes).round() + 0.5;
        ops.push(line(vec![(plot.left, y), (plot.right, y)], Paint::Line, 1.0));
        let label = if bytes == 0.0 { "0".to_owned() } else { format::bytes(bytes) };
        ops.push(small(plot.left - 6.0, y, label, Paint::Faint, Align::Right));
    }
}

/// As many as have room beside each other.
fn n_time_ticks(plot: &Plot) -> usize {
    ((plot.right - plot.left) / 90.0).max(2.0) as usize
}

/// Labels below the picture, each at its time, none beyond the edges.
fn time_labels(plot: &Plot, times: impl IntoIterator<Item = (f64, String)>, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let y = plot.rates_bottom + 11.0;
    for (us, label) in times {
        let half = text.width(&label, Font::Small) / 2.0;
        let x = plot.x(us).clamp(plot.left + half, (plot.right + 14.0 - half).max(plot.left + half));
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
    for series in &timeline.series {
        let lower: Vec<(f64, f64)> = base.iter().enumerate().map(|(step, &bytes)| (x(step), plot.y(bytes))).collect();
        for (bytes, more) in base.iter_mut().zip(&series.live_last) {
            *bytes += more;
        }
        let mut points: Vec<(f64, f64)> =
            base.iter().enumerate().map(|(step, &bytes)| (x(step), plot.y(bytes))).collect();
        points.extend(lower.into_iter().rev());
        ops.push(Op::Area { points, fill: paint_of(series) });
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

fn peak(timeline: &Timeline, plot: &Plot, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let at_us = timeline.peak.at_us as f64;
    if timeline.peak.samples == 0 || !plot.shows(at_us) {
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
    let label = format!("peak {} at {}", format::bytes(timeline.peak.bytes), format::duration_us(timeline.peak.at_us));
    tag(plot, x, plot.top + 6.0, label, Paint::Ink, text, ops);
}

fn cursor(timeline: &Timeline, plot: &Plot, marks: &Marks, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    if let Some(When::At(us)) = marks.cursor
        && plot.shows(us as f64)
    {
        let x = plot.x(us as f64);
        ops.push(Op::Rect { x: x - 0.75, y: plot.top, w: 1.5, h: plot.rates_bottom - plot.top, fill: Paint::Accent });
        let label = format!("live at {}", format::elapsed_us(us));
        tag(plot, x, plot.top + 20.0, label, Paint::Accent, text, ops);
    }
    if let Some(us) = marks.hover_us
        && plot.shows(us)
    {
        let x = plot.x(us);
        ops.push(line(vec![(x, plot.top), (x, plot.bottom)], Paint::Faint, 1.0));
        let step = ((us - plot.from_us) / timeline.step_us.max(f64::MIN_POSITIVE)) as usize;
        if let Some(&bytes) = timeline.live_last.get(step.min(timeline.live_last.len().saturating_sub(1))) {
            let label = format!("{} · {}", format::elapsed_us(us as u64), format::bytes(bytes));
            tag(plot, x, plot.bottom - 8.0, label, Paint::Muted, text, ops);
        }
    }
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
mod tests {
    use super::*;
    use crate::layout::draw::FixedWidth;
    use crate::query::summary::PeakSummary;

    fn timeline() -> Timeline {
        Timeline {
            from_us: 0,
            to_us: 4_000_000,
            step_us: 1e6,
            live_min: vec![0.0, 1024.0, 512.0, 512.0],
            live_max: vec![1024.0, 4096.0, 1024.0, 512.0],
            live_last: vec![1024.0, 1024.0, 512.0, 512.0],
            allocated: vec![1024.0, 3072.0, 0.0, 0.0],
            promoted: vec![0.0; 4],
            peak: PeakSummary { samples: 4, bytes: 4096.0, at_us: 1_500_000 },
            ..Timeline::default()
        }
    }

    #[test]
    fn a_place_on_the_screen_and_a_time_say_the_same() {
        let plot = Plot::new(800.0, 140.0, &timeline());
        for us in [0.0, 1e6, 3.9e6] {
            assert!((plot.us(plot.x(us)) - us).abs() < 1e-3);
        }
        assert_eq!((plot.us(-100.0), plot.us(1e9)), (0.0, 4e6));
        assert_eq!((plot.y(0.0), plot.y(4096.0)), (plot.bottom, plot.top));
    }

    #[test]
    fn a_spike_within_one_step_reaches_the_top_and_the_peak_is_labelled() {
        let (timeline, text) = (timeline(), FixedWidth(6.0));
        let plot = Plot::new(800.0, 140.0, &timeline);
        let ops = draw(&timeline, &plot, None, &text);
        let reaches_top = |points: &[(f64, f64)]| points.iter().any(|&(_, y)| y == plot.top);
        assert!(ops.iter().any(|op| matches!(op, Op::Area { points, .. } if reaches_top(points))));
        assert!(ops.iter().any(|op| matches!(op, Op::Text { text, .. } if text == "peak 4.00 KiB at 1.50 s")));
    }

    #[test]
    fn a_label_at_the_right_edge_turns_to_the_left() {
        let (timeline, text) = (timeline(), FixedWidth(6.0));
        let plot = Plot::new(800.0, 140.0, &timeline);
        let marks = Marks { cursor: Some(When::At(3_990_000)), ..Marks::default() };
        let ops = draw_marks(&timeline, &plot, &marks, &text);
        let label = ops.iter().find_map(|op| match op {
            Op::Text { x, text, align, .. } if text.starts_with("live at") => Some((*x, *align)),
            _ => None,
        });
        assert!(matches!(label, Some((x, Align::Right)) if x < plot.right));
    }

    #[test]
    fn what_is_pointed_at_is_as_round_as_a_pixel_is_wide() {
        // 4 s on 1,000 px: a pixel is 4 ms.
        let plot = Plot::new(1_080.0, 140.0, &timeline());
        assert_eq!(plot.right - plot.left, 1_000.0);
        assert_eq!(plot.pointed_us(plot.left + 333.3), 1_333_000.0);
        assert_eq!((plot.pointed_us(0.0), plot.pointed_us(5_000.0)), (0.0, 4_000_000.0));
    }
}
