//! The verdict on the entire heap, from one pass over its objects, by the function that allocated them.
//!
//! Objects of some functions may live so long that little of the trace is old enough, such as cache entries next to
//! requests. If those functions don't grow as far as they can be judged, they are excluded, and all others are judged
//! by their own, shorter lifetimes.

use rustc_hash::FxHashMap;

use super::maturity::{age_bin, age_us};
use super::verdict::{Counts, Run, STEPS, VerdictInSteps, growth_verdict, n_equal_objects};
use super::{Carrier, Change, HeapGrowth, LongLived, Rate, Segment, Share, Undecided, Verdict, Window, step_us};
use crate::query::filter::{Heap, heap_of};
use crate::query::label::plain;
use crate::query::measure::lifetime_us;
use crate::query::selection::Selection;
use crate::query::statistics::share_interval;
use crate::query::timeline::steps::Steps;
use crate::query::tree::{Allocators, Grain, Key, KeyId, Keys, Label, coarser};
use crate::trace::{GcTimeId, Sampling, Trace};

/// A function's own lifetimes count if at least this many of its objects were freed.
const MIN_FREED: u64 = 20;
/// Lifetimes are long if they exceed the trace's duration divided by this.
const LONG: u64 = 4;
/// Shares below this fraction of the largest aren't worth naming.
const MIN_CARRIED: f64 = 0.05;

/// The objects of one function.
#[derive(Clone, Debug)]
pub struct GroupCounts {
    pub function: Label,
    pub counts: Counts,
}

/// Returns the verdict on all objects of a trace. `allocators` must have the shape [`super::shape`] without a filter,
/// for functions or sites.
pub fn heap_growth(trace: &Trace, all: &Selection, allocators: &Allocators) -> HeapGrowth {
    let peak_samples = trace.totals.peak.samples as f64 / f64::from(trace.downsampled.max(1));
    let groups = counts(trace, all, allocators);
    let mut heap = heap_of_groups(&groups, trace.sampling(), trace.end_us, |counts| {
        growth_verdict(counts, trace.end_us, peak_samples)
    });
    if trace.columns.is_empty() {
        heap.verdict = Verdict::NothingAllocated;
    }
    heap
}

/// Returns the counts of each function that has objects outside the minor heap.
pub fn counts(trace: &Trace, selection: &Selection, allocators: &Allocators) -> Vec<GroupCounts> {
    let (functions, function_of) = coarser(&trace.calls, allocators.keys(), Grain::Function);
    let classes = allocators.values(&trace.calls, |key| function_of[key.0 as usize].0);
    let steps = Steps::new(trace, 0, trace.end_us, STEPS);
    let mut row_bins = steps.row_bins();
    let mut counts: Vec<Option<Box<Counts>>> = vec![None; functions.len()];
    selection.for_each(&trace.columns, |rows, place| {
        let step = row_bins.bin_of(rows.row(place).0).clamp(1, STEPS) - 1;
        // Major collections don't examine objects that never left the minor heap.
        if heap_of(rows, place) == Heap::Minor {
            return;
        }
        let counts = counts[classes.of_stack(rows.stack(place)) as usize].get_or_insert_with(|| Box::new(Counts::NONE));
        let age = age_bin(lifetime_us(trace, rows, place), trace.end_us);
        if rows.end(place) == GcTimeId::NEVER {
            counts.lives.alive[age] += 1;
            counts.add_kept(step, rows.n_samples(place));
        } else {
            counts.lives.freed[age] += 1;
        }
    });
    let label = |key: KeyId| match functions.get(key) {
        Key::Root => allocators.label(&trace.calls, Keys::ROOT),
        key => key.label(&trace.calls),
    };
    let groups = (0u32..).map(KeyId).zip(counts);
    groups.filter_map(|(key, counts)| Some(GroupCounts { function: label(key), counts: *counts? })).collect()
}

/// Returns the verdict on all groups together.
pub fn heap_of_groups(
    groups: &[GroupCounts],
    sampling: Sampling,
    end_us: u64,
    growth_verdict: impl Fn(&Counts) -> VerdictInSteps,
) -> HeapGrowth {
    let all = Split {
        usual: groups.iter().collect(),
        long_lived: Vec::new(),
        judged: growth_verdict(&sum(groups.iter())),
        high: 0.0,
    };
    let split = without_long_lived(groups, &all.judged, end_us, &growth_verdict).unwrap_or(all);
    let Split { usual, long_lived, judged, high } = split;
    let counts = sum(usual.iter().copied());
    let bytes_per_step = sampling.bytes_a_sample / (end_us.max(1) as f64 / STEPS as f64 / 1e6);
    let window = |run: Run| Window { from_us: step_us(run.from, end_us), to_us: step_us(run.to, end_us) };
    let rate = |run: Run| rate_over(run, window(run).seconds(), sampling);
    let grown = judged.grown.unwrap_or(judged.now);
    let mut now = rate(judged.now);
    if let Some(now) = &mut now {
        now.high += high * bytes_per_step;
    }
    let change = |change: super::verdict::ChangeStep| Change {
        at_us: step_us(change.at, end_us),
        low_us: step_us(change.low, end_us),
        high_us: step_us(change.high, end_us),
    };
    HeapGrowth {
        verdict: judged.verdict,
        rate: now,
        window: window(judged.now),
        grown: window(grown),
        grown_rate: rate(grown),
        since: judged.since.map(change),
        until: judged.until.map(change),
        old_enough_us: age_us(judged.old_enough, end_us),
        lives_us: age_us(judged.longest_life, end_us),
        end_us,
        samples: judged.now.samples,
        grown_samples: grown.samples,
        bars: counts.kept.iter().map(|&samples| samples as f64 * bytes_per_step).collect(),
        segments: judged
            .runs
            .iter()
            .map(|&run| Segment { window: window(run), rate: rate(run).unwrap_or_default() })
            .collect(),
        carriers: carriers(&usual, grown),
        long_lived: long_lived
            .iter()
            .map(|group| LongLived {
                function: group.function.clone(),
                lives_us: age_us(group.counts.old_enough(0), end_us),
                bytes: group.counts.kept.iter().sum::<u64>() as f64 * sampling.bytes_a_sample,
            })
            .collect(),
        caller: None,
        is_profile: false,
    }
}

