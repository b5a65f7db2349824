//! A downsampled copy of a trace with the totals of the original.

use serde::{Deserialize, Serialize};

use super::Trace;
use super::totals::SourceTotals;
use camlscope_formats::ctf::limits::{MAX_TRACE_SAMPLES, MAX_TRACE_SPAN_US};
use camlscope_formats::ctf::{Warning, WarningKind};

/// The original's totals, stored with a copy. They may come from anyone, so totals that contradict the copy are
/// ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whole {
    /// One in this many samples of the original is in the copy.
    #[serde(rename = "thinned")]
    pub downsampled: u32,
    pub alloc_events: SourceTotals,
    pub alloc_samples: SourceTotals,
    /// Missing in reports of older versions.
    #[serde(default)]
    pub custom_events: u64,
    #[serde(default)]
    pub custom_samples: u64,
    pub n_promotes: u64,
    pub n_collects: u64,
    /// A copy ends with its last event. The original may end later.
    pub end_us: u64,
    /// Warnings about the original file.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

impl Trace {
    /// Returns what to store with a copy of this trace that keeps one in `one_in` of its samples.
    pub fn whole(&self, one_in: u32) -> Whole {
        let totals = &self.totals;
        Whole {
            downsampled: self.downsampled.saturating_mul(one_in.max(1)),
            alloc_events: totals.alloc_events,
            alloc_samples: totals.alloc_samples,
            custom_events: totals.custom_events,
            custom_samples: totals.custom_samples,
            n_promotes: totals.n_promotes,
            n_collects: totals.n_collects,
            end_us: self.end_us,
            warnings: self.warnings.clone(),
        }
    }

    /// Turns the copy into the original as it would be if it had been downsampled to these samples to fit into memory.
    /// Implausible totals are ignored and leave a warning.
    pub(crate) fn become_part_of(&mut self, whole: &Whole) {
        if !self.is_plausible(whole) {
            let warning = Warning { kind: WarningKind::UnlikelyWhole, count: 1, bytes: 0, first_offset: 0 };
            return self.warnings.push(warning);
        }
        let factor = u64::from(whole.downsampled);
        let totals = &mut self.totals;
        totals.alloc_events = whole.alloc_events;
        totals.alloc_samples = whole.alloc_samples;
        // Without a plausible figure, scale up the copy's.
        let custom = |of_whole: u64, of_copy: u64, most: u64| match (of_copy..=most).contains(&of_whole) {
            true => of_whole,
            false => of_copy.saturating_mul(factor).min(most),
        };
        totals.custom_events = custom(whole.custom_events, totals.custom_events, whole.alloc_events.minor);
        totals.custom_samples = custom(whole.custom_samples, totals.custom_samples, whole.alloc_samples.minor);
        totals.n_promotes = whole.n_promotes;
        totals.n_collects = whole.n_collects;
        let promoted = [&mut totals.promoted_samples, &mut totals.custom_promoted_samples];
        for samples in promoted.into_iter().chain([&mut totals.live_at_end_samples, &mut totals.peak.samples]) {
            *samples = samples.saturating_mul(factor);
        }
        self.info.sample_rate = (self.info.sample_rate * f64::from(whole.downsampled)).min(1.0);
        self.downsampled = self.downsampled.saturating_mul(whole.downsampled);
        self.end_us = whole.end_us;
        // Some flaws of the original are also in the copy. Count them once.
        for warning in &whole.warnings {
            match self.warnings.iter_mut().find(|own| own.kind == warning.kind) {
                Some(own) if own.count >= warning.count => {}
                Some(own) => *own = *warning,
                None => self.warnings.push(*warning),
            }
        }
    }

    fn is_plausible(&self, whole: &Whole) -> bool {
        /// The rate is the result of a division.
        const ROUNDING: f64 = 1e-9;
        /// Limit for events and for samples.
        const MOST: u64 = MAX_TRACE_SAMPLES;
        let holds = |whole: SourceTotals, part: SourceTotals| {
            let pairs = [(whole.minor, part.minor), (whole.major, part.major), (whole.external, part.external)];
            pairs.iter().all(|&(whole, part)| (part..=MOST).contains(&whole))
        };
        let totals = &self.totals;
        let is_copied_whole = whole.alloc_events == totals.alloc_events && whole.alloc_samples == totals.alloc_samples;
        (whole.downsampled > 1 || whole.downsampled == 1 && is_copied_whole)
            && self.info.sample_rate * f64::from(whole.downsampled) <= 1.0 + ROUNDING
            && holds(whole.alloc_events, totals.alloc_events)
            && holds(whole.alloc_samples, totals.alloc_samples)
            && (totals.n_promotes..=MOST).contains(&whole.n_promotes)
            && (totals.n_collects..=MOST).contains(&whole.n_collects)
            && (self.end_us..=MAX_TRACE_SPAN_US).contains(&whole.end_us)
    }
}
