//! The facts about a selected time range: start, duration, bytes allocated and rate.

use super::Axes;
use crate::format;
use camlscope_engine::query::filter::Span;
use camlscope_engine::query::timeline::{Graph, Timeline};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeRange {
    pub from_us: f64,
    pub to_us: f64,
    /// In bytes, from the steps of the curve. Steps at both ends count partially.
    pub allocated: f64,
}

impl TimeRange {
    /// Returns the part of a span that the curve covers.
    pub fn new(span: Span, timeline: &Timeline, graph: Graph) -> TimeRange {
        let (first, last) = (timeline.from_us as f64, timeline.to_us as f64);
        let from_us = span.from.map_or(first, |us| us as f64).clamp(first, last.max(first));
        let to_us = span.to.map_or(last, |us| us as f64).clamp(from_us, last.max(from_us));
        let step_us = timeline.step_us.max(f64::MIN_POSITIVE);
        let step_of = |us: f64| (us - first) / step_us;
        let allocated = match graph {
            // This curve is cumulative.
            Graph::Allocated => {
                let so_far = |us: f64| {
                    let at = (step_of(us) as usize).min(timeline.live_last.len().saturating_sub(1));
                    timeline.live_last.get(at).copied().unwrap_or(0.0)
                };
                so_far(to_us) - so_far(from_us)
            }
            Graph::LiveBytes | Graph::LiveBlocks => {
                let covered = |step: usize| {
                    let (begin, end) = (step as f64, step as f64 + 1.0);
                    (step_of(to_us).min(end) - step_of(from_us).max(begin)).max(0.0)
                };
                timeline.allocated.iter().enumerate().map(|(step, bytes)| bytes * covered(step)).sum()
            }
        };
        TimeRange { from_us, to_us, allocated }
    }

    /// `from 12 s, 4.2 s long · about 1.20 MiB allocated, 290 KiB/s`.
    pub fn words(&self, axes: &Axes) -> String {
        let long_us = self.to_us - self.from_us;
        let (from, long) = (axes.time_words(self.from_us as u64), format::duration_us(long_us as u64));
        let amount = format!("about {} allocated", axes.units.bytes(self.allocated));
        match long_us > 0.0 {
            true => {
                format!("from {from}, {long} long · {amount}, {}/s", axes.units.bytes(self.allocated / long_us * 1e6))
            }
            false => format!("from {from}, {long} long · {amount}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve() -> Timeline {
        let (allocated, live_last) = (vec![1024.0, 3072.0, 0.0, 1024.0], vec![1.0, 4.0, 4.0, 5.0]);
        Timeline { from_us: 0, to_us: 4_000_000, step_us: 1e6, allocated, live_last, ..Timeline::default() }
    }

    #[test]
    fn a_time_range_shows_its_start_duration_and_rate() {
        let range = TimeRange::new(Span::new(500_000, 2_500_000), &curve(), Graph::LiveBytes);
        assert_eq!(range.allocated, 512.0 + 3072.0);
        assert_eq!(range.words(&Axes::default()), "from 0.5 s, 2.00 s long · about 3.50 KiB allocated, 1.75 KiB/s");
    }

    #[test]
    fn the_full_range_has_all_allocations_and_an_empty_one_has_none() {
        let allocated = |span: Span| TimeRange::new(span, &curve(), Graph::LiveBytes).allocated;
        assert_eq!(allocated(Span { from: None, to: None }), 5120.0);
        assert_eq!(allocated(Span::new(0, 9_000_000)), 5120.0);
        assert_eq!(allocated(Span::new(1_500_000, 1_500_000)), 0.0);
    }

    #[test]
    fn on_a_cumulative_curve_a_range_is_the_difference() {
        assert_eq!(TimeRange::new(Span::new(0, 3_500_000), &curve(), Graph::Allocated).allocated, 4.0);
    }
}
