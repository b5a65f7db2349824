//! The data that a flame graph is drawn from.

use crate::query::statistics;
use crate::query::tree::{GroupId, Groups, KeyId, OwnWeights, ShapedTree, TreeIndex, TreeWeights};
use crate::trace::Calls;

/// A tree and its weights, the input of all flame graph queries.
#[derive(Clone, Copy, Debug)]
pub struct Weighed<'a> {
    pub calls: &'a Calls,
    /// Samples per word. 1 if the data wasn't sampled.
    pub rate: f64,
    pub tree: &'a ShapedTree,
    pub index: &'a TreeIndex,
    /// For the measure that is shown.
    pub weights: &'a TreeWeights,
    /// For the same objects. Identical to `weights` if the measure counts samples.
    pub samples: &'a TreeWeights,
    /// Derived from `weights` and `samples` for inverted flame graphs. Without it, each query computes the part it
    /// needs.
    pub bottom: Option<&'a Bottom>,
    /// Converts `weights` to the measure's unit ([`crate::query::measure::Measure::scale`]).
    pub scale: f64,
}

/// What each group and key itself allocated, where an inverted flame graph begins. It takes a pass over all groups, so
/// it is worth keeping as long as the weights.
#[derive(Debug)]
pub struct Bottom {
    by_key: Vec<RawAmount>,
    own_samples: OwnWeights,
}

/// A raw weight and its samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RawAmount {
    pub weight: f64,
    pub samples: f64,
}

impl Bottom {
    pub fn new(tree: &ShapedTree, weights: &TreeWeights, samples: &TreeWeights) -> Bottom {
        let groups = tree.groups();
        let mut bottom =
            Bottom { by_key: vec![RawAmount::default(); tree.keys().len()], own_samples: samples.own_parts(groups) };
        for group in groups.iter() {
            if let Some(amount) = bottom.own(groups, weights, samples, group) {
                bottom.by_key[groups.key(group).0 as usize] += amount;
            }
        }
        bottom
    }

    /// Returns what a group itself allocated. `None` without samples.
    #[inline(always)]
    pub(super) fn own(
        &self,
        groups: &Groups,
        weights: &TreeWeights,
        samples: &TreeWeights,
        group: GroupId,
    ) -> Option<RawAmount> {
        let own_samples = self.own_samples.get(group);
        (own_samples > 0.0).then(|| {
            let is_counted_in_samples = std::ptr::eq(weights, samples);
            let weight = if is_counted_in_samples { own_samples } else { weights.own(groups, group) };
            RawAmount { weight, samples: own_samples }
        })
    }

    pub fn heap_bytes(&self) -> usize {
        self.own_samples.heap_bytes()
    }

    /// Returns all keys that allocated anything.
    pub(super) fn iter(&self) -> impl Iterator<Item = (KeyId, RawAmount)> + '_ {
        let amounts = self.by_key.iter().enumerate().filter(|(_, amount)| amount.samples > 0.0);
        amounts.map(|(key, &amount)| (KeyId(key as u32), amount))
    }
}

impl Weighed<'_> {
    /// Returns the amount of the group and everything below it.
    #[inline(always)]
    pub(super) fn total(&self, group: GroupId) -> RawAmount {
        RawAmount { weight: self.weights.total(group), samples: self.samples.total(group) }
    }

    /// Returns what the group itself allocated.
    pub(super) fn own(&self, group: GroupId) -> RawAmount {
        let groups = self.tree.groups();
        RawAmount { weight: self.weights.own(groups, group), samples: self.samples.own(groups, group) }
    }

    /// Returns the margin of the 95% interval of a share of `all`.
    pub(super) fn share_error(&self, share: f64, all: RawAmount) -> f64 {
        let samples = all.n_samples() as f64;
        statistics::share_margin(share * samples, samples, self.rate)
    }

    /// Returns the relative margin of the 95% interval of a sum. `None` without samples.
    pub(super) fn error(&self, amount: RawAmount) -> Option<f64> {
        statistics::relative_margin(amount.n_samples(), self.rate)
    }
}

impl RawAmount {
    pub fn n_samples(self) -> u64 {
        self.samples as u64
    }
}

impl std::ops::AddAssign for RawAmount {
    #[inline(always)]
    fn add_assign(&mut self, other: RawAmount) {
        self.weight += other.weight;
        self.samples += other.samples;
    }
}

impl std::iter::Sum for RawAmount {
    fn sum<I: Iterator<Item = RawAmount>>(amounts: I) -> RawAmount {
        amounts.fold(RawAmount::default(), |mut sum, amount| {
            sum += amount;
            sum
        })
    }
}
