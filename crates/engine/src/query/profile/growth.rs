//! Growth of a profile, from its snapshots. A profile records how much an allocation point holds, but not which blocks.
//! So memory counts as kept since a snapshot if no later snapshot falls below it. The last snapshot has no later one,
//! so it is too young to judge. Everything in the first one is startup, since nothing is known about the time before.

use rustc_hash::FxHashMap;

use super::{NotInProfile, ProfileSelection};
use crate::profile::Profile;
use crate::query::filter::Filter;
use crate::query::growth::verdict::{Counts, STEPS, growth_verdict_of_steps};
use crate::query::growth::{
    GroupCounts, Growth, HeapGrowth, SiteCounts, Undecided, Verdict, Window, growth_of_counts, heap_of_groups, shape,
};
use crate::query::tree::{Allocators, Grain};
use crate::trace::StackId;

/// With fewer snapshots, everything may be startup.
const MIN_SNAPSHOTS: usize = 5;

/// Returns the verdict on the entire profile.
pub fn heap_growth(profile: &Profile) -> Result<HeapGrowth, NotInProfile> {
    let sites = site_counts(profile, &Filter::default(), &allocators(profile, &Filter::default(), Grain::Function)?)?;
    let group = |site: SiteCounts| {
        let SiteCounts { label, kept, kept_squares, .. } = site;
        GroupCounts { function: label, counts: Counts { kept, kept_squares, ..Counts::NONE } }
    };
    let groups: Vec<GroupCounts> = sites.into_iter().map(group).collect();
    let n = profile.snapshots.len();
    let judged_until_us =
        n.checked_sub(2).and_then(|at| profile.snapshots.get(at)).map_or(0, |snapshot| snapshot.at_us);
    let n_judged = (u128::from(judged_until_us) * STEPS as u128 / u128::from(profile.end_us.max(1))) as usize;
    let peak = profile.peak().and_then(|at| profile.snapshots.get(at)).map_or(0, |snapshot| snapshot.live_words);
    let mut heap = heap_of_groups(&groups, Profile::SAMPLING, profile.end_us, |counts| {
        growth_verdict_of_steps(counts, n_judged, profile.end_us, peak as f64)
    });
    heap.is_profile = true;
    if n == 0 {
        heap.verdict = Verdict::NothingAllocated;
    } else if n < MIN_SNAPSHOTS {
        heap.verdict = Verdict::Undecided(Undecided::FewSamples);
    }
    Ok(heap)
}

/// Returns the rows of a grain, for the stacks that pass a filter.
pub fn growth(profile: &Profile, heap: &HeapGrowth, filter: &Filter, grain: Grain) -> Result<Growth, NotInProfile> {
    let rows = site_counts(profile, filter, &allocators(profile, filter, grain)?)?;
    Ok(growth_of_counts(heap, filter, Profile::SAMPLING, rows))
}

/// Returns the words that each stack kept, of those allocated in the time range that counts under a filter.
pub fn weights(profile: &Profile, filter: &Filter, heap: &HeapGrowth) -> Result<Vec<(StackId, f64)>, NotInProfile> {
    let selection = ProfileSelection::new(&profile.calls, filter)?;
    let window = heap.window_in(filter);
    let is_inside = |step: usize| (window.from_us..window.to_us).contains(&heap.step_us(step));
    let mut weights: FxHashMap<StackId, f64> = FxHashMap::default();
    for_each_rise(profile, &selection, |stack, rise| {
        let inside = rise.steps(profile.end_us).filter(|(step, _)| is_inside(*step));
        let words: u64 = inside.map(|(_, words)| words).sum();
        if words > 0 {
            *weights.entry(stack).or_default() += words as f64;
        }
    });
    let mut weights: Vec<(StackId, f64)> = weights.into_iter().collect();
    weights.sort_unstable_by_key(|(stack, _)| *stack);
    Ok(weights)
}

