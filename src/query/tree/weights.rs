//! What each group of a tree weighs.

use super::groups::{GroupId, Groups};
use super::shape::ShapedTree;
use crate::query::measure::Weight;
use crate::query::selection::Selection;
use crate::trace::Trace;

/// In raw units ([`Weight`]). What a group has itself is not kept: it is what its children leave of its total, and a copy
/// of 60 MB costs more than those few subtractions for what is on the screen.
#[derive(Debug)]
pub struct TreeWeights {
    /// By group: with all below it.
    totals: Vec<f64>,
}

/// Sums of fractions leave crumbs; smaller ones are none.
const CRUMB: f64 = 1e-9;

impl TreeWeights {
    pub fn of(trace: &Trace, tree: &ShapedTree, selection: &Selection, weight: Weight) -> TreeWeights {
        TreeWeights::new(tree, tree.base().weigh(trace, selection, weight))
    }

    /// From the objects' own weights by group of the base tree.
    pub fn new(tree: &ShapedTree, by_base: Vec<f64>) -> TreeWeights {
        let mut totals = tree.gather(by_base);
        tree.groups().sum_up(&mut totals);
        TreeWeights { totals }
    }

    #[inline]
    pub fn total(&self, group: GroupId) -> f64 {
        self.totals[group.0 as usize]
    }

    /// What the group allocated itself.
    pub fn own(&self, groups: &Groups, group: GroupId) -> f64 {
        let total = self.total(group);
        let own = total - groups.children(group).map(|child| self.total(child)).sum::<f64>();
        if own < total * CRUMB { 0.0 } else { own }
    }

    /// The memory, for other weights.
    pub fn into_room(self) -> Vec<f64> {
        self.totals
    }
}
