//! All sums of a table, from one pass over the objects and one over the groups.
//!
//! A tree has millions of groups, and fetching their sums from memory takes most of the time. So the sums of a group
//! are stored together in a compact form ([`CompactSums`]), overflowing sums go to a list, and the next table reuses
//! the memory.

use std::ops::{AddAssign, Range};

use crate::query::selection::Selection;
use crate::query::tree::{GroupId, Groups, KeyId, Keys, ShapedTree, StackWeights, TreeWeights};
use crate::trace::{GcTimeId, Trace};

/// In raw units. All but blocks are integers, and exact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowSums {
    pub samples: u64,
    /// Samples of promoted objects.
    pub promoted: u64,
    /// Samples of objects that were never collected.
    pub end: u64,
    /// Samples per word.
    pub blocks: f64,
    /// Samples × lifetime.
    pub sample_us: f64,
}

/// The sums of the objects that a key's groups allocated themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OwnSums {
    pub samples: u64,
    pub blocks: f64,
    /// Samples × lifetime.
    pub sample_us: f64,
}

/// By key.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSums {
    own: Vec<OwnSums>,
    /// Of objects with the key anywhere in their stack, each counted once.
    total: Vec<RowSums>,
    all: RowSums,
    /// Only for profiles: how often a key's frames called something. Otherwise empty.
    calls: Vec<CallSums>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CallSums {
    pub own: u64,
    pub total: u64,
}

/// The sums of stacks, for data without objects.
#[derive(Clone, Copy, Debug)]
pub struct StackSums<'a> {
    pub words: &'a StackWeights,
    pub blocks: &'a StackWeights,
    /// Empty if calls were not counted.
    pub calls: &'a StackWeights,
}

/// The pass over the objects, which can be done in slices.
#[derive(Clone, Debug)]
pub struct TableSumsBuilder {
    /// By group.
    parts: Vec<CompactSums>,
    /// Sums that exceeded what a part can hold.
    put_by: Vec<(GroupId, RowSums)>,
    /// By key.
    own: Vec<OwnSums>,
    /// By GC time.
    ends_us: Vec<u64>,
}

/// Zeroed memory for the sums of a tree's groups. The next table reuses it.
#[derive(Clone, Debug, Default)]
pub struct SumsBuffer(Vec<CompactSums>);

/// The sums of a group so far, in 24 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct CompactSums {
    /// Samples of all objects, of promoted ones and of those never collected, 21 bits each.
    samples: u64,
    blocks: f64,
    sample_us: f64,
}

const BITS: u32 = 21;
const MOST: u64 = (1 << BITS) - 1;

impl TableSums {
    pub fn new(trace: &Trace, tree: &ShapedTree, selection: &Selection) -> TableSums {
        let mut builder = TableSumsBuilder::new(trace, tree, SumsBuffer::default());
        builder.add(trace, tree, selection, 0..trace.columns.n_chunks());
        builder.finish(tree).0
    }

    /// Returns the sums of a profile, where words count as samples.
    pub fn of_stacks(tree: &ShapedTree, stacks: StackSums<'_>) -> TableSums {
        let (words, blocks) = (by_key(tree, stacks.words), by_key(tree, stacks.blocks));
        let calls = match stacks.calls.is_empty() {
            true => Vec::new(),
            false => by_key(tree, stacks.calls)
                .into_iter()
                .map(|(own, total)| CallSums { own: own as u64, total: total as u64 })
                .collect(),
        };
        let own = words.iter().zip(&blocks);
        let total: Vec<RowSums> = words
            .iter()
            .zip(&blocks)
            .map(|(words, blocks)| RowSums { samples: words.1 as u64, blocks: blocks.1, ..RowSums::default() })
            .collect();
        TableSums {
            own: own
                .map(|(words, blocks)| OwnSums { samples: words.0 as u64, blocks: blocks.0, sample_us: 0.0 })
                .collect(),
            all: total.first().copied().unwrap_or_default(),
            total,
            calls,
        }
    }

