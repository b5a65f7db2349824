//! Queries about a Spacetime profile: the weights of its stacks, and which data is available. Trees, flame graphs,
//! tables and comparisons are computed from these weights in the same way as for a trace.

mod findings;
mod growth;
mod summary;
mod table;
mod timeline;

use serde::{Deserialize, Serialize};

pub use findings::findings;
pub use growth::{growth, heap_growth};
pub use summary::{ProfileSummary, profile_summary};
pub use table::table_sums;
pub use timeline::{point, timeline};

use super::filter::{Clause, Filter, FilterError, Span, When, passing_stacks};
use super::growth::HeapGrowth;
use super::measure::{GrowthUnit, Measure, Unit};
use crate::profile::Profile;
pub use crate::profile::{Mark, Snapshot, WORD_BYTES};
use crate::trace::{Calls, StackId};

/// Why a profile can't answer a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotInProfile {
    /// A profile counts words and blocks by allocation point, not individual objects.
    Objects(ObjectData),
    CallCounts,
    Filter(FilterError),
}

impl From<FilterError> for NotInProfile {
    fn from(error: FilterError) -> NotInProfile {
        NotInProfile::Filter(error)
    }
}

/// Data that only a trace has, because it has individual objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObjectData {
    /// Objects that were live or allocated at a time.
    Curve,
    Domains,
    Events,
    HeapsOrDomains,
    Lifetimes,
    /// The objects themselves, to write a trace.
    Objects,
    Promotions,
    Samples,
    Sizes,
    SizesOrLifetimes,
    /// Growth in units other than bytes.
    NeverFreed,
}

/// Returns the weight of each stack, in words, blocks or calls. `heap` is needed if the measure is growth.
pub fn weights(
    profile: &Profile,
    filter: &Filter,
    measure: Measure,
    heap: Option<&HeapGrowth>,
) -> Result<Vec<(StackId, f64)>, NotInProfile> {
    if let (Measure::Growth(GrowthUnit::Bytes), Some(heap)) = (measure, heap) {
        return growth::weights(profile, filter, heap);
    }
    let selection = ProfileSelection::new(&profile.calls, filter)?;
    let passing = |&(stack, weight): &(StackId, f64)| weight > 0.0 && selection.passes(stack);
    Ok(match measure {
        Measure::Calls if !profile.header.has_call_counts => return Err(NotInProfile::CallCounts),
        Measure::Calls => profile.call_counts.iter().map(|&(stack, n)| (stack, n as f64)).filter(passing).collect(),
        Measure::Allocated => match selection.live_at {
            None => allocated(profile, selection.allocated).into_iter().filter(passing).collect(),
            Some(when) => live(profile, when, measure.unit()).filter(passing).collect(),
        },
        Measure::Live(when) => live(profile, when, measure.unit()).filter(passing).collect(),
        Measure::Blocks => {
            live(profile, selection.live_at.unwrap_or(When::End), measure.unit()).filter(passing).collect()
        }
        Measure::Growth(_) => return Err(NotInProfile::Objects(ObjectData::NeverFreed)),
        Measure::Promoted => return Err(NotInProfile::Objects(ObjectData::Promotions)),
        Measure::Temporary(_) | Measure::ByteSeconds => return Err(NotInProfile::Objects(ObjectData::Lifetimes)),
        Measure::Samples => return Err(NotInProfile::Objects(ObjectData::Samples)),
    })
}

/// Returns the snapshot that a time refers to. `None` if the profile has no snapshots.
pub fn snapshot(profile: &Profile, when: When) -> Option<&Snapshot> {
    let at = match when {
        When::At(time_us) => profile.snapshot_at(time_us),
        When::Peak => profile.peak(),
        When::End => profile.snapshots.len().checked_sub(1),
    };
    profile.snapshots.get(at?)
}

/// Returns the time of live data: that of the measure, or else that of the filter, or else the end.
fn time(filter: &Filter, measure: Measure) -> When {
    let of_filter = filter.clauses.iter().rev().find_map(|clause| match clause {
        Clause::LiveAt(when) => Some(*when),
        _ => None,
    });
    match measure {
        Measure::Live(when) => when,
        _ => of_filter.unwrap_or(When::End),
    }
}