/// The groups that are judged, and those that are excluded.
struct Split<'a> {
    usual: Vec<&'a GroupCounts>,
    long_lived: Vec<&'a GroupCounts>,
    judged: VerdictInSteps,
    /// The maximum growth of the long-lived groups, in samples per step.
    high: f64,
}

/// Excludes groups with long lifetimes, if that helps and if they don't grow themselves.
fn without_long_lived<'a>(
    groups: &'a [GroupCounts],
    all: &VerdictInSteps,
    end_us: u64,
    growth_verdict: impl Fn(&Counts) -> VerdictInSteps,
) -> Option<Split<'a>> {
    let is_long = |age: usize| age_us(age, end_us) > end_us / LONG;
    if !is_long(all.old_enough) {
        return None;
    }
    let is_long_lived =
        |group: &&GroupCounts| group.counts.lives.n_freed() >= MIN_FREED && is_long(group.counts.old_enough(0));
    let (long_lived, usual): (Vec<_>, Vec<_>) = groups.iter().partition(is_long_lived);
    if long_lived.is_empty() || usual.is_empty() {
        return None;
    }
    let (mut judged, of_long_lived) =
        (growth_verdict(&sum(usual.iter().copied())), growth_verdict(&sum(long_lived.iter().copied())));
    if is_long(judged.old_enough) || of_long_lived.verdict == Verdict::Growing {
        return None;
    }
    let mut high = 0.0;
    match (judged.verdict, of_long_lived.verdict) {
        (Verdict::Growing, _) => {}
        (Verdict::Level | Verdict::Stopped, Verdict::Level | Verdict::Stopped) => {
            high = of_long_lived.now.interval().1 / of_long_lived.now.n_steps().max(1) as f64;
        }
        (Verdict::Level | Verdict::Stopped, _) => judged.verdict = Verdict::Undecided(Undecided::LongLived),
        _ => return None,
    }
    Some(Split { usual, long_lived, judged, high })
}

fn sum<'a>(groups: impl Iterator<Item = &'a GroupCounts>) -> Counts {
    groups.fold(Counts::NONE, |mut sum, group| {
        sum.add(&group.counts);
        sum
    })
}

/// Returns the functions that allocated what was kept in a run. An anonymous function counts toward the function around
/// it.
fn carriers(groups: &[&GroupCounts], grown: Run) -> Vec<Carrier> {
    let mut by_name: FxHashMap<String, u64> = FxHashMap::default();
    for group in groups {
        let samples = group.counts.run(grown.from, grown.to).samples;
        if samples > 0 {
            *by_name.entry(named_function(&group.function.name)).or_default() += samples;
        }
    }
    let mut by_name: Vec<(String, u64)> = by_name.into_iter().collect();
    by_name.sort_unstable_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
    let most = by_name.first().map_or(0, |(_, samples)| *samples) as f64;
    let is_worth_a_name = |(_, samples): &(String, u64)| *samples as f64 >= MIN_CARRIED * most;
    let share = |samples: u64| share_of(samples, grown);
    by_name.into_iter().filter(is_worth_a_name).map(|(name, samples)| Carrier { name, share: share(samples) }).collect()
}

/// Returns these samples as a share of a run.
pub fn share_of(samples: u64, run: Run) -> Share {
    if run.samples == 0 {
        return Share::default();
    }
    let value = samples as f64 / run.samples as f64;
    let (low, high) = share_interval(value, run.equal_objects);
    Share { value, low, high }
}

/// Converts `Cart.make.(fun)` to `Cart.make`.
fn named_function(name: &str) -> String {
    let mut name = plain(name);
    while let Some(outer) = name.strip_suffix(".(fun)") {
        name = outer.to_owned();
    }
    name
}

/// Returns the rate of samples that were never freed. `None` if the time is 0.
pub fn rate_of(samples: u64, squares: f64, seconds: f64, sampling: Sampling) -> Option<Rate> {
    let equal_objects = n_equal_objects(samples, squares);
    rate_over(Run { samples, equal_objects, ..Run::default() }, seconds, sampling)
}

fn rate_over(run: Run, seconds: f64, sampling: Sampling) -> Option<Rate> {
    let per_sample = sampling.bytes_a_sample / seconds;
    let (low, high) = run.interval();
    let bytes_per_s = run.samples as f64 * per_sample;
    (seconds > 0.0).then_some(Rate { bytes_per_s, low: low * per_sample, high: high * per_sample })
}
