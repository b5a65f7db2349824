//! The weight of each group of a tree, in raw units ([`Weight`]).

use std::ops::{Range, SubAssign};

use super::groups::{GroupId, Groups};
use super::shape::ShapedTree;
use crate::query::measure::Weight;
use crate::query::selection::Selection;
use crate::trace::{StackId, Trace};

/// The total of each group, including everything below it. A group's own weight isn't stored. It is the total minus the
/// children's totals, and a few subtractions for what is on the screen cost less than a second array of millions.
#[derive(Debug)]
pub struct TreeWeights {
    totals: GroupTotals,
}

/// The weights of allocation points or call sites, by stack. A stack may occur more than once.
pub type StackWeights = [(StackId, f64)];

/// Weights under construction. Objects are added to the groups that allocated them, in slices.
#[derive(Debug)]
pub struct TreeWeightsBuilder {
    weight: Weight,
    own: GroupTotals,
}

/// A number for each group. Sample counts are integers, and most sums fit into 32 bits, which takes half the memory.
#[derive(Debug)]
enum GroupTotals {
    Samples(Vec<u32>),
    ManySamples(Vec<u64>),
    Fractions(Vec<f64>),
}

/// Returns a difference of sums, or 0 if it is only a rounding error. Integers are exact, however small compared to the
/// total, unless the total is larger than `f64` represents exactly.
pub fn without_crumb(left: f64, total: f64) -> f64 {
    const CRUMB: f64 = 1e-9;
    const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
    let is_rounded = left.fract() != 0.0 || total > MAX_EXACT;
    if left < total * CRUMB && is_rounded { 0.0 } else { left }
}

impl TreeWeightsBuilder {
    pub fn new(trace: &Trace, tree: &ShapedTree, weight: Weight) -> TreeWeightsBuilder {
        let n_groups = tree.groups().len();
        // No sum is larger than the number of all samples.
        let fits = trace.totals.alloc_samples.total() <= u64::from(u32::MAX);
        let own = match weight {
            Weight::Samples if fits => GroupTotals::Samples(vec![0; n_groups]),
            Weight::Samples => GroupTotals::ManySamples(vec![0; n_groups]),
            _ => GroupTotals::Fractions(vec![0.0; n_groups]),
        };
        TreeWeightsBuilder { weight, own }
    }

    /// Adds the selected objects of a range of chunks.
    pub fn add(&mut self, trace: &Trace, tree: &ShapedTree, selection: &Selection, chunks: Range<usize>) {
        match &mut self.own {
            GroupTotals::Samples(own) => selection.for_each_in(&trace.columns, chunks, |rows, place| {
                if let Some(group) = tree.of_stack(rows.stack(place)) {
                    own[group.0 as usize] += rows.n_samples(place) as u32;
                }
            }),
            GroupTotals::ManySamples(own) => selection.for_each_in(&trace.columns, chunks, |rows, place| {
                if let Some(group) = tree.of_stack(rows.stack(place)) {
                    own[group.0 as usize] += rows.n_samples(place);
                }
            }),
            GroupTotals::Fractions(own) => selection.for_each_in(&trace.columns, chunks, |rows, place| {
                if let Some(group) = tree.of_stack(rows.stack(place)) {
                    own[group.0 as usize] += self.weight.of(trace, rows, place);
                }
            }),
        }
    }

    pub fn finish(self, tree: &ShapedTree) -> TreeWeights {
        let mut totals = self.own;
        match &mut totals {
            GroupTotals::Samples(sums) => tree.groups().sum_up(sums),
            GroupTotals::ManySamples(sums) => tree.groups().sum_up(sums),
            GroupTotals::Fractions(sums) => tree.groups().sum_up(sums),
        }
        TreeWeights { totals }
    }

    pub fn heap_bytes(&self) -> usize {
        self.own.heap_bytes()
    }
}

impl TreeWeights {
    pub fn of(trace: &Trace, tree: &ShapedTree, selection: &Selection, weight: Weight) -> TreeWeights {
        let mut builder = TreeWeightsBuilder::new(trace, tree, weight);
        builder.add(trace, tree, selection, 0..trace.columns.n_chunks());
        builder.finish(tree)
    }

