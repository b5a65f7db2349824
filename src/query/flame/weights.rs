//! What a picture is drawn of.

use crate::format;
use crate::query::tree::{GroupId, KeyId, ShapedTree, TreeIndex, TreeWeights};
use crate::trace::Trace;

/// A tree and its weights: what all questions of a flame graph are asked of.
#[derive(Clone, Copy, Debug)]
pub struct Weighed<'a> {
    pub trace: &'a Trace,
    pub tree: &'a ShapedTree,
    pub index: &'a TreeIndex,
    /// Of the measure that is shown.
    pub weights: &'a TreeWeights,
    /// Of the same objects; the same as `weights` where the measure counts samples.
    pub samples: &'a TreeWeights,
    /// Of `weights` and `samples`, for the inverted picture; without it, each answer finds out what it needs of it.
    pub bottom: Option<&'a Bottom>,
    /// Turns `weights` into what is shown ([`crate::query::measure::Measure::scale`]).
    pub scale: f64,
}

/// What each key allocated itself, where the inverted picture begins. It takes a pass over all groups, so it is worth
/// keeping as long as the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Bottom {
    by_key: Vec<Amount>,
}

/// A raw weight, and the samples it is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amount {
    pub weight: f64,
    pub samples: f64,
}

impl Bottom {
    /// What a group has itself is its total less those of its children; so each total counts for the group's key, and
    /// against its parent's. One pass in order, without an array for all groups.
    pub fn new(tree: &ShapedTree, weights: &TreeWeights, samples: &TreeWeights) -> Bottom {
        let groups = tree.groups();
        let mut by_key = vec![Amount::default(); tree.keys().len()];
        for group in groups.iter() {
            let total = Amount { weight: weights.total(group), samples: samples.total(group) };
            if total.samples > 0.0 {
                by_key[groups.key(group).0 as usize] += total;
                by_key[groups.key(groups.parent(group)).0 as usize] -= total;
            }
        }
        // Nothing counts for the root, which is no frame.
        by_key[groups.key(GroupId::ROOT).0 as usize] = Amount::default();
        Bottom { by_key }
    }

    /// All keys that allocated anything.
    pub(super) fn iter(&self) -> impl Iterator<Item = (KeyId, Amount)> + '_ {
        let amounts = self.by_key.iter().enumerate().filter(|(_, amount)| amount.samples > 0.0);
        amounts.map(|(key, &amount)| (KeyId(key as u32), amount))
    }
}

impl Weighed<'_> {
    /// With all below it.
    #[inline(always)]
    pub(super) fn total(&self, group: GroupId) -> Amount {
        Amount { weight: self.weights.total(group), samples: self.samples.total(group) }
    }

    /// What the group allocated itself.
    pub(super) fn own(&self, group: GroupId) -> Amount {
        let groups = self.tree.groups();
        Amount { weight: self.weights.own(groups, group), samples: self.samples.own(groups, group) }
    }

    /// The relative standard error of a sum; none without a sample.
    pub(super) fn error(&self, amount: Amount) -> Option<f64> {
        format::relative_error(amount.n_samples(), self.trace.rate())
    }
}

impl Amount {
    pub fn n_samples(self) -> u64 {
        self.samples as u64
    }
}

impl std::ops::AddAssign for Amount {
    #[inline(always)]
    fn add_assign(&mut self, other: Amount) {
        self.weight += other.weight;
        self.samples += other.samples;
    }
}

impl std::ops::SubAssign for Amount {
    #[inline(always)]
    fn sub_assign(&mut self, other: Amount) {
        self.weight -= other.weight;
        self.samples -= other.samples;
    }
}

impl std::iter::Sum for Amount {
    fn sum<I: Iterator<Item = Amount>>(amounts: I) -> Amount {
        amounts.fold(Amount::default(), |mut sum, amount| {
            sum += amount;
            sum
        })
    }
}
