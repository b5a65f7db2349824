//! Rules for what is worth pointing out, with the reason for each threshold. Weights rank the findings: first what
//! keeps getting worse, then what is large, then what is merely slow.

use super::sums::{FindingSums, Samples};
use super::{AllocatorWhole, Evidence, Figures, Finding, KeptOutside, MainCause, ShareOf, View};
use crate::query::filter::presets::{large_blocks, library};
use crate::query::filter::{Clause, Filter, Heap, Span, When};
use crate::query::growth::{HeapGrowth, Verdict};
use crate::query::measure::Measure;
use crate::query::statistics;
use crate::query::tree::{Allocators, KeyId, Label};
use crate::trace::Trace;

/// Above this margin of the total, no figure is worth reporting: fewer than a hundred samples.
const MAX_ERROR: f64 = 0.22;
/// Fewer samples than this don't support a finding: 30 have a margin of 43%.
pub(super) const MIN_SAMPLES: u64 = 30;
/// A program has hundreds of functions. One that holds this much is where to look.
pub const MIN_PEAK_SHARE: f64 = 0.2;
/// The same for all allocations, which are less of a problem.
const MIN_ALLOCATED_SHARE: f64 = 0.3;
/// A promoted block is copied, marked and swept. For 5% of all bytes, that is much of the collector's work.
pub const MIN_PROMOTED_DEAD_SHARE: f64 = 0.05;
/// Fewer bytes don't matter to the collector: half of a typical minor heap.
const MIN_COLLECTED_BYTES: f64 = 1048576.0;
/// Large blocks are common in programs that handle text, but a quarter of all bytes is not.
const MIN_LARGE_SHARE: f64 = 0.25;
/// Memory outside the heap costs the collector nothing, but a quarter of all bytes is what the program is about.
const MIN_OUTSIDE_SHARE: f64 = 0.25;
/// Channel buffers of 64 KiB each aren't worth mentioning.
const MIN_NAMED_OUTSIDE: f64 = 0.05;
/// The minimum share of the peak that is never freed.
const MIN_KEPT_SHARE: f64 = 0.5;
/// The minimum share for which a function is named as the main cause.
const MAIN_CAUSE: f64 = 0.5;

pub fn apply(trace: &Trace, allocators: &Allocators, sums: &FindingSums, heap: &HeapGrowth) -> Vec<Finding> {
    let rules = Rules { trace, allocators, sums };
    if let Some(finding) = rules.too_few_samples() {
        return vec![finding];
    }
    let found = [
        rules.growing(heap),
        rules.peak_holder(),
        rules.burst(),
        rules.never_freed(heap),
        rules.promoted_dies(),
        rules.large_blocks(),
        rules.outside_heap(),
        rules.allocator(),
        rules.rush(),
        rules.idle(),
        rules.short(),
    ];
    found.into_iter().flatten().collect()
}

pub(super) struct Rules<'a> {
    pub(super) trace: &'a Trace,
    pub(super) allocators: &'a Allocators,
    pub(super) sums: &'a FindingSums,
}

