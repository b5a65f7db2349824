//! One side of a comparison: the weight of each frame, and how much of it the other side doesn't share.

use super::change::Drawn;
use super::{Scale, Sum};
use crate::query::measure::{Measure, Weight};
use crate::query::selection::Selection;
use crate::query::tree::{GroupId, KeyId, Keys, ShapedTree, StackWeights, TreeWeights};
use crate::trace::{Calls, Sampling, Trace};

#[derive(Clone, Copy, Debug)]
pub struct ComparedSide<'a> {
    pub calls: &'a Calls,
    pub sampling: Sampling,
    pub end_us: u64,
    /// By the entire program.
    pub allocated_bytes: f64,
    /// The time that growth is measured over.
    pub growth_seconds: f64,
    pub tree: &'a ShapedTree,
    pub counted: Counted<'a>,
}

/// The samples or bytes that a side counts.
#[derive(Clone, Copy, Debug)]
pub enum Counted<'a> {
    Objects(Objects<'a>),
    /// For a profile, which has no individual objects.
    Stacks(&'a StackWeights),
}

#[derive(Clone, Copy, Debug)]
pub struct Objects<'a> {
    pub trace: &'a Trace,
    /// The objects that count on this side.
    pub selection: &'a Selection,
    /// The other side's objects, if both sides belong to the same trace.
    pub other: Option<&'a Selection>,
    pub weight: Weight,
    /// The time that growth is measured over.
    pub growth_seconds: f64,
}

/// Raw sums over objects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SideSum {
    pub weight: f64,
    pub samples: f64,
    /// The same for objects that the other side doesn't have.
    pub unshared_weight: f64,
    pub unshared_samples: f64,
}

/// The sums of a side.
#[derive(Debug)]
pub(super) struct SideSums {
    pub all: SideSum,
    /// By key. The root's entry has no meaning.
    by_key: Vec<SideSum>,
}

impl<'a> ComparedSide<'a> {
    pub fn of_objects(objects: Objects<'a>, tree: &'a ShapedTree) -> ComparedSide<'a> {
        let trace = objects.trace;
        ComparedSide {
            calls: &trace.calls,
            sampling: trace.sampling(),
            end_us: trace.end_us,
            allocated_bytes: trace.totals.alloc_samples.total() as f64 * trace.info.word_bytes()
                / trace.info.sample_rate,
            growth_seconds: objects.growth_seconds,
            tree,
            counted: Counted::Objects(objects),
        }
    }

    /// Returns the factor of a raw sum.
    pub fn scale(self, measure: Measure, scale: Scale) -> f64 {
        measure.scale(self.sampling, self.growth_seconds)
            / match scale {
                Scale::PerSecond if !measure.is_stock() => self.end_us.max(1) as f64 / 1e6,
                Scale::PerAllocated if self.allocated_bytes > 0.0 => self.allocated_bytes / f64::from(1 << 20),
                Scale::AsIs | Scale::PerSecond | Scale::PerAllocated => 1.0,
            }
    }

    pub(super) fn drawn(self, measure: Measure, scale: Scale) -> Drawn {
        Drawn { scale: self.scale(measure, scale), rate: self.sampling.rate }
    }

    pub(super) fn sums(self, sum: Sum) -> SideSums {
        match sum {
            Sum::Own => self.own_sums(),
            Sum::Total => SideSums::of_groups(self, &GroupSums::of(self)),
        }
    }

    /// Sums by the innermost frame of each stack.
    fn own_sums(self) -> SideSums {
        let groups = self.tree.groups();
        let mut sums = SideSums { all: SideSum::default(), by_key: vec![SideSum::default(); self.tree.keys().len()] };
        self.for_each(|stack, of_stack| {
            if let Some(group) = self.tree.of_stack(stack) {
                sums.by_key[groups.key(group).0 as usize].add(&of_stack);
                sums.all.add(&of_stack);
            }
        });
        sums
    }

    /// Visits everything that counts, with the index of its stack.
    fn for_each(self, mut visit: impl FnMut(usize, SideSum)) {
        match self.counted {
            Counted::Objects(Objects { trace, selection, other, weight, .. }) => {
                selection.for_each(&trace.columns, |rows, place| {
                    let samples = rows.samples(place);
                    let weight = weight.of(trace, rows, place);
                    let is_shared = other.is_some_and(|other| other.contains(rows.row(place)));
                    let unshared = if is_shared { 0.0 } else { 1.0 };
                    let (unshared_weight, unshared_samples) = (weight * unshared, samples * unshared);
                    visit(rows.stack(place), SideSum { weight, samples, unshared_weight, unshared_samples });
                });
            }
            Counted::Stacks(weights) => {
                for &(stack, weight) in weights.iter() {
                    visit(stack.0 as usize, SideSum::exact(weight));
                }
            }
        }
    }
}

