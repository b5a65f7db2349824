//! Bytes per second that were never freed, as bars by allocation time. Steady growth makes bars that are as high at the
//! end as at the start. Objects that are too young to judge are mostly still in use, so their bars are pale on a
//! hatched background and don't affect the scale.

use super::axis::{byte_ticks, time_ticks};
use super::draw::{Align, Dash, Font, Op, Paint, TextWidth};
use crate::format::{self, Units};
use camlscope_engine::query::filter::Span;
use camlscope_engine::query::growth::{Change, Growth, HeapGrowth, Rate, Verdict, Window};

/// The bytes of one time range that were never freed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    pub from_us: u64,
    /// Exclusive.
    pub to_us: u64,
    pub bytes_per_s: f64,
    /// The part that passes the filter and comes from the selection, or `None` without a filter or selection.
    pub passing: Option<f64>,
    pub is_young: bool,
}

impl Bar {
    /// The range of allocation times.
    pub fn span(&self) -> Span {
        Span::new(self.from_us, self.to_us.saturating_sub(1).max(self.from_us))
    }
}

/// With fewer samples per bar on average, bars are mostly noise.
const MIN_SAMPLES: u64 = 4;
const MIN_BAR_PX: f64 = 4.0;
const MAX_STEPS: usize = 8;

/// Returns the bars of a trace, as many as the samples and the width allow.
pub fn bars(growth: &Growth, shows_passing: bool, width: f64) -> Vec<Bar> {
    let heap = &growth.heap;
    let n_steps = heap.bars.len();
    let samples = heap.samples.max(heap.grown_samples);
    let is_fine = |per_bar: &usize| {
        let n_bars = (n_steps / per_bar).max(1);
        samples / n_bars as u64 >= MIN_SAMPLES && width / n_bars as f64 >= MIN_BAR_PX
    };
    let per_bar = [1, 2, 4].into_iter().find(is_fine).unwrap_or(MAX_STEPS);
    let n_judged = (0..n_steps).filter(|&step| heap.step_us(step) < heap.judged_until_us()).count();
    let mut bars = Vec::new();
    let mut from = 0;
    while from < n_steps {
        let mut to = ((from / per_bar + 1) * per_bar).min(n_steps);
        // A bar is either old enough or too young, never both.
        if from < n_judged {
            to = to.min(n_judged);
        }
        let mean = |values: &[f64]| values.get(from..to).unwrap_or_default().iter().sum::<f64>() / (to - from) as f64;
        bars.push(Bar {
            from_us: heap.step_us(from),
            to_us: heap.step_us(to),
            bytes_per_s: mean(&heap.bars),
            passing: shows_passing.then(|| mean(&growth.passing.bars)),
            is_young: from >= n_judged,
        });
        from = to;
    }
    bars
}

/// The position of the bars, in CSS pixels. The left and right edges match the page's timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plot {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    from_us: f64,
    to_us: f64,
    max_bytes_per_s: f64,
}

const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
/// Two lines of labels.
const TOP: f64 = 34.0;
const LABEL_LINES: [f64; 2] = [8.0, 23.0];
const BOTTOM: f64 = 20.0;
/// The space above the highest bar that counts.
const HEADROOM: f64 = 1.12;

impl Plot {
    /// `shown` is the time range of the timeline.
    pub fn new((width, height): (f64, f64), heap: &HeapGrowth, bars: &[Bar], shown: Option<Span>) -> Plot {
        let left = LEFT.min(width / 4.0);
        let from_us = shown.and_then(|span| span.from).unwrap_or(0) as f64;
        let to_us = shown.and_then(|span| span.to).unwrap_or(heap.end_us) as f64;
        Plot {
            left,
            right: (width - RIGHT).max(left + 1.0),
            top: TOP,
            bottom: height - BOTTOM,
            from_us,
            to_us: to_us.max(from_us + 1.0),
            max_bytes_per_s: HEADROOM * max_bytes_per_s(heap, bars),
        }
    }

