//! The peak of the curve, and the peak of the trace if the filter moves it.

use super::{Axes, Plot, Times};
use crate::format;
use crate::layout::draw::{Align, Dash, Font, Op, Paint, TextWidth};
use camlscope_engine::query::timeline::Timeline;

/// `peak 31.6 MiB at 2.19 s`.
pub fn label(timeline: &Timeline, axes: &Axes) -> String {
    let name = if timeline.filter_peak().is_some() { "filter’s peak" } else { "peak" };
    format!("{name} {} at {}", axes.amount(timeline.peak.bytes), time(axes, timeline.peak.at_us))
}

/// Returns the middle of a label above the curve: at `x`, but within the plot.
pub fn label_x(plot: &Plot, x: f64, label: &str, text: &dyn TextWidth) -> f64 {
    let half = text.width(label, Font::SmallBold) / 2.0;
    x.clamp(plot.left + half, (plot.right - half).max(plot.left + half))
}

/// Marks the peak of the trace if the filtered peak is elsewhere. Its label is above the curve, next to the label of the
/// filtered peak if they would overlap.
pub fn trace_peak(timeline: &Timeline, plot: &Plot, axes: &Axes, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let at_us = timeline.unfiltered_peak.at_us;
    if timeline.filter_peak().is_none() || !plot.shows(at_us as f64) {
        return;
    }
    let x = plot.x(at_us as f64);
    let points = vec![(x, plot.top), (x, plot.bottom)];
    ops.push(Op::Line { points, stroke: Paint::Faint, width: 1.0, dash: Dash::Dotted });
    const GAP: f64 = 12.0;
    let (label, own) = (format!("trace’s peak at {}", time(axes, at_us)), label(timeline, axes));
    let width = |label: &str| text.width(label, Font::SmallBold);
    let own_x = label_x(plot, plot.x(timeline.peak.at_us as f64), &own, text);
    let apart = (width(&own) + width(&label)) / 2.0 + GAP;
    let mut label_x = label_x(plot, x, &label, text);
    if (label_x - own_x).abs() < apart && plot.shows(timeline.peak.at_us as f64) {
        label_x = if x < own_x { own_x - apart } else { own_x + apart };
    }
    let half = width(&label) / 2.0;
    // Without room, the line remains.
    if plot.left <= label_x - half && label_x + half <= plot.right {
        let (y, fill, align, font) = (plot.top - 11.0, Paint::Muted, Align::Center, Font::SmallBold);
        ops.push(Op::Text { x: label_x, y, text: label, fill, align, font });
    }
}

/// Formats with three digits, or as the time of day with milliseconds.
fn time(axes: &Axes, us: u64) -> String {
    match axes.times {
        Times::OfDay(_) => axes.time_words(us),
        Times::Elapsed | Times::Cpu(_) => format::duration_us(us),
    }
}