fn allocators(profile: &Profile, filter: &Filter, grain: Grain) -> Result<Allocators, NotInProfile> {
    Ok(Allocators::new(&profile.calls, &shape(filter, grain))?)
}

/// Returns counts by key of the allocators, in words. Keys that allocated nothing are omitted.
fn site_counts(profile: &Profile, filter: &Filter, allocators: &Allocators) -> Result<Vec<SiteCounts>, NotInProfile> {
    let selection = ProfileSelection::new(&profile.calls, filter)?;
    let key_of = allocators.values(&profile.calls, |key| key.0 as usize);
    let row = |key| SiteCounts {
        label: allocators.label(&profile.calls, key),
        allocated: 0,
        alive: 0,
        kept: [0; STEPS],
        kept_squares: [0.0; STEPS],
    };
    let mut rows: Vec<SiteCounts> = allocators.keys().iter().map(|(key, _)| row(key)).collect();
    if let Some(last) = profile.snapshots.last() {
        for held in profile.live(last).filter(|held| selection.passes(held.stack)) {
            rows[key_of.of_stack(held.stack.0 as usize)].alive += held.words;
        }
        for (stack, words) in profile.allocated(last).filter(|(stack, _)| selection.passes(*stack)) {
            rows[key_of.of_stack(stack.0 as usize)].allocated += words;
        }
    }
    for_each_rise(profile, &selection, |stack, rise| {
        let row = &mut rows[key_of.of_stack(stack.0 as usize)];
        rise.add_to(row, profile.end_us);
    });
    rows.retain(|row| row.allocated > 0 || row.alive > 0);
    Ok(rows)
}

/// The kept words that a stack gained from one snapshot to the next.
#[derive(Clone, Copy, Debug)]
struct Rise {
    between: Window,
    words: u64,
}

impl Rise {
    /// Returns the steps between the snapshots, each with an equal part of the words.
    fn steps(self, end_us: u64) -> impl ExactSizeIterator<Item = (usize, u64)> {
        let step = |us: u64| (u128::from(us) * STEPS as u128 / u128::from(end_us.max(1))) as usize;
        let from = step(self.between.from_us).min(STEPS - 1);
        let n = step(self.between.to_us).clamp(from + 1, STEPS) - from;
        let words_until = move |at: usize| (u128::from(self.words) * at as u128 / n as u128) as u64;
        (0..n).map(move |at| (from + at, words_until(at + 1) - words_until(at)))
    }

    /// All parts together are a single piece of evidence.
    fn add_to(self, row: &mut SiteCounts, end_us: u64) {
        let steps = self.steps(end_us);
        let squares = (self.words as f64).powi(2) / steps.len() as f64;
        for (step, words) in steps {
            row.kept[step] += words;
            row.kept_squares[step] += squares;
        }
    }
}

/// Visits what each stack kept, from the last snapshot back to the first. Words are kept if no later snapshot falls
/// below them.
fn for_each_rise(profile: &Profile, selection: &ProfileSelection, mut visit: impl FnMut(StackId, Rise)) {
    let mut minima: FxHashMap<StackId, u64> = FxHashMap::default();
    for at in (0..profile.snapshots.len()).rev() {
        let mut held: FxHashMap<StackId, u64> = FxHashMap::default();
        for entry in profile.live(&profile.snapshots[at]).filter(|entry| selection.passes(entry.stack)) {
            *held.entry(entry.stack).or_default() += entry.words;
        }
        if at + 1 == profile.snapshots.len() {
            minima = held;
            continue;
        }
        let between = Window { from_us: profile.snapshots[at].at_us, to_us: profile.snapshots[at + 1].at_us };
        minima.retain(|&stack, minimum| {
            let lower = (*minimum).min(held.get(&stack).copied().unwrap_or(0));
            if lower < *minimum {
                visit(stack, Rise { between, words: *minimum - lower });
            }
            *minimum = lower;
            lower > 0
        });
    }
}
