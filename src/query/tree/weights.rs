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

/// What is left of a total, a difference of sums. Sums of fractions leave crumbs, which are nothing; whole numbers are
/// exact, however small beside the total.
pub fn without_crumb(left: f64, total: f64) -> f64 {
    const CRUMB: f64 = 1e-9;
    if left < total * CRUMB && left.fract() != 0.0 { 0.0 } else { left }
}

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

    #[inline(always)]
    pub fn total(&self, group: GroupId) -> f64 {
        self.totals[group.0 as usize]
    }

    /// What the group allocated itself.
    pub fn own(&self, groups: &Groups, group: GroupId) -> f64 {
        let total = self.total(group);
        let own = total - groups.children(group).map(|child| self.total(child)).sum::<f64>();
        without_crumb(own, total)
    }

    /// The memory, for other weights.
    pub fn into_room(self) -> Vec<f64> {
        self.totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sample_beside_very_many_is_not_lost_and_a_crumb_of_fractions_is() {
        let total = 3e12;
        assert_eq!(without_crumb(total - (total - 1.0), total), 1.0);
        let thirds = 1.0 / 3.0 + 1.0 / 3.0 + 1.0 / 3.0 + 0.1;
        assert_eq!(without_crumb(thirds - 0.1 - 1.0 + 1e-16, thirds), 0.0);
    }
}
