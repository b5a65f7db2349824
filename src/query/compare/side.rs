//! One side of a comparison: what each group of its tree weighs, and how much of that the other side does not share.

use super::Sum;
use crate::query::measure::{Measure, Weight};
use crate::query::selection::Selection;
use crate::query::tree::{GroupId, KeyId, Keys, ShapedTree};
use crate::trace::Trace;

#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub trace: &'a Trace,
    pub tree: &'a ShapedTree,
    pub weights: &'a SideWeights,
}

/// By group, in raw units: what the selected objects weigh that the group allocated itself.
#[derive(Clone, Debug)]
pub struct SideWeights {
    own: Vec<Sums>,
}

/// Raw sums over objects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    pub weight: f64,
    pub samples: f64,
    /// The same of objects that the other side has not.
    pub unshared_weight: f64,
    pub unshared_samples: f64,
}

impl SideWeights {
    /// `other` is the other side's selection where it is of the same trace.
    pub fn new(
        trace: &Trace,
        tree: &ShapedTree,
        selection: &Selection,
        other: Option<&Selection>,
        weight: Weight,
    ) -> SideWeights {
        let mut own = vec![Sums::default(); tree.groups().len()];
        selection.for_each(&trace.columns, |rows, place| {
            let Some(GroupId(group)) = tree.of_stack(rows.stack(place)) else {
                return;
            };
            let samples = f64::from(rows.n_samples(place));
            let weight = weight.of(trace, rows, place);
            let is_shared = other.is_some_and(|other| other.contains(rows.row(place)));
            let unshared = if is_shared { 0.0 } else { 1.0 };
            own[group as usize].add(&Sums {
                weight,
                samples,
                unshared_weight: weight * unshared,
                unshared_samples: samples * unshared,
            });
        });
        SideWeights { own }
    }
}

impl Side<'_> {
    /// What a raw sum is multiplied by.
    pub fn scale(self, measure: Measure, per_second: bool) -> f64 {
        let seconds = self.trace.end_us.max(1) as f64 / 1e6;
        measure.scale(self.trace) / if per_second { seconds } else { 1.0 }
    }

    /// What a group allocated itself, raw.
    pub(super) fn own(self, group: GroupId) -> f64 {
        self.weights.own[group.0 as usize].weight
    }

    pub(super) fn all(self) -> Sums {
        let mut all = Sums::default();
        self.weights.own.iter().for_each(|sums| all.add(sums));
        all
    }

    /// The sums of each key that has any.
    pub(super) fn by_key(self, sum: Sum) -> impl Iterator<Item = (KeyId, Sums)> {
        let groups = self.tree.groups();
        let mut by_key = vec![Sums::default(); self.tree.keys().len()];
        match sum {
            Sum::Own => {
                for group in groups.iter() {
                    by_key[groups.key(group).0 as usize].add(&self.weights.own[group.0 as usize]);
                }
            }
            Sum::Total => {
                let totals = self.totals();
                for group in groups.iter().filter(|&group| groups.is_outermost(group)) {
                    by_key[groups.key(group).0 as usize].add(&totals[group.0 as usize]);
                }
            }
        }
        let keys = (0u32..).map(KeyId).zip(by_key);
        keys.filter(|&(key, sums)| key != Keys::ROOT && sums.samples > 0.0)
    }

    /// By group: with all below it.
    pub(super) fn totals(self) -> Vec<Sums> {
        let groups = self.tree.groups();
        let mut totals = self.weights.own.clone();
        for group in groups.iter().rev() {
            let sums = totals[group.0 as usize];
            totals[groups.parent(group).0 as usize].add(&sums);
        }
        totals
    }
}

impl Sums {
    #[inline(always)]
    pub fn add(&mut self, other: &Sums) {
        self.weight += other.weight;
        self.samples += other.samples;
        self.unshared_weight += other.unshared_weight;
        self.unshared_samples += other.unshared_samples;
    }

    /// What this side adds to the standard error of a change, in raw units: √((1−λ)/n) of what is not shared.
    pub fn error(&self, trace: &Trace) -> f64 {
        if self.unshared_samples == 0.0 {
            return 0.0;
        }
        self.unshared_weight * ((1.0 - trace.rate()).max(0.0) / self.unshared_samples).sqrt()
    }
}