/// The totals of the groups in a side's tree.
#[derive(Debug)]
pub(super) struct GroupSums {
    weights: TreeWeights,
    /// `None` if the weights are samples.
    samples: Option<TreeWeights>,
    /// For the objects that the other side doesn't have. `None` if the sides share no objects.
    unshared: Option<Box<GroupSums>>,
}

impl GroupSums {
    pub fn of(side: ComparedSide<'_>) -> GroupSums {
        match side.counted {
            Counted::Stacks(stacks) => {
                GroupSums { weights: TreeWeights::of_stacks(side.tree, stacks), samples: None, unshared: None }
            }
            Counted::Objects(objects) => {
                let unshared = objects.other.map(|other| objects.selection.without(other));
                GroupSums {
                    unshared: unshared.map(|unshared| Box::new(GroupSums::of_selection(objects, side.tree, &unshared))),
                    ..GroupSums::of_selection(objects, side.tree, objects.selection)
                }
            }
        }
    }

    fn of_selection(objects: Objects<'_>, tree: &ShapedTree, selection: &Selection) -> GroupSums {
        let weigh = |weight| TreeWeights::of(objects.trace, tree, selection, weight);
        let samples = (objects.weight != Weight::Samples).then(|| weigh(Weight::Samples));
        GroupSums { weights: weigh(objects.weight), samples, unshared: None }
    }

    pub fn get(&self, group: GroupId) -> SideSum {
        let of = |these: &GroupSums| {
            let weight = these.weights.total(group);
            (weight, these.samples.as_ref().map_or(weight, |samples| samples.total(group)))
        };
        let (weight, samples) = of(self);
        let (unshared_weight, unshared_samples) = self.unshared.as_deref().map_or((weight, samples), of);
        SideSum { weight, samples, unshared_weight, unshared_samples }
    }
}

impl SideSums {
    /// Sums by all frames of each stack, counting each frame once.
    pub fn of_groups(side: ComparedSide<'_>, weights: &GroupSums) -> SideSums {
        let groups = side.tree.groups();
        let mut by_key = vec![SideSum::default(); side.tree.keys().len()];
        for group in std::iter::once(GroupId::ROOT).chain(groups.iter()) {
            if let Some(key) = groups.outermost_key(group) {
                by_key[key.0 as usize].add(&weights.get(group));
            }
        }
        // Every stack goes through the root.
        let all = by_key.first().copied().unwrap_or_default();
        SideSums { all, by_key }
    }

    /// Returns the sums of each frame that has any samples.
    pub fn iter(&self) -> impl Iterator<Item = (KeyId, &SideSum)> {
        let keys = (0u32..).map(KeyId).zip(&self.by_key);
        keys.filter(|&(key, sums)| key != Keys::ROOT && sums.samples > 0.0)
    }
}

impl SideSum {
    /// For data that wasn't sampled.
    fn exact(weight: f64) -> SideSum {
        SideSum { weight, samples: weight, unshared_weight: weight, unshared_samples: weight }
    }

    #[inline(always)]
    pub fn add(&mut self, other: &SideSum) {
        self.weight += other.weight;
        self.samples += other.samples;
        self.unshared_weight += other.unshared_weight;
        self.unshared_samples += other.unshared_samples;
    }
}
