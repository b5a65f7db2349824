//! When something is worth pointing at. Each rule has its threshold here, with its reason; weights rank what was found:
//! what gets worse for ever before what is large, and that before what is merely slow.

use super::sums::{FindingSums, Samples};
use super::{Figures, Finding, Kind, View};
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
/// What stays at the end, of the peak.
const MIN_KEPT_SHARE: f64 = 0.5;
/// A function is named as the main cause where it is so much of something.
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
        rules.allocator(),
        rules.rush(),
        rules.idle(),
        rules.short(),
    ];
    found.into_iter().flatten().collect()
}

pub(super) struct Rules<'a> {
    pub(super) trace: &'a Trace,
    allocators: &'a Allocators,
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
        let figures = self.figures(n, n);
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
        let figures = self.figures(heap.samples, self.sums.all.peak);
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
        let figures = self.figures(n, self.sums.all.peak);
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
        let figures = self.figures(all.kept, all.peak);
        (heap.verdict != Verdict::Growing && self.is_worth(&figures, MIN_KEPT_SHARE)).then(|| {
            let headline = format!(
                "{} outside the minor heap are alive at the end{}. {}",
                bytes(figures.bytes),
                self.main_cause(|samples| samples.kept),
                words::headline(heap),
            );
            Finding {
                figures,
                filter: self.filter(vec![Clause::Heap(vec![Heap::Promoted, Heap::Major, Heap::External])]),
                measure: Measure::Live(When::End),
                // Most programs keep what they have built until they exit.
                weight: 0.5 * figures.share,
                ..self.finding(Kind::NeverFreed, View::Flame, headline)
            }
        })
    }

    fn promoted_dies(&self) -> Option<Finding> {
        let all = self.sums.all;
        let figures = self.figures(all.promoted_dead, all.allocated);
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

    /// What a larger minor heap would do for what is promoted and dies: nothing for blocks that never enter it.
    fn minor_heap_advice(&self) -> String {
        let all = self.sums.all;
        let minor_share = all.promoted_dead_minor as f64 / all.promoted_dead.max(1) as f64;
        if minor_share < MAIN_CAUSE {
            let others = percent(1.0 - minor_share);
            return format!("As {others} of it never enters the minor heap, a larger one would not help.");
        }
        let now = minor_heap_words(&self.trace.info.runtime_params)
            .map_or(String::new(), |words| format!(" (now {})", bytes(words * self.trace.info.word_bytes())));
        format!("A larger minor heap{now} may let it die young.")
    }

    fn large_blocks(&self) -> Option<Finding> {
        let all = self.sums.all;
        let figures = self.figures(all.large, all.allocated);
        (self.is_worth(&figures, MIN_LARGE_SHARE) && figures.bytes >= MIN_COLLECTED_BYTES).then(|| {
            let headline = format!(
                "{} of all allocation ({}) is blocks of more than 256 words, which go straight to the major heap{}.",
                share(&figures),
                bytes(figures.bytes),
                self.main_cause(|samples| samples.large),
            );
            Finding {
                figures,
                filter: self.filter(vec![large_blocks()]),
                weight: figures.share,
                ..self.finding(Kind::LargeBlocks, View::Histograms, headline)
            }
        })
    }

    fn allocator(&self) -> Option<Finding> {
        let all = self.sums.all.allocated;
        let (key, n) = self.sums.most(|samples| samples.allocated)?;
        let figures = self.figures(n, all);
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

    /// `n` samples of `whole`.
    pub(super) fn figures(&self, n: u64, whole: u64) -> Figures {
        let whole = whole.max(1);
        Figures {
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

    fn label(&self, key: KeyId) -> Label {
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

fn quoted(name: &str) -> String {
    format!("“{name}”")
}

/// `s` of the runtime's parameters.
fn minor_heap_words(params: &str) -> Option<f64> {
    let value = params.split(',').find_map(|param| param.strip_prefix("s="))?;
    value.parse().ok().filter(|&words: &u64| words > 0).map(|words| words as f64)
}
