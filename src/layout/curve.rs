//! A site at length: its live curve, and below it, on the same axis of time, what each step allocated and how much of that
//! is still alive. Whoever leaks has survivors of every age; a cache that turns over has only young ones.

use super::axis::{byte_ticks, time_ticks};
use super::draw::{Align, Dash, Font, Op, Paint, TextWidth};
use super::format;
use crate::query::leaks::site::SiteStory;

/// Where the two parts lie. Lengths are CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plot {
    left: f64,
    right: f64,
    /// Of the curve, and of the bars below it.
    curve: (f64, f64),
    bars: (f64, f64),
    n_steps: usize,
}

const LEFT: f64 = 62.0;
const RIGHT: f64 = 10.0;
const TITLE: f64 = 18.0;
const AXIS: f64 = 18.0;

impl Plot {
    pub fn new(width: f64, height: f64, n_steps: usize) -> Plot {
        let middle = ((height - AXIS) * 0.6).round();
        Plot {
            left: LEFT,
            right: (width - RIGHT).max(LEFT + 1.0),
            curve: (TITLE, middle - 6.0),
            bars: (middle + TITLE, height - AXIS),
            n_steps,
        }
    }

    /// The step under a place; none beside the plot.
    pub fn step_at(&self, x: f64) -> Option<usize> {
        let share = (x - self.left) / (self.right - self.left);
        ((0.0..1.0).contains(&share) && self.n_steps > 0).then_some((share * self.n_steps as f64) as usize)
    }

    /// Where a step begins.
    fn x(&self, step: usize) -> f64 {
        self.left + (self.right - self.left) * step as f64 / self.n_steps.max(1) as f64
    }
}

pub fn draw(story: &SiteStory, plot: &Plot, hover: Option<usize>, text: &dyn TextWidth) -> Vec<Op> {
    let mut ops = Vec::new();
    if let Some(step) = hover {
        let (x, w) = (plot.x(step), plot.x(step + 1) - plot.x(step));
        ops.push(Op::Rect { x, y: plot.curve.0, w, h: plot.bars.1 - plot.curve.0, fill: Paint::Hover });
    }
    let highest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let most_live = highest(&story.live);
    let y = grid(plot, "Live bytes", plot.curve, most_live, &mut ops);
    // At the trace's start nothing is live.
    let mut line = vec![(plot.left, y(0.0))];
    line.extend(story.live.iter().enumerate().map(|(step, &bytes)| (plot.x(step + 1), y(bytes))));
    let mut area = line.clone();
    area.push((plot.right, y(0.0)));
    ops.push(Op::Area { points: area, fill: Paint::AccentSoft });
    ops.push(Op::Line { points: line, stroke: Paint::Accent, width: 1.5, dash: Dash::Solid });

    let y = grid(
        plot,
        "Allocated a step, and of that still alive at the end",
        plot.bars,
        highest(&story.allocated),
        &mut ops,
    );
    for (values, fill) in [(&story.allocated, Paint::Behind), (&story.kept, Paint::Accent)] {
        for (step, &bytes) in values.iter().enumerate().filter(|(_, bytes)| **bytes > 0.0) {
            // What is there is seen.
            let h = (plot.bars.1 - y(bytes)).max(1.0);
            let w = (plot.x(step + 1) - plot.x(step) - 1.0).max(1.0);
            ops.push(Op::Rect { x: plot.x(step), y: plot.bars.1 - h, w, h, fill });
        }
    }
    times(story, plot, text, &mut ops);
    ops
}

/// Title and lines of one part; returns where an amount lies.
fn grid(
    plot: &Plot,
    title: &str,
    (top, bottom): (f64, f64),
    most: f64,
    ops: &mut Vec<Op>,
) -> impl Fn(f64) -> f64 + use<> {
    let y = move |bytes: f64| bottom - if most > 0.0 { bytes / most * (bottom - top) } else { 0.0 };
    for bytes in byte_ticks(most, 4) {
        let at = y(bytes).round() + 0.5;
        let points = vec![(plot.left, at), (plot.right, at)];
        ops.push(Op::Line { points, stroke: Paint::Line, width: 1.0, dash: Dash::Solid });
        let label = if bytes == 0.0 { "0".to_owned() } else { format::bytes(bytes) };
        ops.push(words(plot.left - 6.0, at, label, Align::Right, Font::Small));
    }
    ops.push(words(plot.left, top - 11.0, title.to_owned(), Align::Left, Font::SmallBold));
    y
}