    /// Returns the bar at a position, or the nearest one.
    pub fn bar_at(&self, bars: &[Bar], x: f64) -> Option<usize> {
        let us = self.from_us + (x - self.left) / (self.right - self.left) * (self.to_us - self.from_us);
        let at = bars.partition_point(|bar| bar.to_us as f64 <= us);
        (!bars.is_empty()).then(|| at.min(bars.len() - 1))
    }

    fn x(&self, us: u64) -> f64 {
        let share = (us as f64 - self.from_us) / (self.to_us - self.from_us);
        self.left + share.clamp(0.0, 1.0) * (self.right - self.left)
    }

    fn y(&self, bytes_per_s: f64) -> f64 {
        let share = if self.max_bytes_per_s > 0.0 { bytes_per_s / self.max_bytes_per_s } else { 0.0 };
        self.bottom - share.clamp(0.0, 1.0) * (self.bottom - self.top)
    }
}

/// Returns the top of the scale. Bars of startup and of objects that are too young may be far higher and are clipped.
/// Bars that the verdict depends on are not.
fn max_bytes_per_s(heap: &HeapGrowth, bars: &[Bar]) -> f64 {
    let highest = |counts: &dyn Fn(&Bar) -> bool| {
        bars.iter().filter(|bar| counts(bar)).map(|bar| bar.bytes_per_s).fold(0.0, f64::max)
    };
    let start_us = start_up(heap).map_or(0, |window| window.to_us);
    let of_verdict = highest(&|bar| !bar.is_young && bar.from_us >= start_us);
    let interval = line(heap).map_or(0.0, |(_, rate)| match heap.verdict {
        // Draws a bound at half the height, because it isn't a bar.
        Verdict::Level => 2.0 * rate.high,
        _ => rate.high,
    });
    match of_verdict.max(interval) {
        0.0 => highest(&|_| true),
        most => most,
    }
}

/// The first segment, if the growth began later.
pub fn start_up(heap: &HeapGrowth) -> Option<Window> {
    let first = heap.segments.first()?.window;
    let is_apart = first.to_us <= heap.grown.from_us && !heap.grown.is_empty();
    let rates = heap.segments.first().zip(heap.grown_rate);
    let is_higher = rates.is_some_and(|(first, grown)| first.rate.bytes_per_s > grown.bytes_per_s);
    (is_apart && is_higher).then_some(first)
}

/// The rate that is drawn as a line, and its time range.
fn line(heap: &HeapGrowth) -> Option<(Window, Rate)> {
    match heap.verdict {
        Verdict::Growing | Verdict::Stopped => heap.grown_rate.map(|rate| (heap.grown, rate)),
        Verdict::Level => heap.rate.map(|rate| (heap.window, rate)),
        Verdict::Undecided(_) | Verdict::NothingAllocated => None,
    }
}

/// The bars under the pointer and in the selection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marks {
    /// From one bar to another, inclusive.
    pub pointed: Option<(usize, usize)>,
    pub selected: Option<Span>,
}

/// `start_us` is the start of the trace since the Unix epoch, if the axis shows the time of day.
pub fn draw(
    heap: &HeapGrowth,
    bars: &[Bar],
    plot: &Plot,
    marks: Marks,
    start_us: Option<u64>,
    units: Units,
    text: &dyn TextWidth,
) -> Vec<Op> {
    let mut drawing = Drawing { plot, units, text, ops: Vec::new() };
    drawing.grid(start_us);
    if let Some(window) = start_up(heap) {
        drawing.label(0, plot.x(window.from_us), "startup".to_owned(), Align::Left);
    }
    for change in heap.since.iter().chain(&heap.until) {
        drawing.band(change.low_us, change.high_us, Paint::Hover);
    }
    if let Some((from, to)) = marks.pointed
        && let (Some(first), Some(last)) = (bars.get(from), bars.get(to))
    {
        drawing.band(first.from_us, last.to_us, Paint::Hover);
    }
    let selected = marks.selected.map(|span| (span.from.unwrap_or(0), span.to.unwrap_or(heap.end_us)));
    if let Some((from_us, to_us)) = selected {
        drawing.band(from_us, to_us, Paint::AccentSoft);
    }
    drawing.interval(heap);
    for bar in bars {
        drawing.bar(bar);
    }
    drawing.young(heap.judged_until_us(), heap.end_us);
    drawing.rate(heap);
    if let Some(since) = heap.since {
        drawing.change(since, "since");
    }
    if let Some(until) = heap.until {
        drawing.change(until, "until");
    }
    if let Some((from_us, to_us)) = selected {
        let (x, h) = (plot.x(from_us), plot.bottom - plot.top);
        let w = (plot.x(to_us) - x).max(2.0);
        drawing.ops.push(Op::Frame { x, y: plot.top, w, h, stroke: Paint::Accent, width: 1.0 });
    }
    drawing.ops
}

