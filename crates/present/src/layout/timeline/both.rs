//! Two overlaid traces: "before" as a line, "after" as a line on a pale area.

use super::{Plot, amount_grid, cpu_label, line, n_time_ticks, tag, time_labels};
use crate::format::{self, Units};
use crate::layout::axis::time_ticks;
use crate::layout::draw::{Align, Dash, Font, Op, Paint, TextWidth};
use camlscope_engine::query::timeline::point::TimelinePoint;
use camlscope_engine::query::timeline::{Graph, Timeline};

/// The position of both curves. They share an axis of bytes, and either share an axis of time or have one each, as long
/// as its trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BothPlots {
    pub before: Plot,
    pub after: Plot,
    pub is_stretched: bool,
    /// Times are CPU times, for two profiles.
    pub is_cpu_time: bool,
    pub units: Units,
}

/// A time range in µs.
pub type Bounds = (f64, f64);

impl BothPlots {
    /// `shown` is the visible time range of each trace. They are equal unless the traces are stretched.
    pub fn new(size: (f64, f64), curves: [&Timeline; 2], shown: [Bounds; 2]) -> BothPlots {
        let plots = curves.map(|curve| Plot::new(size.0, size.1, curve));
        let max_bytes = plots[0].max_bytes.max(plots[1].max_bytes);
        let plot = |which: usize| Plot {
            from_us: shown[which].0,
            to_us: shown[which].1.max(shown[which].0 + 1.0),
            max_bytes,
            // Two curves have no rates below.
            bottom: plots[which].rates_bottom,
            ..plots[which]
        };
        BothPlots { before: plot(0), after: plot(1), is_stretched: false, is_cpu_time: false, units: Units::default() }
    }
}

pub fn draw_both(before: &Timeline, after: &Timeline, plots: &BothPlots, text: &dyn TextWidth) -> Vec<Op> {
    let mut ops = Vec::new();
    grid(plots, text, &mut ops);
    let points = curve(after, &plots.after);
    let mut area = points.clone();
    if let (Some(&(first, _)), Some(&(last, _))) = (points.first(), points.last()) {
        area.extend([(last, plots.after.bottom), (first, plots.after.bottom)]);
    }
    ops.push(Op::Area { points: area, fill: Paint::AfterSoft });
    ops.push(line(curve(before, &plots.before), Paint::Before, 1.5));
    ops.push(line(points, Paint::After, 1.75));
    ops
}

/// Draws the compared times, one of each trace, and the figures of both at the pointer. `hover_us` is a time of the
/// first trace.
pub fn draw_both_marks(
    plots: &BothPlots,
    times: [Option<f64>; 2],
    hover_us: Option<f64>,
    points: [Option<&TimelinePoint>; 2],
    text: &dyn TextWidth,
) -> Vec<Op> {
    let mut ops = Vec::new();
    let both = [(&plots.before, Paint::Before, "A", -9.0), (&plots.after, Paint::After, "B", 9.0)];
    for ((plot, paint, letter, aside), us) in both.into_iter().zip(times) {
        let Some(us) = us.filter(|us| plot.shows(*us)) else { continue };
        let x = plot.x(us);
        let points = vec![(x, plot.top - 8.0), (x, plot.bottom)];
        ops.push(Op::Line { points, stroke: paint, width: 1.0, dash: Dash::Dotted });
        ops.push(Op::Dot { x: x + aside, y: plot.top, r: 8.0, fill: paint });
        let (x, y) = (x + aside, plot.top + 0.5);
        ops.push(Op::Text {
            x,
            y,
            text: letter.to_owned(),
            fill: Paint::Surface,
            align: Align::Center,
            font: Font::SmallBold,
        });
    }
    if let Some(us) = hover_us.filter(|us| plots.before.shows(*us)) {
        let x = plots.before.x(us);
        ops.push(line(vec![(x, plots.before.top), (x, plots.before.bottom)], Paint::Faint, 1.0));
        let amount = |(letter, point): (&str, &TimelinePoint)| match plots.is_cpu_time {
            // The two snapshots have different times.
            true => format!("{letter} {} at {}", plots.units.bytes(point.total), format::elapsed_us(point.at_us)),
            false => format!("{letter} {}", plots.units.bytes(point.total)),
        };
        let amounts = ["A", "B"].into_iter().zip(points).filter_map(|(letter, point)| Some(amount((letter, point?))));
        // The figures may still be those of the previous time, so they are shown with their own time.
        let read_us = points[0].map_or(us, |point| point.at_us as f64);
        let time = match (plots.is_stretched, plots.is_cpu_time) {
            (true, _) => Some(percent(plots, read_us)),
            (false, true) => None,
            (false, false) => Some(format::elapsed_us(points[1].map_or(read_us as u64, |point| point.at_us))),
        };
        let label = time.into_iter().chain(amounts).collect::<Vec<_>>().join(" · ");
        tag(&plots.before, x, plots.before.bottom - 8.0, label, Paint::Muted, text, &mut ops);
    }
    ops
}

