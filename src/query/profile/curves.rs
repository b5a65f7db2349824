//! What each site holds over time, as verdicts on leaks read it. A profile knows how much a site holds, not which blocks:
//! what is kept is taken to be what no later snapshot goes below.

use crate::profile::Profile;
use crate::query::filter::Filter;
use crate::query::leaks::curves::{Curve, STEPS};
use crate::query::tree::Allocators;

use super::{Asked, NotInProfile};

/// With fewer snapshots, a curve has no shape.
pub const MIN_SNAPSHOTS: usize = 5;

/// By step: the snapshot that holds at its end; none before the first.
pub type SnapshotOfStep = [Option<usize>; STEPS];

/// Steps of equal time.
pub fn steps_of_time(profile: &Profile) -> SnapshotOfStep {
    let end_us = u128::from(profile.end_us.max(1));
    std::array::from_fn(|step| {
        let time_us = (end_us * (step as u128 + 1) / STEPS as u128) as u64;
        profile.snapshots.partition_point(|snapshot| snapshot.at_us <= time_us).checked_sub(1)
    })
}

/// Steps of equally many snapshots. Verdicts go by these: where a program took none for long, nothing is known.
pub fn steps_of_snapshots(profile: &Profile) -> SnapshotOfStep {
    std::array::from_fn(|step| ((step + 1) * profile.snapshots.len()).div_ceil(STEPS).checked_sub(1))
}

/// By key of the allocators, in words; none for keys that allocated nothing.
pub fn curves(
    profile: &Profile,
    filter: &Filter,
    allocators: &Allocators,
    snapshot_of: &SnapshotOfStep,
) -> Result<Vec<Option<Curve>>, NotInProfile> {
    let asked = Asked::new(&profile.calls, filter)?;
    let key_of = allocators.values(&profile.calls, |key| key.0 as usize);
    let n_keys = allocators.keys().len();
    // By key, then by snapshot.
    let mut live: Vec<Vec<u64>> = vec![Vec::new(); n_keys];
    let mut allocated: Vec<Vec<u64>> = vec![Vec::new(); n_keys];
    let add = |sums: &mut Vec<u64>, at: usize, words: u64| {
        sums.resize(at + 1, 0);
        sums[at] = sums[at].saturating_add(words);
    };
    for (at, snapshot) in profile.snapshots.iter().enumerate() {
        for held in profile.live(snapshot).filter(|held| asked.passes(held.stack)) {
            add(&mut live[key_of.of_stack(held.stack.0 as usize)], at, held.words);
        }
        for (stack, words) in profile.allocated(snapshot).filter(|(stack, _)| asked.passes(*stack)) {
            add(&mut allocated[key_of.of_stack(stack.0 as usize)], at, words);
        }
    }
    let at_steps = |values: &[u64]| -> Vec<u64> {
        snapshot_of.iter().map(|at| at.and_then(|at| values.get(at)).copied().unwrap_or(0)).collect()
    };
    let curve = |(live, allocated): (Vec<u64>, Vec<u64>)| {
        if live.is_empty() && allocated.is_empty() {
            return None;
        }
        let (live, so_far) = (at_steps(&live), at_steps(&allocated));
        let mut floor = live.clone();
        for step in (0..STEPS - 1).rev() {
            floor[step] = floor[step].min(floor[step + 1]);
        }
        Some(Curve {
            allocated: spread(&so_far, snapshot_of),
            kept: spread(&floor, snapshot_of),
            lasting: live.clone(),
            live,
            died_after: vec![0; STEPS],
        })
    };
    Ok(live.into_iter().zip(allocated).map(curve).collect())
}

/// By how much each step is above the one before it. What came between two snapshots is spread evenly over the steps
/// that stand for it.
fn spread(values: &[u64], snapshot_of: &SnapshotOfStep) -> Vec<u64> {
    let mut rises = Vec::with_capacity(STEPS);
    let mut before = 0;
    for steps in snapshot_of.chunk_by(|one, two| one == two) {
        let (value, n) = (values[rises.len()], steps.len() as u64);
        let rise = value.saturating_sub(before);
        rises.extend((1..=n).map(|step| rise * step / n - rise * (step - 1) / n));
        before = value;
    }
    rises
}
