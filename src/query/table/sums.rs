//! All sums that a table shows, from one pass over the objects. The sums of a group lie together, since an object adds to
//! all of them: one cache line, not five.

use std::ops::{AddAssign, Range};

use crate::query::measure::lifetime_us;
use crate::query::selection::Selection;
use crate::query::tree::{GroupId, KeyId, Keys, ShapedTree};
use crate::trace::{MomentId, Trace};

/// In raw units; all but blocks are whole numbers, and exact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    pub samples: f64,
    /// Samples a word.
    pub blocks: f64,
    /// Samples × lifetime.
    pub sample_us: f64,
    /// Samples of promoted objects.
    pub promoted: f64,
    /// Samples of objects that were never collected.
    pub end: f64,
}

/// By key.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSums {
    /// Of objects that the key's groups allocated themselves.
    own: Vec<Sums>,
    /// Of objects with the key anywhere in their stack, each once.
    total: Vec<Sums>,
    all: Sums,
}

/// The pass over the objects, which may be done in slices.
#[derive(Clone, Debug)]
pub struct TableSumsBuilder {
    /// By group.
    sums: Vec<Sums>,
}

impl TableSums {
    pub fn new(trace: &Trace, tree: &ShapedTree, selection: &Selection) -> TableSums {
        let mut builder = TableSumsBuilder::new(tree);
        builder.add(trace, tree, selection, 0..trace.columns.n_chunks());
        builder.finish(tree)
    }

    pub fn own(&self, key: KeyId) -> &Sums {
        &self.own[key.0 as usize]
    }

    pub fn total(&self, key: KeyId) -> &Sums {
        &self.total[key.0 as usize]
    }

    /// Of all objects, with those whose stack is empty.
    pub fn all(&self) -> &Sums {
        &self.all
    }

    /// Those that have any sample, without the root's.
    pub(super) fn keys(&self) -> impl Iterator<Item = KeyId> + '_ {
        let keys = (0..self.total.len() as u32).map(KeyId).filter(|&key| key != Keys::ROOT);
        keys.filter(|&key| self.total(key).samples > 0.0)
    }
}

impl TableSumsBuilder {
    pub fn new(tree: &ShapedTree) -> TableSumsBuilder {
        TableSumsBuilder { sums: vec![Sums::default(); tree.groups().len()] }
    }

    /// Adds the selected objects of some chunks, by number.
    pub fn add(&mut self, trace: &Trace, tree: &ShapedTree, selection: &Selection, chunks: Range<usize>) {
        selection.for_each_in(&trace.columns, chunks, |rows, place| {
            if let Some(group) = tree.of_stack(rows.stack(place)) {
                let samples = f64::from(rows.n_samples(place));
                self.sums[group.0 as usize] += Sums {
                    samples,
                    blocks: samples / (rows.size_words(place) + 1) as f64,
                    sample_us: samples * lifetime_us(trace, rows, place) as f64,
                    promoted: if rows.promoted(place) { samples } else { 0.0 },
                    end: if rows.end(place) == MomentId::NEVER { samples } else { 0.0 },
                };
            }
        });
    }

    pub fn finish(self, tree: &ShapedTree) -> TableSums {
        let (groups, mut sums) = (tree.groups(), self.sums);
        let mut own = vec![Sums::default(); tree.keys().len()];
        let mut total = own.clone();
        let has_samples = |sums: &Sums| sums.samples > 0.0;
        for (at, sums) in sums.iter().enumerate().filter(|(_, sums)| has_samples(sums)) {
            own[groups.key(GroupId(at as u32)).0 as usize] += *sums;
        }
        // Children come behind their parents, so a group is whole when its turn comes.
        for group in groups.iter().rev() {
            let of_group = sums[group.0 as usize];
            if has_samples(&of_group) {
                sums[groups.parent(group).0 as usize] += of_group;
                if groups.is_outermost(group) {
                    total[groups.key(group).0 as usize] += of_group;
                }
            }
        }
        TableSums { own, total, all: sums.first().copied().unwrap_or_default() }
    }
}

impl Sums {
    /// None without a sample.
    pub fn mean_lifetime_us(&self) -> Option<f64> {
        (self.samples > 0.0).then(|| self.sample_us / self.samples)
    }
}

impl AddAssign for Sums {
    #[inline(always)]
    fn add_assign(&mut self, other: Sums) {
        self.samples += other.samples;
        self.blocks += other.blocks;
        self.sample_us += other.sample_us;
        self.promoted += other.promoted;
        self.end += other.end;
    }
}
