//! Rules about behavior over time, with the reason for each threshold.

use std::ops::Range;

use super::rules::{MIN_SAMPLES, Rules};
use super::sums::{STEPS, most};
use super::{Evidence, Figures, Finding, ShareOf, View};
use crate::query::filter::{Clause, Span, When};
use crate::query::measure::Measure;
use crate::query::selection::Selection;
use crate::query::tree::Label;

/// A burst is at least twice the median of live bytes, and above half of its height for at most a fifth of the time.
const MIN_BURST: f64 = 2.0;
const MAX_BURST_TIME: f64 = 0.2;
/// A burst goes away again: at most this share of the peak is never freed, and at most this much is live at the end.
const MAX_BURST_LEFT: f64 = 0.5;
/// A rush is a step of the trace that allocates this many times the usual amount, and this share of all bytes. Smaller
/// peaks may come from a domain that reports its allocations all at once, when it collects.
const MIN_RUSH: f64 = 8.0;
const MIN_RUSH_SHARE: f64 = 0.02;
/// The minimum share of the trace for the longest time without any allocation.
const MIN_IDLE: f64 = 0.25;
/// In this time, an OCaml program has barely started.
const SHORT_US: u64 = 100_000;

impl Rules<'_> {
    pub(super) fn burst(&self) -> Option<Finding> {
        let peak = self.sums.all.peak;
        let mut live = self.sums.live.clone();
        live.sort_unstable();
        let median = live[live.len() / 2];
        let high = live.iter().filter(|&&live| 2 * live > peak).count();
        let left = self.sums.all.peak_kept.max(self.sums.all.end);
        let is_burst = peak as f64 >= MIN_BURST * median as f64
            && high as f64 <= MAX_BURST_TIME * STEPS as f64
            && left as f64 <= MAX_BURST_LEFT * peak as f64;
        // Both sums contain the same samples, so the difference must be significant by its own samples.
        (is_burst && peak - median.min(peak) >= MIN_SAMPLES).then(|| {
            let peak_us = self.trace.totals.peak.at_us;
            let span = Span::new(self.above_since(median, peak_us), peak_us);
            let by_key = self.allocated_in(&span, true);
            let n = by_key.iter().sum();
            let figures = self.figures(n, ShareOf::Peak);
            let (function, main_share) = self.most_of(&by_key, n).unzip();
            let evidence = Evidence::Burst {
                peak_bytes: self.bytes(peak),
                at_us: peak_us,
                median_bytes: self.bytes(median),
                main_share,
            };
            Finding {
                figures,
                function,
                filter: self.filter(vec![Clause::Allocated(span)]),
                measure: Measure::Live(When::Peak),
                weight: 1.5 * figures.share,
                ..self.finding(View::Flame, evidence)
            }
        })
    }

    pub(super) fn rush(&self) -> Option<Finding> {
        let mut busy: Vec<u64> = self.sums.allocated.iter().copied().filter(|&n| n > 0).collect();
        busy.sort_unstable();
        let usual = *busy.get(busy.len() / 2)?;
        let rushes = runs(&self.sums.allocated, |n| n as f64 >= MIN_RUSH * usual as f64);
        let allocated = |steps: &Range<usize>| self.sums.allocated[steps.clone()].iter().sum::<u64>();
        // The first one if there is a tie.
        let steps = rushes.iter().rev().max_by_key(|steps| allocated(steps))?;
        let n = allocated(steps);
        let figures = self.figures(n, ShareOf::Allocated);
        self.is_worth(&figures, MIN_RUSH_SHARE).then(|| {
            let (from_us, to_us) = (self.step_start(steps.start), self.step_start(steps.end));
            let span = Span::new(from_us, to_us - 1);
            let (function, main_share) = self.most_of(&self.allocated_in(&span, false), n).unzip();
            let evidence = Evidence::Rush {
                at_us: from_us,
                duration_us: to_us - from_us,
                times_usual: n as f64 / (usual * steps.len() as u64) as f64,
                main_share,
                n_rushes: rushes.len(),
            };
            Finding {
                figures,
                function,
                filter: self.filter(vec![Clause::Allocated(span)]),
                weight: 0.2 + figures.share,
                ..self.finding(View::Flame, evidence)
            }
        })
    }

    pub(super) fn idle(&self) -> Option<Finding> {
        let pauses = runs(&self.sums.allocated, |n| n == 0);
        let steps = pauses.iter().rev().max_by_key(|steps| steps.len())?;
        let share = steps.len() as f64 / STEPS as f64;
        (share >= MIN_IDLE).then(|| {
            let (from_us, to_us) = (self.step_start(steps.start), self.step_start(steps.end));
            Finding {
                figures: Figures { share, share_of: ShareOf::Time, ..Figures::default() },
                weight: 0.1 * share,
                ..self.finding(View::Timeline, Evidence::Idle { from_us, to_us })
            }
        })
    }

    pub(super) fn short(&self) -> Option<Finding> {
        (self.trace.end_us < SHORT_US).then(|| {
            let n = self.sums.all.allocated;
            let figures = self.figures(n, ShareOf::Allocated);
            Finding {
                figures,
                weight: 0.2,
                ..self.finding(View::Timeline, Evidence::Short { end_us: self.trace.end_us })
            }
        })
    }

    /// Returns samples by key of what was allocated in a time range and, if `is_at_peak`, is live at the peak.
    fn allocated_in(&self, span: &Span, is_at_peak: bool) -> Vec<u64> {
        let keys = self.allocators.values(&self.trace.calls, |key| key.0);
        let mut by_key = vec![0; self.allocators.keys().len()];
        let peak = self.trace.peak_at;
        Selection::all(self.trace.columns.len()).for_each(&self.trace.columns, |rows, place| {
            let passes = !is_at_peak || rows.row(place).0 < peak.rows && rows.end(place).0 >= peak.gc_times;
            if passes && span.contains(rows.alloc_us(place)) {
                by_key[keys.of_stack(rows.stack(place)) as usize] += rows.n_samples(place);
            }
        });
        by_key
    }

    /// Returns the function with the most of `all` samples, and its share.
    fn most_of(&self, by_key: &[u64], all: u64) -> Option<(Label, f64)> {
        most(by_key.iter().copied()).map(|(key, n)| (self.label(key), n as f64 / all.max(1) as f64))
    }

    /// Returns the time since which more than `level` has been live at the end of every step, up to `at_us`.
    fn above_since(&self, level: u64, at_us: u64) -> u64 {
        let last = (0..STEPS).rev().find(|&step| self.step_start(step) <= at_us).unwrap_or(0);
        let below = self.sums.live[..last].iter().rposition(|&live| live <= level);
        below.map_or(0, |step| self.step_start(step + 1))
    }

    /// Returns the first µs of a step.
    fn step_start(&self, step: usize) -> u64 {
        (step as u128 * (u128::from(self.trace.end_us) + 1)).div_ceil(STEPS as u128) as u64
    }
}

/// Returns the runs of steps that pass, in order.
fn runs(steps: &[u64], passes: impl Fn(u64) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in steps.iter().enumerate().filter(|(_, n)| passes(**n)) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}