    /// Returns `None` if calls were not counted.
    pub fn calls(&self, key: KeyId) -> Option<CallSums> {
        self.calls.get(key.0 as usize).copied()
    }

    pub fn own(&self, key: KeyId) -> &OwnSums {
        &self.own[key.0 as usize]
    }

    pub fn total(&self, key: KeyId) -> &RowSums {
        &self.total[key.0 as usize]
    }

    /// The sums of all objects, including those whose stack is empty.
    pub fn all(&self) -> &RowSums {
        &self.all
    }

    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.own[..]) + size_of_val(&self.total[..]) + size_of_val(&self.calls[..])
    }

    /// Returns the keys with any samples or calls, except the root's.
    pub fn keys(&self) -> impl Iterator<Item = KeyId> + '_ {
        let keys = (0..self.total.len() as u32).map(KeyId).filter(|&key| key != Keys::ROOT);
        keys.filter(|&key| self.total(key).samples > 0 || self.calls(key).is_some_and(|calls| calls.total > 0))
    }
}

impl TableSumsBuilder {
    /// Reuses the memory of an earlier table.
    pub fn new(trace: &Trace, tree: &ShapedTree, buffer: SumsBuffer) -> TableSumsBuilder {
        let gc_times = (0..trace.gc_times.len() as u32).map(GcTimeId);
        TableSumsBuilder {
            parts: buffer.of_len(tree.groups().len()),
            put_by: Vec::new(),
            own: vec![OwnSums::default(); tree.keys().len()],
            ends_us: gc_times.map(|gc_time| trace.gc_times.time_us(gc_time)).collect(),
        }
    }

    /// Returns the memory needed while the sums are computed.
    pub fn most_bytes(trace: &Trace, tree: &ShapedTree) -> usize {
        tree.groups().len() * size_of::<CompactSums>() + trace.gc_times.len() * size_of::<u64>()
    }

    pub fn heap_bytes(&self) -> usize {
        self.parts.capacity() * size_of::<CompactSums>() + self.ends_us.len() * size_of::<u64>()
    }

    /// Adds the selected objects of a range of chunks.
    pub fn add(&mut self, trace: &Trace, tree: &ShapedTree, selection: &Selection, chunks: Range<usize>) {
        let TableSumsBuilder { parts, put_by, own, ends_us } = self;
        let groups = tree.groups();
        selection.for_each_in(&trace.columns, chunks, |rows, place| {
            let Some(group) = tree.of_stack(rows.stack(place)) else {
                return;
            };
            let samples = rows.n_samples(place);
            let weight = float(samples);
            let end_us = ends_us.get(rows.end(place).0 as usize).copied();
            let lifetime_us = end_us.unwrap_or(trace.end_us).saturating_sub(rows.alloc_us(place));
            let object = RowSums {
                samples,
                promoted: if rows.promoted(place) { samples } else { 0 },
                end: if end_us.is_none() { samples } else { 0 },
                blocks: weight / float(rows.size_words(place) + 1),
                sample_us: weight * float(lifetime_us),
            };
            let own = &mut own[groups.key(group).0 as usize];
            own.samples += samples;
            own.blocks += object.blocks;
            own.sample_us += object.sample_us;
            let part = &mut parts[group.0 as usize];
            if has_room(part, samples) {
                *part += packed(&object);
            } else {
                put_by.push((group, emptied(part, object)));
            }
        });
    }

    /// Also returns the memory for the next table.
    pub fn finish(self, tree: &ShapedTree) -> (TableSums, SumsBuffer) {
        let TableSumsBuilder { mut parts, mut put_by, own, .. } = self;
        let groups = tree.groups();
        let mut total = vec![RowSums::default(); tree.keys().len()];
        // Children come after their parents, so a group is complete when its turn comes.
        for group in groups.iter().rev() {
            let part = parts[group.0 as usize];
            if part.samples == 0 {
                continue;
            }
            parts[group.0 as usize] = CompactSums::default();
            if let Some(key) = groups.outermost_key(group) {
                total[key.0 as usize] += unpacked(&part);
            }
            let parent = groups.parent(group);
            let above = &mut parts[parent.0 as usize];
            if has_room(above, part.samples & MOST) {
                *above += part;
            } else {
                put_by.push((parent, emptied(above, unpacked(&part))));
            }
        }
        let mut all = parts.first_mut().map_or_else(RowSums::default, |root| unpacked(&std::mem::take(root)));
        for (group, sums) in put_by {
            all += sums;
            add_upwards(groups, group, sums, &mut total);
        }
        (TableSums { own, total, all, calls: Vec::new() }, SumsBuffer(parts))
    }
}