/// Returns whether the filter selects live data.
fn is_live(filter: &Filter) -> bool {
    filter.clauses.iter().any(|clause| matches!(clause, Clause::LiveAt(_) | Clause::NeverCollected))
}

/// Returns the filter with a different time.
fn at(filter: &Filter, when: When) -> Filter {
    let clauses = filter.clauses.iter().filter(|clause| !matches!(clause, Clause::LiveAt(_) | Clause::NeverCollected));
    Filter { clauses: clauses.cloned().chain([Clause::LiveAt(when)]).collect() }
}

fn live(profile: &Profile, when: When, unit: Unit) -> impl Iterator<Item = (StackId, f64)> + '_ {
    let held = snapshot(profile, when).into_iter().flat_map(|snapshot| profile.live(snapshot));
    held.map(move |held| (held.stack, if unit == Unit::Blocks { held.blocks } else { held.words } as f64))
}

/// Returns what was allocated up to the last snapshot of the span, minus what was allocated before its start.
fn allocated(profile: &Profile, span: Span) -> Vec<(StackId, f64)> {
    let last = profile.snapshot_at(span.to.unwrap_or(u64::MAX)).and_then(|at| profile.snapshots.get(at));
    let n_before = span.from.map_or(0, |from| profile.snapshots.partition_point(|snapshot| snapshot.at_us <= from));
    let before = n_before.checked_sub(1).and_then(|at| profile.snapshots.get(at));
    let of = |snapshot: Option<&Snapshot>, sign: f64| -> Vec<(StackId, f64)> {
        let allocated = snapshot.into_iter().flat_map(|snapshot| profile.allocated(snapshot));
        allocated.map(|(stack, words)| (stack, sign * words as f64)).collect()
    };
    let mut weights = of(last, 1.0);
    let earlier = of(before, -1.0);
    if !earlier.is_empty() {
        weights.extend(earlier);
        weights.sort_unstable_by_key(|(stack, _)| *stack);
        weights.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0.0 };
            is_same
        });
    }
    weights
}

/// A filter as it applies to a profile.
#[derive(Debug)]
pub(crate) struct ProfileSelection {
    /// By stack. `None` if all pass.
    passing: Option<Vec<bool>>,
    live_at: Option<When>,
    allocated: Span,
}

impl ProfileSelection {
    pub(crate) fn new(calls: &Calls, filter: &Filter) -> Result<ProfileSelection, NotInProfile> {
        filter.check()?;
        let mut selection = ProfileSelection { passing: None, live_at: None, allocated: Span::ANY };
        for clause in &filter.clauses {
            match clause {
                Clause::LiveAt(when) => selection.live_at = Some(*when),
                Clause::NeverCollected => selection.live_at = Some(When::End),
                Clause::Allocated(span) => selection.allocated = selection.allocated.and(*span),
                Clause::Hide(_) => {}
                Clause::Frame(_) | Clause::Calls { .. } | Clause::Focus(_) => {
                    let passing = passing_stacks(calls, clause)?;
                    match &mut selection.passing {
                        Some(stacks) => stacks.iter_mut().zip(passing).for_each(|(stack, passes)| *stack &= passes),
                        None => selection.passing = Some(passing),
                    }
                }
                Clause::Size(..) => return Err(NotInProfile::Objects(ObjectData::Sizes)),
                Clause::Lifetime(_)
                | Clause::Temporary(_)
                | Clause::Collected(_)
                | Clause::LiveWithin(_)
                | Clause::LiveThrough(_) => {
                    return Err(NotInProfile::Objects(ObjectData::Lifetimes));
                }
                Clause::Heap(_) => return Err(NotInProfile::Objects(ObjectData::Promotions)),
                Clause::Domain(_) => return Err(NotInProfile::Objects(ObjectData::Domains)),
            }
        }
        Ok(selection)
    }

    pub(crate) fn passes(&self, stack: StackId) -> bool {
        self.passing.as_ref().is_none_or(|passing| passing.get(stack.0 as usize).copied().unwrap_or(false))
    }
}