/// Returns the times of both traces at the pointer. `None` before a curve starts and after it ends.
pub fn times_at(curves: [&Timeline; 2], plots: &BothPlots, hover_us: f64) -> [Option<u64>; 2] {
    let times = [hover_us, plots.after.us(plots.before.x(hover_us))].map(|us| us as u64);
    let is_within = |curve: &Timeline, us: &u64| (curve.from_us..=curve.to_us).contains(us);
    [0, 1].map(|at| Some(times[at]).filter(|us| is_within(curves[at], us)))
}

/// Returns the maximum of each step, so that a spike of a single event stays visible.
fn curve(timeline: &Timeline, plot: &Plot) -> Vec<(f64, f64)> {
    let x = |step: usize| plot.x(timeline.from_us as f64 + (step as f64 + 0.5) * timeline.step_us);
    timeline.live_max.iter().enumerate().map(|(step, &bytes)| (x(step), plot.y(bytes))).collect()
}

fn grid(plots: &BothPlots, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let plot = &plots.before;
    amount_grid(plot, Graph::LiveBytes, plots.units, ops);
    let ticks: Vec<(f64, String)> = if plots.is_stretched {
        let at = |part: f64| plot.from_us + part * (plot.to_us - plot.from_us);
        [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| (at(part), percent(plots, at(part)))).into()
    } else {
        let ticks = time_ticks(plot.from_us, plot.to_us, n_time_ticks(plot));
        ticks.into_iter().map(|us| (us, format::elapsed_us(us as u64))).collect()
    };
    let left = match plots.is_cpu_time && !plots.is_stretched {
        true => cpu_label(plot, text, ops),
        false => plot.left,
    };
    time_labels(plot, left, ticks, text, ops);
}

/// Formats a time as a percentage of the visible range.
fn percent(plots: &BothPlots, us: f64) -> String {
    let Plot { from_us, to_us, .. } = plots.before;
    format!("{:.0}% of the time", (us - from_us) / (to_us - from_us) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::draw::FixedWidth;

    fn curve_to(end_us: u64, live: Vec<f64>) -> Timeline {
        let step_us = end_us as f64 / live.len() as f64;
        let (live_max, live_last) = (live.clone(), live);
        Timeline { from_us: 0, to_us: end_us, step_us, live_max, live_last, ..Timeline::default() }
    }

    fn lines(ops: &[Op], wanted: Paint) -> Vec<(f64, f64)> {
        let found = ops.iter().find_map(|op| match op {
            Op::Line { points, stroke, .. } if *stroke == wanted => Some(points.clone()),
            _ => None,
        });
        found.expect("a line")
    }

    #[test]
    fn a_shorter_trace_ends_early_unless_it_is_stretched() {
        let (a, b) = (curve_to(4_000_000, vec![1.0; 4]), curve_to(2_000_000, vec![2.0; 4]));
        let end = |shown: [Bounds; 2], is_stretched: bool| {
            let plots = BothPlots { is_stretched, ..BothPlots::new((1_080.0, 136.0), [&a, &b], shown) };
            let ops = draw_both(&a, &b, &plots, &FixedWidth(6.0));
            let last = |paint| lines(&ops, paint).last().map(|point| point.0);
            (last(Paint::Before), last(Paint::After))
        };
        // The center of the last step is an eighth before the end of the curve.
        assert_eq!(end([(0.0, 4e6); 2], false), (Some(64.0 + 875.0), Some(64.0 + 437.5)));
        assert_eq!(end([(0.0, 4e6), (0.0, 2e6)], true), (Some(64.0 + 875.0), Some(64.0 + 875.0)));
    }

    #[test]
    fn both_curves_share_the_byte_axis_and_the_pointer_shows_both() {
        let (a, b) = (curve_to(4_000_000, vec![1024.0; 4]), curve_to(2_000_000, vec![4096.0; 4]));
        let plots = BothPlots::new((1_080.0, 136.0), [&a, &b], [(0.0, 4e6); 2]);
        assert_eq!((plots.before.max_bytes, plots.after.max_bytes), (4096.0, 4096.0));
        let label = |us: f64| {
            let point = |at_us: u64, total: f64| TimelinePoint { at_us, total, ..TimelinePoint::default() };
            let [one, two] = times_at([&a, &b], &plots, us);
            let (one, two) = (one.map(|us| point(us, 1024.0)), two.map(|us| point(us, 4096.0)));
            let points = [one.as_ref(), two.as_ref()];
            let ops = draw_both_marks(&plots, [Some(1e6), None], Some(us), points, &FixedWidth(6.0));
            ops.into_iter().rev().find_map(|op| if let Op::Text { text, .. } = op { Some(text) } else { None })
        };
        assert_eq!(label(1e6).as_deref(), Some("1 s · A 1.00 KiB · B 4.00 KiB"));
        assert_eq!(label(3e6).as_deref(), Some("3 s · A 1.00 KiB"), "B has ended by then");
    }
}