impl SumsBuffer {
    pub fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<CompactSums>()
    }

    fn of_len(self, n: usize) -> Vec<CompactSums> {
        let SumsBuffer(mut parts) = self;
        if parts.capacity() < n {
            drop(parts);
            return vec![CompactSums::default(); n];
        }
        parts.resize(n, CompactSums::default());
        parts
    }
}

/// Returns for each key the weight of its groups themselves, and the total of its outermost groups.
fn by_key(tree: &ShapedTree, stacks: &StackWeights) -> Vec<(f64, f64)> {
    let groups = tree.groups();
    let weights = TreeWeights::of_stacks(tree, stacks);
    let mut by_key = vec![(0.0, 0.0); tree.keys().len()];
    for &(stack, weight) in stacks {
        if let Some(group) = tree.of_stack(stack.0 as usize) {
            by_key[groups.key(group).0 as usize].0 += weight;
        }
    }
    for group in std::iter::once(GroupId::ROOT).chain(groups.iter()) {
        if let Some(key) = groups.outermost_key(group) {
            by_key[key.0 as usize].1 += weights.total(group);
        }
    }
    by_key
}

/// Adds the sums to all keys from the group up to the root, once per key.
#[cold]
fn add_upwards(groups: &Groups, from: GroupId, sums: RowSums, total: &mut [RowSums]) {
    let mut group = from;
    while group != GroupId::ROOT {
        if let Some(key) = groups.outermost_key(group) {
            total[key.0 as usize] += sums;
        }
        group = groups.parent(group);
    }
}

/// Sizes, samples and lifetimes have fewer than 63 bits ([`camlscope_formats::ctf::limits`]), and signed integers
/// convert faster.
#[inline(always)]
fn float(number: u64) -> f64 {
    number as i64 as f64
}

/// Returns whether a part has room for this many more samples. Its other sample counts are never larger.
#[inline(always)]
fn has_room(part: &CompactSums, samples: u64) -> bool {
    (part.samples & MOST) + samples <= MOST
}

/// Empties a full part and returns its sums plus those that didn't fit.
#[cold]
fn emptied(part: &mut CompactSums, mut sums: RowSums) -> RowSums {
    sums += unpacked(&std::mem::take(part));
    sums
}

/// For sums of at most [`MOST`] samples.
#[inline(always)]
fn packed(sums: &RowSums) -> CompactSums {
    let samples = sums.samples | sums.promoted << BITS | sums.end << (2 * BITS);
    CompactSums { samples, blocks: sums.blocks, sample_us: sums.sample_us }
}

#[inline(always)]
fn unpacked(part: &CompactSums) -> RowSums {
    RowSums {
        samples: part.samples & MOST,
        promoted: part.samples >> BITS & MOST,
        end: part.samples >> (2 * BITS),
        blocks: part.blocks,
        sample_us: part.sample_us,
    }
}

impl AddAssign for CompactSums {
    #[inline(always)]
    fn add_assign(&mut self, other: CompactSums) {
        self.samples += other.samples;
        self.blocks += other.blocks;
        self.sample_us += other.sample_us;
    }
}

impl RowSums {
    /// Returns `None` without samples.
    pub fn mean_lifetime_us(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.sample_us / self.samples as f64)
    }
}

impl AddAssign for RowSums {
    #[inline(always)]
    fn add_assign(&mut self, other: RowSums) {
        self.samples += other.samples;
        self.promoted += other.promoted;
        self.end += other.end;
        self.blocks += other.blocks;
        self.sample_us += other.sample_us;
    }
}