impl Rules<'_> {
    fn too_few_samples(&self) -> Option<Finding> {
        let n = self.sums.all.allocated;
        let rate = self.trace.rate();
        let is_enough = statistics::relative_margin(n, rate).is_some_and(|error| error <= MAX_ERROR);
        (!is_enough).then(|| Finding {
            figures: self.figures(n, ShareOf::Allocated),
            weight: 1.0,
            ..self.finding(
                View::Summary,
                Evidence::TooFewSamples {
                    rate,
                    sample_rate: self.trace.info.sample_rate,
                    bytes_per_sample: self.trace.bytes_a_sample(),
                },
            )
        })
    }

    fn growing(&self, heap: &HeapGrowth) -> Option<Finding> {
        let figures = self.figures(heap.samples, ShareOf::End);
        let bytes_per_second = heap.rate.map(|rate| rate.bytes_per_s);
        (heap.verdict == Verdict::Growing).then(|| Finding {
            figures: Figures { bytes_per_second, ..figures },
            measure: Measure::GROWTH,
            // Above all others, since the program will run out of memory.
            weight: 3.0 + figures.share,
            ..self.finding(View::Leaks, Evidence::Growing(Box::new(heap.clone())))
        })
    }

    fn peak_holder(&self) -> Option<Finding> {
        let (key, n) = self.sums.most(|samples| samples.peak)?;
        let figures = self.figures(n, ShareOf::Peak);
        self.is_worth(&figures, MIN_PEAK_SHARE).then(|| Finding {
            figures,
            function: Some(self.label(key)),
            measure: Measure::Live(When::Peak),
            weight: 2.0 * figures.share,
            ..self.finding(
                View::Table,
                Evidence::PeakHolder {
                    peak_bytes: self.bytes(self.sums.all.peak),
                    at_us: self.trace.totals.peak.at_us,
                    is_profile: false,
                },
            )
        })
    }

    fn never_freed(&self, heap: &HeapGrowth) -> Option<Finding> {
        let all = self.sums.all;
        let figures = self.figures(all.kept, ShareOf::End);
        let of_peak = self.figures(all.peak_kept, ShareOf::Peak);
        let is_kept = figures.samples >= MIN_SAMPLES && self.is_worth(&of_peak, MIN_KEPT_SHARE);
        let major = all.kept - all.kept_outside;
        let outside = match (major, all.kept_outside) {
            (_, 0) => KeptOutside::Nothing,
            (0, _) => KeptOutside::Everything,
            (_, outside) if (outside as f64) < MIN_NAMED_OUTSIDE * all.kept as f64 => KeptOutside::Little,
            (_, outside) => KeptOutside::Bytes(self.bytes(outside)),
        };
        (heap.verdict != Verdict::Growing && is_kept).then(|| Finding {
            figures,
            filter: self.filter(vec![Clause::Heap(vec![Heap::Promoted, Heap::Major, Heap::External])]),
            measure: Measure::Live(When::End),
            // Most programs keep what they have built until they exit.
            weight: 0.5 * of_peak.share,
            ..self.finding(
                View::Flame,
                Evidence::NeverFreed {
                    major_bytes: self.bytes(major),
                    outside,
                    main_cause: self.main_cause(|samples| samples.kept),
                    heap: Box::new(heap.clone()),
                },
            )
        })
    }

    fn promoted_dies(&self) -> Option<Finding> {
        let figures = self.figures(self.sums.all.promoted_dead, ShareOf::Allocated);
        let info = &self.trace.info;
        (self.is_worth(&figures, MIN_PROMOTED_DEAD_SHARE) && figures.bytes >= MIN_COLLECTED_BYTES).then(|| Finding {
            figures,
            filter: self.filter(vec![Clause::Collected(Span::ANY)]),
            measure: Measure::Promoted,
            // Counts three times, since a promoted byte costs several times as much as one that dies young.
            weight: 3.0 * figures.share,
            ..self.finding(
                View::Flame,
                Evidence::PromotedDies {
                    main_cause: self.main_cause(|samples| samples.promoted_dead),
                    minor_heap_bytes: minor_heap_words(&info.runtime_params).map(|words| words * info.word_bytes()),
                },
            )
        })
    }

    fn large_blocks(&self) -> Option<Finding> {
        let figures = self.figures(self.sums.all.large, ShareOf::Allocated);
        (self.is_worth(&figures, MIN_LARGE_SHARE) && figures.bytes >= MIN_COLLECTED_BYTES).then(|| Finding {
            figures,
            filter: self.filter(vec![large_blocks(), Clause::Heap(vec![Heap::Major])]),
            weight: figures.share,
            ..self.finding(
                View::Histograms,
                Evidence::LargeBlocks { main_cause: self.main_cause(|samples| samples.large) },
            )
        })
    }

    fn outside_heap(&self) -> Option<Finding> {
        let figures = self.figures(self.sums.all.outside, ShareOf::Allocated);
        (self.is_worth(&figures, MIN_OUTSIDE_SHARE) && figures.bytes >= MIN_COLLECTED_BYTES).then(|| Finding {
            figures,
            filter: self.filter(vec![Clause::Heap(vec![Heap::External])]),
            weight: figures.share,
            ..self
                .finding(View::Flame, Evidence::OutsideHeap { main_cause: self.main_cause(|samples| samples.outside) })
        })
    }

    fn allocator(&self) -> Option<Finding> {
        let (key, n) = self.sums.most(|samples| samples.allocated)?;
        let figures = self.figures(n, ShareOf::Allocated);
        let per = AllocatorWhole::Seconds(self.trace.end_us.max(1) as f64 / 1e6);
        self.is_worth(&figures, MIN_ALLOCATED_SHARE).then(|| Finding {
            figures,
            function: Some(self.label(key)),
            weight: 0.8 * figures.share,
            ..self.finding(View::Table, Evidence::Allocator { per })
        })
    }

    /// Returns a finding with the values that most findings share.
    pub(super) fn finding(&self, view: View, evidence: Evidence) -> Finding {
        Finding {
            evidence,
            figures: Figures::default(),
            function: None,
            filter: self.filter(Vec::new()),
            measure: Measure::Allocated,
            view,
            weight: 0.0,
        }
    }

    pub(super) fn filter(&self, mut clauses: Vec<Clause>) -> Filter {
        clauses.push(library());
        Filter { clauses }
    }

    /// Returns the figures of `n` samples, which must be part of the total.
    pub(super) fn figures(&self, n: u64, share_of: ShareOf) -> Figures {
        let all = self.sums.all;
        let whole = match share_of {
            ShareOf::Peak => all.peak,
            ShareOf::End => all.end,
            ShareOf::Allocated | ShareOf::Time => all.allocated,
        };
        let whole = whole.max(1);
        Figures {
            share_of,
            samples: n,
            bytes: self.bytes(n),
            share: n as f64 / whole as f64,
            share_error: statistics::share_margin(n as f64, whole as f64, self.trace.rate()),
            bytes_per_second: None,
        }
    }

    /// Returns whether the share is above the threshold by more than its error, with enough samples.
    pub(super) fn is_worth(&self, figures: &Figures, min_share: f64) -> bool {
        figures.samples >= MIN_SAMPLES && figures.share - figures.share_error >= min_share
    }

    pub(super) fn bytes(&self, samples: u64) -> f64 {
        samples as f64 * self.trace.bytes_a_sample()
    }

    pub(super) fn label(&self, key: KeyId) -> Label {
        self.allocators.keys().label(&self.trace.calls, key)
    }

    fn main_cause(&self, of: impl Fn(&Samples) -> u64) -> Option<MainCause> {
        let all = of(&self.sums.all) as f64;
        let (key, n) = self.sums.most(of).filter(|&(_, n)| n as f64 >= MAIN_CAUSE * all)?;
        Some(MainCause { function: self.label(key), share: n as f64 / all })
    }
}

/// Returns the size of the minor heap: `s` in the runtime parameters.
fn minor_heap_words(params: &str) -> Option<f64> {
    let value = params.split(',').find_map(|param| param.strip_prefix("s="))?;
    value.parse().ok().filter(|&words: &u64| words > 0).map(|words| words as f64)
}