fn times(story: &SiteStory, plot: &Plot, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let end_us = story.step_us * plot.n_steps as f64;
    let n_ticks = ((plot.right - plot.left) / 90.0).max(2.0) as usize;
    for us in time_ticks(0.0, end_us, n_ticks) {
        let label = format::elapsed_us(us as u64);
        let half = text.width(&label, Font::Small) / 2.0;
        let x = plot.left + (plot.right - plot.left) * if end_us > 0.0 { us / end_us } else { 0.0 };
        let x = x.min(plot.right + RIGHT - half).max(half);
        ops.push(words(x, plot.bars.1 + 11.0, label, Align::Center, Font::Small));
    }
}

fn words(x: f64, y: f64, text: String, align: Align, font: Font) -> Op {
    Op::Text { x, y, text, fill: Paint::Muted, align, font }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::draw::FixedWidth;

    fn story() -> SiteStory {
        SiteStory {
            step_us: 1e6,
            live: vec![1024.0, 2048.0, 2048.0, 3072.0],
            allocated: vec![4096.0, 2048.0, 0.0, 1024.0],
            kept: vec![1024.0, 1024.0, 0.0, 1.0],
            stacks: Vec::new(),
            n_stacks: 0,
        }
    }

    #[test]
    fn bars_stand_on_one_line_and_even_the_smallest_is_seen() {
        let plot = Plot::new(472.0, 300.0, 4);
        let ops = draw(&story(), &plot, None, &FixedWidth(6.0));
        let bars = |wanted: Paint| -> Vec<(f64, f64, f64)> {
            ops.iter()
                .filter_map(|op| match *op {
                    Op::Rect { x, y, h, fill, .. } if fill == wanted => Some((x, y + h, h)),
                    _ => None,
                })
                .collect()
        };
        let (allocated, kept) = (bars(Paint::Behind), bars(Paint::Accent));
        assert_eq!(allocated.iter().map(|bar| bar.0).collect::<Vec<_>>(), [62.0, 162.0, 362.0]);
        assert!(allocated.iter().chain(&kept).all(|bar| bar.1 == 282.0), "{allocated:?} {kept:?}");
        assert_eq!(allocated[0].2, 4.0 * kept[0].2);
        assert_eq!(kept[2].2, 1.0);
    }

    #[test]
    fn the_curve_ends_at_the_right_edge_and_a_pointer_finds_its_step() {
        let plot = Plot::new(472.0, 300.0, 4);
        let ops = draw(&story(), &plot, Some(1), &FixedWidth(6.0));
        let line = ops.iter().find_map(|op| match op {
            Op::Line { points, stroke: Paint::Accent, .. } => Some(points.clone()),
            _ => None,
        });
        let line = line.expect("a curve");
        assert_eq!((line[0], line[4]), ((62.0, 163.0), (462.0, 18.0)));
        assert_eq!(
            [61.0, 62.0, 161.0, 162.0, 461.0, 463.0].map(|x| plot.step_at(x)),
            [None, Some(0), Some(0), Some(1), Some(3), None]
        );
        assert!(matches!(ops[0], Op::Rect { x: 162.0, fill: Paint::Hover, .. }));
    }

    #[test]
    fn a_site_of_an_empty_trace_has_axes_and_no_more() {
        let story = SiteStory {
            step_us: 0.0,
            live: vec![0.0],
            allocated: vec![0.0],
            kept: vec![0.0],
            stacks: Vec::new(),
            n_stacks: 0,
        };
        let ops = draw(&story, &Plot::new(300.0, 200.0, 1), None, &FixedWidth(6.0));
        assert!(!ops.iter().any(|op| matches!(op, Op::Rect { .. })));
    }
}