struct Drawing<'a> {
    plot: &'a Plot,
    units: Units,
    text: &'a dyn TextWidth,
    ops: Vec<Op>,
}

impl Drawing<'_> {
    fn grid(&mut self, start_us: Option<u64>) {
        let plot = self.plot;
        for bytes in byte_ticks(plot.max_bytes_per_s, 3, self.units) {
            let y = plot.y(bytes).round() + 0.5;
            self.line(vec![(plot.left, y), (plot.right, y)], Paint::Line, 1.0, Dash::Solid);
            let label = if bytes == 0.0 { "0".to_owned() } else { format!("{}/s", self.units.bytes(bytes)) };
            self.words(plot.left - 6.0, y, label, Align::Right);
        }
        let n_ticks = ((plot.right - plot.left) / 90.0).max(2.0) as usize;
        for us in time_ticks(plot.from_us, plot.to_us, n_ticks) {
            let us = us as u64;
            let label = start_us.map_or_else(|| format::elapsed_us(us), |start_us| format::time_of_day(start_us + us));
            let half = self.text.width(&label, Font::Small) / 2.0;
            let x = plot.x(us).clamp(plot.left + half, (plot.right + 14.0 - half).max(plot.left + half));
            self.words(x, plot.bottom + 11.0, label, Align::Center);
        }
    }

    /// Hatches a time range, on top of the bars.
    fn young(&mut self, from_us: u64, end_us: u64) {
        const DISTANCE: f64 = 7.0;
        let Plot { top, bottom, .. } = *self.plot;
        let (left, right) = (self.plot.x(from_us), self.plot.x(end_us));
        if right - left < 1.0 {
            return;
        }
        let height = bottom - top;
        let mut foot = left - height;
        while foot < right {
            // Rises at 45°, clipped at both sides.
            let (begin, end) = (foot.max(left), (foot + height).min(right));
            if end > begin {
                let y = |x: f64| bottom - (x - foot);
                self.line(vec![(begin, y(begin)), (end, y(end))], Paint::Behind, 1.0, Dash::Solid);
            }
            foot += DISTANCE;
        }
        self.label(0, right, "too young to judge".to_owned(), Align::Right);
    }

    fn band(&mut self, from_us: u64, to_us: u64, fill: Paint) {
        let (x, y) = (self.plot.x(from_us), self.plot.top);
        let (w, h) = (self.plot.x(to_us) - x, self.plot.bottom - y);
        self.ops.push(Op::Rect { x, y, w, h, fill });
    }

    fn bar(&mut self, bar: &Bar) {
        let (all, passing) = match (bar.is_young, bar.passing) {
            (true, _) => (Paint::Other, Paint::AccentSoft),
            (false, None) => (Paint::Accent, Paint::Accent),
            (false, Some(_)) => (Paint::Behind, Paint::Accent),
        };
        self.piece(bar, bar.bytes_per_s, all);
        if let Some(bytes_per_s) = bar.passing {
            self.piece(bar, bytes_per_s, passing);
        }
    }

    fn piece(&mut self, bar: &Bar, bytes_per_s: f64, fill: Paint) {
        const GAP: f64 = 1.0;
        let plot = self.plot;
        let (x, w) = (plot.x(bar.from_us), plot.x(bar.to_us) - plot.x(bar.from_us));
        if bytes_per_s <= 0.0 || w <= 0.0 {
            return;
        }
        // Even the smallest bar is visible.
        let h = (plot.bottom - plot.y(bytes_per_s)).max(1.0);
        let w = (w - GAP).max(1.0);
        self.ops.push(Op::Rect { x, y: plot.bottom - h, w, h, fill });
        if bytes_per_s > plot.max_bytes_per_s {
            // A gap marks a bar that is clipped.
            self.ops.push(Op::Rect { x, y: plot.top + 5.0, w, h: 2.0, fill: Paint::Surface });
        }
    }

    /// Draws the 95% interval of the rate behind the bars. A level heap only has a bound.
    fn interval(&mut self, heap: &HeapGrowth) {
        let Some((window, Rate { low, high, .. })) = line(heap).filter(|_| heap.verdict != Verdict::Level) else {
            return;
        };
        let (x, y) = (self.plot.x(window.from_us), self.plot.y(high));
        let (w, h) = (self.plot.x(window.to_us) - x, self.plot.y(low) - y);
        self.ops.push(Op::Rect { x, y, w, h, fill: Paint::AccentSoft });
    }

    /// Draws the mean rate over its time range, or the bound for a level heap.
    fn rate(&mut self, heap: &HeapGrowth) {
        let Some((window, rate)) = line(heap) else { return };
        let (value, before, dash) = match heap.verdict {
            Verdict::Level => (rate.high, "below ", Dash::Dotted),
            _ => (rate.bytes_per_s, "", Dash::Solid),
        };
        let (left, right, y) = (self.plot.x(window.from_us), self.plot.x(window.to_us), self.plot.y(value));
        self.line(vec![(left, y), (right, y)], Paint::Ink, 1.5, dash);
        let label = format!("{before}{}/s", self.units.bytes(value));
        let w = self.text.width(&label, Font::SmallBold) + 8.0;
        // Next to the end of the line if there is room, so that it doesn't cover any bar that counts.
        let is_beside = right + w < self.plot.right;
        let x = if is_beside { right + 4.0 } else { (right - w).max(self.plot.left) };
        let y = if is_beside { y } else { (y - 11.0).max(self.plot.top + 8.0) };
        self.ops.push(Op::Rect { x, y: y - 8.0, w, h: 16.0, fill: Paint::Surface });
        let (fill, align, font) = (Paint::Ink, Align::Left, Font::SmallBold);
        self.ops.push(Op::Text { x: x + 4.0, y, text: label, fill, align, font });
    }

    fn change(&mut self, change: Change, word: &str) {
        if !(self.plot.from_us..=self.plot.to_us).contains(&(change.at_us as f64)) {
            return;
        }
        let x = self.plot.x(change.at_us).round() + 0.5;
        self.line(vec![(x, LABEL_LINES[1] - 6.0), (x, self.plot.bottom)], Paint::Ink, 1.0, Dash::Dotted);
        let label = format!("{word} {}", format::duration_us(change.at_us));
        let has_room = x + 4.0 + self.text.width(&label, Font::Small) < self.plot.right + RIGHT;
        let (x, align) = if has_room { (x + 4.0, Align::Left) } else { (x - 4.0, Align::Right) };
        self.label(1, x, label, align);
    }

    /// Adds a label above the bars, in one of two lines.
    fn label(&mut self, line: usize, x: f64, text: String, align: Align) {
        self.words(x, LABEL_LINES[line], text, align);
    }

    fn words(&mut self, x: f64, y: f64, text: String, align: Align) {
        self.ops.push(Op::Text { x, y, text, fill: Paint::Muted, align, font: Font::Small });
    }

    fn line(&mut self, points: Vec<(f64, f64)>, stroke: Paint, width: f64, dash: Dash) {
        self.ops.push(Op::Line { points, stroke, width, dash });
    }
}

#[cfg(test)]
mod tests;
