//! One side of a comparison: what each frame weighs, and how much of that the other side does not share.

use super::change::Drawn;
use super::{Scale, Sum};
use crate::query::measure::{Measure, Weight};
use crate::query::selection::Selection;
use crate::query::tree::{GroupId, KeyId, Keys, ShapedTree, TreeWeights};
use crate::trace::Trace;

#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub trace: &'a Trace,
    pub tree: &'a ShapedTree,
    /// The objects that count on this side.
    pub selection: &'a Selection,
    /// The other side's objects, where both are of the same trace.
    pub other: Option<&'a Selection>,
    pub weight: Weight,
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

/// What a side comes to.
#[derive(Debug)]
pub(super) struct SideSums {
    pub all: Sums,
    /// By key; the root's means nothing.
    by_key: Vec<Sums>,
}

impl Side<'_> {
    /// What a raw sum is multiplied by.
    pub fn scale(self, measure: Measure, scale: Scale) -> f64 {
        let allocated_bytes =
            self.trace.totals.alloc_samples.total() as f64 * self.trace.info.word_bytes() / self.trace.info.sample_rate;
        measure.scale(self.trace)
            / match scale {
                Scale::PerSecond if !measure.is_stock() => self.trace.end_us.max(1) as f64 / 1e6,
                Scale::PerAllocated if allocated_bytes > 0.0 => allocated_bytes / f64::from(1 << 20),
                Scale::AsIs | Scale::PerSecond | Scale::PerAllocated => 1.0,
            }
    }

    pub(super) fn drawn(self, measure: Measure, scale: Scale) -> Drawn {
        Drawn { scale: self.scale(measure, scale), rate: self.trace.rate() }
    }

    pub(super) fn sums(self, sum: Sum) -> SideSums {
        match sum {
            Sum::Own => self.own_sums(),
            Sum::Total => self.total_sums(),
        }
    }

    /// By what each object's innermost frame is: one pass over the objects.
    fn own_sums(self) -> SideSums {
        let (groups, mut by_key) = (self.tree.groups(), vec![Sums::default(); self.tree.keys().len()]);
        let mut all = Sums::default();
        self.selection.for_each(&self.trace.columns, |rows, place| {
            let Some(group) = self.tree.of_stack(rows.stack(place)) else {
                return;
            };
            let samples = f64::from(rows.n_samples(place));
            let weight = self.weight.of(self.trace, rows, place);
            let is_shared = self.other.is_some_and(|other| other.contains(rows.row(place)));
            let unshared = if is_shared { 0.0 } else { 1.0 };
            let sums =
                Sums { weight, samples, unshared_weight: weight * unshared, unshared_samples: samples * unshared };
            by_key[groups.key(group).0 as usize].add(&sums);
            all.add(&sums);
        });
        SideSums { all, by_key }
    }

    /// By all frames of each object's stack, each frame once.
    fn total_sums(self) -> SideSums {
        let (samples, weights) = self.totals_of(self.selection);
        let (unshared_samples, unshared_weights) = match self.other {
            None => (samples.clone(), weights.clone()),
            Some(other) => self.totals_of(&self.selection.without(other)),
        };
        let keys = 0..self.tree.keys().len();
        let by_key: Vec<Sums> = keys
            .map(|key| Sums {
                weight: weights[key],
                samples: samples[key],
                unshared_weight: unshared_weights[key],
                unshared_samples: unshared_samples[key],
            })
            .collect();
        // Every stack goes through the root.
        let all = by_key.first().copied().unwrap_or_default();
        SideSums { all, by_key }
    }

    /// Samples and weights by key. The groups are weighed once for each, one after the other, since an array for all
    /// groups of a large tree is large.
    fn totals_of(self, selection: &Selection) -> (Vec<f64>, Vec<f64>) {
        let samples = self.totals_by_key(selection, Weight::Samples);
        let weights = match self.weight {
            Weight::Samples => samples.clone(),
            weight => self.totals_by_key(selection, weight),
        };
        (samples, weights)
    }

    fn totals_by_key(self, selection: &Selection, weight: Weight) -> Vec<f64> {
        let groups = self.tree.groups();
        let weights = TreeWeights::of(self.trace, self.tree, selection, weight);
        let mut by_key = vec![0.0; self.tree.keys().len()];
        for group in std::iter::once(GroupId::ROOT).chain(groups.iter()) {
            if let Some(key) = groups.outermost_key(group) {
                by_key[key.0 as usize] += weights.total(group);
            }
        }
        by_key
    }
}

impl SideSums {
    /// Those of each frame that has any sample.
    pub fn iter(&self) -> impl Iterator<Item = (KeyId, &Sums)> {
        let keys = (0u32..).map(KeyId).zip(&self.by_key);
        keys.filter(|&(key, sums)| key != Keys::ROOT && sums.samples > 0.0)
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
}
