//! What a picture is drawn of.

use crate::format;
use crate::query::tree::{GroupId, Groups, KeyId, ShapedTree, TreeIndex, TreeWeights, without_crumb};
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

/// What each group and each key allocated itself, where the inverted picture begins. It takes a pass over all groups, so
/// it is worth keeping as long as the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Bottom {
    by_key: Vec<Amount>,
    /// By group.
    samples: Vec<f64>,
    /// By group; none where the weights are the samples.
    weights: Option<Vec<f64>>,
}

/// A raw weight, and the samples it is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amount {
    pub weight: f64,
    pub samples: f64,
}

impl Bottom {
    pub fn new(tree: &ShapedTree, weights: &TreeWeights, samples: &TreeWeights) -> Bottom {
        let groups = tree.groups();
        let own_samples = own_parts(groups, samples);
        let own_weights = (!std::ptr::eq(weights, samples)).then(|| own_parts(groups, weights));
        let mut bottom =
            Bottom { by_key: vec![Amount::default(); tree.keys().len()], samples: own_samples, weights: own_weights };
        for group in groups.iter().filter(|group| bottom.samples[group.0 as usize] > 0.0) {
            let amount = bottom.own(group);
            bottom.by_key[groups.key(group).0 as usize] += amount;
        }
        bottom
    }

    #[inline(always)]
    pub(super) fn own(&self, group: GroupId) -> Amount {
        let at = group.0 as usize;
        let samples = self.samples[at];
        Amount { weight: self.weights.as_ref().map_or(samples, |weights| weights[at]), samples }
    }

    /// All keys that allocated anything.
    pub(super) fn iter(&self) -> impl Iterator<Item = (KeyId, Amount)> + '_ {
        let amounts = self.by_key.iter().enumerate().filter(|(_, amount)| amount.samples > 0.0);
        amounts.map(|(key, &amount)| (KeyId(key as u32), amount))
    }
}

/// By group: its total less those of its children.
fn own_parts(groups: &Groups, weights: &TreeWeights) -> Vec<f64> {
    let mut own: Vec<f64> = (0..groups.len() as u32).map(|group| weights.total(GroupId(group))).collect();
    for group in groups.iter() {
        let total = weights.total(group);
        if total > 0.0 {
            own[groups.parent(group).0 as usize] -= total;
        }
    }
    for (at, own) in own.iter_mut().enumerate() {
        *own = without_crumb(*own, weights.total(GroupId(at as u32)));
    }
    own
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

impl std::iter::Sum for Amount {
    fn sum<I: Iterator<Item = Amount>>(amounts: I) -> Amount {
        amounts.fold(Amount::default(), |mut sum, amount| {
            sum += amount;
            sum
        })
    }
}
