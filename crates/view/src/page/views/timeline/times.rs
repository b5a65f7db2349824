//! Times that can be moved: the two compared times, and the times of snapshots.

use crate::ViewAction;
use crate::compare::{CompareAction, ComparePair};
use camlscope_engine::query::filter::When;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparedTimes {
    pub before: When,
    pub after: When,
    /// Their positions in microseconds.
    pub before_us: u64,
    pub after_us: u64,
}

impl ComparedTimes {
    pub fn new((before, after): (When, When), peak_us: u64, end_us: u64) -> ComparedTimes {
        let us = |when: When| match when {
            When::At(us) => us.min(end_us),
            When::Peak => peak_us,
            When::End => end_us,
        };
        ComparedTimes { before, after, before_us: us(before), after_us: us(after) }
    }

    /// Moves the nearer one to a time.
    pub fn with_nearer_at(self, us: u64) -> ViewAction {
        let is_before = us.abs_diff(self.before_us) <= us.abs_diff(self.after_us);
        if is_before { self.with_before(When::At(us)) } else { self.with_after(When::At(us)) }
    }

    pub fn with_before(self, before: When) -> ViewAction {
        ViewAction::Compare(CompareAction::Pair(ComparePair::Times { before, after: self.after }))
    }

    pub fn with_after(self, after: When) -> ViewAction {
        ViewAction::Compare(CompareAction::Pair(ComparePair::Times { before: self.before, after }))
    }
}

/// Returns the snapshot before a time, or the time itself if there is none.
pub fn snapshot_before(snapshots_us: &[u64], us: u64) -> u64 {
    let n_before = snapshots_us.partition_point(|at_us| *at_us < us);
    n_before.checked_sub(1).map_or(us, |at| snapshots_us[at])
}

/// Returns the snapshot after a time, or the time itself if there is none.
pub fn snapshot_after(snapshots_us: &[u64], us: u64) -> u64 {
    snapshots_us.get(snapshots_us.partition_point(|at_us| *at_us <= us)).copied().unwrap_or(us)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrow_keys_stop_at_the_first_and_last_snapshot() {
        let snapshots = [10, 20, 30];
        assert_eq!([5, 10, 15, 20, 40].map(|us| snapshot_before(&snapshots, us)), [5, 10, 10, 10, 30]);
        assert_eq!([5, 10, 15, 30, 40].map(|us| snapshot_after(&snapshots, us)), [10, 20, 20, 30, 40]);
    }
}
