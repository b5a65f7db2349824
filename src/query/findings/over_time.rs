//! Rules about the course of time. Thresholds stand here, each with its reason.

use std::ops::Range;

use super::rules::{MIN_SAMPLES, Rules, share};
use super::sums::STEPS;
use super::{Figures, Finding, Kind, View};
use crate::format::{bytes, duration_us, percent};
use crate::query::filter::{Clause, Span, When};
use crate::query::measure::Measure;

/// A burst is twice what is live half of the time, and above half of its height for a fifth of the time at most.
const MIN_BURST: f64 = 2.0;
const MAX_BURST_TIME: f64 = 0.2;
/// A rush is a step of the trace that allocates this many times the usual, and this share of all. Below that, it may be that a domain
/// tells of its allocations only when it collects, all at once.
const MIN_RUSH: f64 = 8.0;
const MIN_RUSH_SHARE: f64 = 0.02;
/// The longest stretch without any allocation, of the trace.
const MIN_IDLE: f64 = 0.25;
/// Within this, an OCaml program has hardly begun.
const SHORT_US: u64 = 100_000;

impl Rules<'_> {
    pub(super) fn burst(&self) -> Option<Finding> {
        let peak = self.sums.all.peak;
        let mut live = self.sums.live.clone();
        live.sort_unstable();
        let median = live[live.len() / 2];
        let high = live.iter().filter(|&&live| 2 * live > peak).count();
        let is_burst = peak as f64 >= MIN_BURST * median as f64 && high as f64 <= MAX_BURST_TIME * STEPS as f64;
        // The difference must be more than chance: both are the same samples' sums, so it counts by its own.
        (is_burst && peak - median.min(peak) >= MIN_SAMPLES).then(|| {
            let figures = self.figures(peak - median, peak);
            let headline = format!(
                "A short burst makes the peak: {} at {}, while half of the time no more than {} is live.",
                bytes(self.bytes(peak)),
                duration_us(self.trace.totals.peak.at_us),
                bytes(self.bytes(median)),
            );
            Finding {
                figures,
                measure: Measure::Live(When::Peak),
                weight: 1.5 * figures.share,
                ..self.finding(Kind::Burst, View::Flame, headline)
            }
        })
    }

    pub(super) fn rush(&self) -> Option<Finding> {
        let all = self.sums.all.allocated;
        let mut busy: Vec<u64> = self.sums.allocated.iter().copied().filter(|&n| n > 0).collect();
        busy.sort_unstable();
        let usual = *busy.get(busy.len() / 2)?;
        let rushes = runs(&self.sums.allocated, |n| n as f64 >= MIN_RUSH * usual as f64);
        let allocated = |steps: &Range<usize>| self.sums.allocated[steps.clone()].iter().sum::<u64>();
        // The first of equals.
        let steps = rushes.iter().rev().max_by_key(|steps| allocated(steps))?;
        let n = allocated(steps);
        let figures = self.figures(n, all);
        self.is_worth(&figures, MIN_RUSH_SHARE).then(|| {
            let others = match rushes.len() {
                1 => String::new(),
                n => format!(" There are {n} such bursts."),
            };
            let span = Span::new(self.step_start(steps.start), self.step_start(steps.end) - 1);
            let headline = format!(
                "{} of all allocation ({}) happens within {} at {}: {:.0} times as much as usual.{others}",
                share(&figures),
                bytes(figures.bytes),
                duration_us(self.step_start(steps.end) - self.step_start(steps.start)),
                duration_us(self.step_start(steps.start)),
                n as f64 / (usual * steps.len() as u64) as f64,
            );
            Finding {
                figures,
                filter: self.filter(vec![Clause::Allocated(span)]),
                weight: 0.2 + figures.share,
                ..self.finding(Kind::Rush, View::Flame, headline)
            }
        })
    }

    pub(super) fn idle(&self) -> Option<Finding> {
        let pauses = runs(&self.sums.allocated, |n| n == 0);
        let steps = pauses.iter().rev().max_by_key(|steps| steps.len())?;
        let share = steps.len() as f64 / STEPS as f64;
        (share >= MIN_IDLE).then(|| {
            let (from, to) = (self.step_start(steps.start), self.step_start(steps.end));
            let headline = format!(
                "For {} of the time, from {} to {}, hardly anything is allocated.",
                percent(share),
                duration_us(from),
                duration_us(to),
            );
            Finding {
                figures: Figures { share, ..Figures::default() },
                weight: 0.1 * share,
                ..self.finding(Kind::Idle, View::Timeline, headline)
            }
        })
    }

    pub(super) fn short(&self) -> Option<Finding> {
        (self.trace.end_us < SHORT_US).then(|| {
            let headline =
                format!("The trace is only {} long: start-up is most of it.", duration_us(self.trace.end_us));
            let n = self.sums.all.allocated;
            let figures = self.figures(n, n);
            Finding { figures, weight: 0.2, ..self.finding(Kind::Short, View::Timeline, headline) }
        })
    }

    /// The first µs of a step.
    fn step_start(&self, step: usize) -> u64 {
        (step as u128 * (u128::from(self.trace.end_us) + 1)).div_ceil(STEPS as u128) as u64
    }
}

/// Runs of steps that pass, in order.
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
