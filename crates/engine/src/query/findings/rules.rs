//! When something is worth pointing at. Each rule has its threshold here, with its reason; weights rank what was found:
//! what gets worse for ever before what is large, and that before what is merely slow.

use super::sums::{FindingSums, Samples};
use super::{Figures, Finding, Kind, ShareOf, View};
use crate::format::{bytes, count, duration_us, percent, percent_with_margin, whole_power};
use crate::query::filter::presets::{large_blocks, library};
use crate::query::filter::{Clause, Filter, Heap, Span, When};
use crate::query::growth::{HeapGrowth, Verdict, words};
use crate::query::measure::Measure;
use crate::query::statistics;
use crate::query::tree::{Allocators, KeyId, Label};
use crate::trace::Trace;

/// Above this margin of the total, no figure is worth a sentence: fewer than a hundred samples.
const MAX_ERROR: f64 = 0.22;
/// With this many samples a share of 1% has a margin of a fifth.
const GOOD_SAMPLES: f64 = 10_000.0;
/// Fewer samples than this carry no finding of their own: 30 have a margin of 43%.
pub(super) const MIN_SAMPLES: u64 = 30;
/// One function, of the hundreds that a program has, that holds so much is where to look.
pub const MIN_PEAK_SHARE: f64 = 0.2;
/// The same of all allocation, which is less of a worry.
const MIN_ALLOCATED_SHARE: f64 = 0.3;
/// A promoted block is copied, marked and swept; for a twentieth of all, that is much of the collector's work.
pub const MIN_PROMOTED_DEAD_SHARE: f64 = 0.05;
/// What the collector does for less is nobody's concern: half of a usual minor heap.
const MIN_COLLECTED_BYTES: f64 = 1048576.0;
/// Large blocks are common in programs that handle text; a quarter of all is not.
const MIN_LARGE_SHARE: f64 = 0.25;
/// Memory outside the heap costs the collector nothing; a quarter of all is what the program is about.
const MIN_OUTSIDE_SHARE: f64 = 0.25;
/// Buffers of channels, 64 KiB each, aren't worth a word.
const MIN_NAMED_OUTSIDE: f64 = 0.05;
/// The never-freed share of the bytes live at the peak.
const MIN_KEPT_SHARE: f64 = 0.5;
/// A function is named as the main cause where it is so much of something.
const MAIN_CAUSE: f64 = 0.5;
/// Memory that is neither in the minor nor in the major heap.
const OUTSIDE: &str = "outside the OCaml heap (such as Bigarrays)";

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
        let headline = match statistics::relative_margin(n, rate) {
            None if rate >= 1.0 => "The program allocated nothing while it was traced.".to_owned(),
            None => format!(
                "Nothing was sampled: the program allocated less than some {}. {}",
                bytes(self.trace.bytes_a_sample()),
                self.higher_rate(1)
            ),
            Some(error) if error > MAX_ERROR => format!(
                "There {} only {}: even the total is uncertain by {}, too much to draw conclusions. {}",
                if n == 1 { "is" } else { "are" },
                if n == 1 { "1 sample".to_owned() } else { format!("{} samples", count(n)) },
                percent(error),
                self.higher_rate(n)
            ),
            Some(_) => return None,
        };
        let figures = self.figures(n, ShareOf::Allocated);
        Some(Finding { figures, weight: 1.0, ..self.finding(Kind::TooFewSamples, View::Summary, headline) })
    }

    /// In powers of ten, as rates are set.
    fn higher_rate(&self, n: u64) -> String {
        // Rounded to the nearest power, as √10 lies halfway between 1 and 10.
        let factor = whole_power(10.0, GOOD_SAMPLES / n as f64 * 10f64.sqrt()).max(10.0);
        let rate = (self.trace.info.sample_rate * factor).min(1.0);
        format!("Record again with MEMTRACE_RATE={rate:.0e}.")
    }

    fn growing(&self, heap: &HeapGrowth) -> Option<Finding> {
        let figures = self.figures(heap.samples, ShareOf::End);
        let bytes_per_second = heap.rate.map(|rate| rate.bytes_per_s);
        (heap.verdict == Verdict::Growing).then(|| Finding {
            figures: Figures { bytes_per_second, ..figures },
            measure: Measure::GROWTH,
            // Above all others: it ends with no memory left.
            weight: 3.0 + figures.share,
            ..self.finding(Kind::Growing, View::Leaks, words::headline(heap))
        })
    }

    fn peak_holder(&self) -> Option<Finding> {
        let (key, n) = self.sums.most(|samples| samples.peak)?;
        let figures = self.figures(n, ShareOf::Peak);
        self.is_worth(&figures, MIN_PEAK_SHARE).then(|| {
            let headline = format!(
                "{} holds {} of the peak: {} of {} at {}.",
                quoted(&self.label(key).plain()),
                share(&figures),
                bytes(figures.bytes),
                bytes(self.bytes(self.sums.all.peak)),
                duration_us(self.trace.totals.peak.at_us),
            );
            Finding {
                figures,
                function: Some(self.label(key)),
                measure: Measure::Live(When::Peak),
                weight: 2.0 * figures.share,
                ..self.finding(Kind::PeakHolder, View::Table, headline)
            }
        })
    }

    fn never_freed(&self, heap: &HeapGrowth) -> Option<Finding> {
        let all = self.sums.all;
        let figures = self.figures(all.kept, ShareOf::End);
        let of_peak = self.figures(all.peak_kept, ShareOf::Peak);
        let is_kept = figures.samples >= MIN_SAMPLES && self.is_worth(&of_peak, MIN_KEPT_SHARE);
        (heap.verdict != Verdict::Growing && is_kept).then(|| {
            let main_cause = self.main_cause(|samples| samples.kept);
            let kept = bytes(figures.bytes);
            let kept = match (all.kept - all.kept_outside, all.kept_outside) {
                (_, 0) => format!("{kept} in the major heap is alive at the end{main_cause}."),
                (0, _) => format!("{kept} {OUTSIDE} is alive at the end{main_cause}."),
                (_, outside) if (outside as f64) < MIN_NAMED_OUTSIDE * all.kept as f64 => {
                    format!("{kept} outside the minor heap is alive at the end{main_cause}.")
                }
                (major, outside) => format!(
                    "{kept} is alive at the end{main_cause}: {} in the major heap, {} {OUTSIDE}.",
                    bytes(self.bytes(major)),
                    bytes(self.bytes(outside)),
                ),
            };
            let headline = format!("{kept} {}", words::headline(heap));
            Finding {
                figures,
                filter: self.filter(vec![Clause::Heap(vec![Heap::Promoted, Heap::Major, Heap::External])]),
                measure: Measure::Live(When::End),
                // Most programs keep what they have built until they exit.
                weight: 0.5 * of_peak.share,
                ..self.finding(Kind::NeverFreed, View::Flame, headline)
            }
        })
    }

    fn promoted_dies(&self) -> Option<Finding> {
        let all = self.sums.all;
        let figures = self.figures(all.promoted_dead, ShareOf::Allocated);
        (self.is_worth(&figures, MIN_PROMOTED_DEAD_SHARE) && figures.bytes >= MIN_COLLECTED_BYTES).then(|| {
            let headline = format!(
                "{} of all allocation ({}) is promoted and dies then{}: the costliest garbage. {}",
                share(&figures),
                bytes(figures.bytes),
                self.main_cause(|samples| samples.promoted_dead),
                self.minor_heap_advice(),
            );
            Finding {
                figures,
                filter: self.filter(vec![Clause::Collected(Span::ANY)]),
                measure: Measure::Promoted,
                // Counts thrice: a promoted byte costs several times as much as one that dies young.
                weight: 3.0 * figures.share,
                ..self.finding(Kind::PromotedDies, View::Flame, headline)
            }
        })
    }

    fn minor_heap_advice(&self) -> String {
        let now = minor_heap_words(&self.trace.info.runtime_params)
            .map_or(String::new(), |words| format!(" (now {})", bytes(words * self.trace.info.word_bytes())));
        format!("A larger minor heap{now} may let it die young.")
    }

    fn large_blocks(&self) -> Option<Finding> {
        let all = self.sums.all;
        let figures = self.figures(all.large, ShareOf::Allocated);
        (self.is_worth(&figures, MIN_LARGE_SHARE) && figures.bytes >= MIN_COLLECTED_BYTES).then(|| {
            let headline = format!(
                "{} of all allocation ({}) is blocks of more than 256 words, which go straight to the major heap{}.",
                share(&figures),
                bytes(figures.bytes),
                self.main_cause(|samples| samples.large),
            );
            Finding {
                figures,
                filter: self.filter(vec![large_blocks(), Clause::Heap(vec![Heap::Major])]),
                weight: figures.share,
                ..self.finding(Kind::LargeBlocks, View::Histograms, headline)
            }
        })
    }

    fn outside_heap(&self) -> Option<Finding> {
        let figures = self.figures(self.sums.all.outside, ShareOf::Allocated);
        (self.is_worth(&figures, MIN_OUTSIDE_SHARE) && figures.bytes >= MIN_COLLECTED_BYTES).then(|| {
            let headline = format!(
                "{} of all allocation ({}) is {OUTSIDE}{}.",
                share(&figures),
                bytes(figures.bytes),
                self.main_cause(|samples| samples.outside),
            );
            Finding {
                figures,
                filter: self.filter(vec![Clause::Heap(vec![Heap::External])]),
                weight: figures.share,
                ..self.finding(Kind::OutsideHeap, View::Flame, headline)
            }
        })
    }

    fn allocator(&self) -> Option<Finding> {
        let (key, n) = self.sums.most(|samples| samples.allocated)?;
        let figures = self.figures(n, ShareOf::Allocated);
        self.is_worth(&figures, MIN_ALLOCATED_SHARE).then(|| {
            let seconds = self.trace.end_us.max(1) as f64 / 1e6;
            let headline = format!(
                "{} allocates {} of all bytes: {}, or {} a second.",
                quoted(&self.label(key).plain()),
                share(&figures),
                bytes(figures.bytes),
                bytes(figures.bytes / seconds),
            );
            Finding {
                figures,
                function: Some(self.label(key)),
                weight: 0.8 * figures.share,
                ..self.finding(Kind::Allocator, View::Table, headline)
            }
        })
    }

    /// What most findings have in common.
    pub(super) fn finding(&self, kind: Kind, view: View, headline: String) -> Finding {
        Finding {
            kind,
            headline,
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

    /// `n` samples, which must be a part of the whole.
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

    /// Above the threshold by more than its error, and not of a handful.
    pub(super) fn is_worth(&self, figures: &Figures, min_share: f64) -> bool {
        figures.samples >= MIN_SAMPLES && figures.share - figures.share_error >= min_share
    }

    pub(super) fn bytes(&self, samples: u64) -> f64 {
        samples as f64 * self.trace.bytes_a_sample()
    }

    pub(super) fn label(&self, key: KeyId) -> Label {
        self.allocators.keys().label(&self.trace.calls, key)
    }

    /// `, most of it by “f”`, where one function is most of it.
    fn main_cause(&self, of: impl Fn(&Samples) -> u64) -> String {
        let all = of(&self.sums.all);
        match self.sums.most(of) {
            Some((key, n)) if n as f64 >= MAIN_CAUSE * all as f64 => {
                format!(", {} of it by {}", percent(n as f64 / all as f64), quoted(&self.label(key).plain()))
            }
            _ => String::new(),
        }
    }
}

/// `62% ±3`.
pub(super) fn share(figures: &Figures) -> String {
    percent_with_margin(figures.share, figures.share_error)
}

pub(super) fn quoted(name: &str) -> String {
    format!("“{name}”")
}

/// `s` of the runtime's parameters.
fn minor_heap_words(params: &str) -> Option<f64> {
    let value = params.split(',').find_map(|param| param.strip_prefix("s="))?;
    value.parse().ok().filter(|&words: &u64| words > 0).map(|words| words as f64)
}