    /// Sums up the weights of stacks, for data without objects.
    pub fn of_stacks(tree: &ShapedTree, stacks: &StackWeights) -> TreeWeights {
        let mut totals = vec![0.0; tree.groups().len()];
        for &(stack, weight) in stacks.iter() {
            if let Some(group) = tree.of_stack(stack.0 as usize) {
                totals[group.0 as usize] += weight;
            }
        }
        tree.groups().sum_up(&mut totals);
        TreeWeights { totals: GroupTotals::Fractions(totals) }
    }

    #[inline(always)]
    pub fn total(&self, group: GroupId) -> f64 {
        self.totals.get(group)
    }

    /// Returns what the group itself allocated.
    pub fn own(&self, groups: &Groups, group: GroupId) -> f64 {
        if let GroupTotals::ManySamples(totals) = &self.totals {
            let of_children = groups.children(group).map(|child| totals[child.0 as usize]).sum::<u64>();
            return (totals[group.0 as usize] - of_children) as f64;
        }
        let total = self.total(group);
        let own = total - groups.children(group).map(|child| self.total(child)).sum::<f64>();
        without_crumb(own, total)
    }

    /// Returns what each group itself allocated, in one pass. For callers that need most groups.
    pub fn own_parts(&self, groups: &Groups) -> OwnWeights {
        let own = match &self.totals {
            GroupTotals::Samples(totals) => GroupTotals::Samples(without_children(groups, totals)),
            GroupTotals::ManySamples(totals) => GroupTotals::ManySamples(without_children(groups, totals)),
            GroupTotals::Fractions(totals) => {
                let mut own = without_children(groups, totals);
                own.iter_mut().zip(totals).for_each(|(own, &total)| *own = without_crumb(*own, total));
                GroupTotals::Fractions(own)
            }
        };
        OwnWeights { own }
    }

    pub fn heap_bytes(&self) -> usize {
        self.totals.heap_bytes()
    }
}

/// The weight of each group without its children.
#[derive(Debug)]
pub struct OwnWeights {
    own: GroupTotals,
}

impl OwnWeights {
    #[inline(always)]
    pub fn get(&self, group: GroupId) -> f64 {
        self.own.get(group)
    }

    pub fn heap_bytes(&self) -> usize {
        self.own.heap_bytes()
    }
}

/// Subtracts the children's totals from each group's total.
fn without_children<T: Copy + SubAssign>(groups: &Groups, totals: &[T]) -> Vec<T> {
    let mut own = totals.to_vec();
    for group in groups.iter() {
        own[groups.parent(group).0 as usize] -= totals[group.0 as usize];
    }
    own
}

impl GroupTotals {
    #[inline(always)]
    fn get(&self, group: GroupId) -> f64 {
        match self {
            GroupTotals::Samples(sums) => f64::from(sums[group.0 as usize]),
            GroupTotals::ManySamples(sums) => sums[group.0 as usize] as f64,
            GroupTotals::Fractions(sums) => sums[group.0 as usize],
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            GroupTotals::Samples(sums) => sums.len() * size_of::<u32>(),
            GroupTotals::ManySamples(sums) => sums.len() * size_of::<u64>(),
            GroupTotals::Fractions(sums) => sums.len() * size_of::<f64>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_sample_counts_and_a_rounding_error_does_not() {
        assert_eq!(without_crumb(1.0, 1e12), 1.0, "one sample of many");
        assert_eq!(without_crumb(0.1, 1e9), 0.0, "a fraction left over by rounding");
        assert_eq!(without_crumb(0.1, 1.0), 0.1, "a fraction that counts");
        assert_eq!(without_crumb(3.0, 6e16), 0.0, "whole numbers above 2^53 are rounded");
        assert_eq!(without_crumb(1e16, 6e16), 1e16);
    }

    #[test]
    fn one_sample_among_trillions_is_kept_and_a_leftover_of_fractions_is_not() {
        let total = 3e12;
        assert_eq!(without_crumb(total - (total - 1.0), total), 1.0);
        let thirds = 1.0 / 3.0 + 1.0 / 3.0 + 1.0 / 3.0 + 0.1;
        assert_eq!(without_crumb(thirds - 0.1 - 1.0 + 1e-16, thirds), 0.0);
    }
}
