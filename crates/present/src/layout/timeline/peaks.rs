//! The peak of the curve, and the peak of the trace if the filter moves it.

use super::{Axes, Plot, Times, tag};
use crate::format;
use crate::layout::draw::{Dash, Op, Paint, TextWidth};
use camlscope_engine::query::timeline::Timeline;

/// `peak 31.6 MiB at 2.19 s`.
pub fn label(timeline: &Timeline, axes: &Axes) -> String {
    let name = if timeline.filter_peak().is_some() { "filter’s peak" } else { "peak" };
    format!("{name} {} at {}", axes.amount(timeline.peak.bytes), time(axes, timeline.peak.at_us))
}

/// Marks the peak of the trace if the filtered peak is elsewhere. The curve doesn't show the entire trace, so the label
/// is near the bottom.
pub fn trace_peak(timeline: &Timeline, plot: &Plot, axes: &Axes, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let at_us = timeline.unfiltered_peak.at_us;
    if timeline.filter_peak().is_none() || !plot.shows(at_us as f64) {
        return;
    }
    let x = plot.x(at_us as f64);
    let points = vec![(x, plot.top), (x, plot.bottom)];
    ops.push(Op::Line { points, stroke: Paint::Faint, width: 1.0, dash: Dash::Dotted });
    let label = format!("trace’s peak at {}", time(axes, at_us));
    tag(plot, x, plot.bottom - 22.0, label, Paint::Muted, text, ops);
}

/// Formats with three digits, or as the time of day with milliseconds.
fn time(axes: &Axes, us: u64) -> String {
    match axes.times {
        Times::OfDay(_) => axes.time_words(us),
        Times::Elapsed | Times::Cpu(_) => format::duration_us(us),
    }
}
