//! When objects were promoted: in file order while the file streams, then by row.

use super::block_pool::BlockPool;
use super::ids::{GcTimeId, ObjectRow};
use super::list::{List, partition_point};
use super::ranked_bits::RankedBits;

/// At most one per object.
#[derive(Debug, Default)]
pub struct Promotions {
    /// Rows and collection times.
    entries: List<2>,
    /// The number of entries sorted by row. Those after them were added later.
    n_sorted: usize,
}

impl Promotions {
    #[inline(always)]
    pub(super) fn push(&mut self, row: ObjectRow, gc_time: GcTimeId, blocks: &mut BlockPool) {
        self.entries.push([row.0, gc_time.0], blocks);
    }

    /// Sorts by row. If the list was sorted before, only the new entries are sorted and merged in from the back.
    /// Returns the cost, in entries.
    pub(super) fn sort(&mut self, blocks: &mut BlockPool) -> usize {
        let (first, n) = (self.n_sorted, self.len());
        self.n_sorted = n;
        if first == 0 {
            self.entries.sort_by_first(blocks);
            return n;
        }
        let mut new = List::default();
        (first..n).for_each(|at| new.push(self.entries.get(at), blocks));
        new.sort_by_first(blocks);
        let (mut n_old, mut n_new, mut n_moved) = (first, new.len(), 0);
        while n_new > 0 {
            let entry = new.get(n_new - 1);
            let to = n_old + n_new - 1;
            n_moved += 1;
            if n_old > 0 && self.entries.get(n_old - 1)[0] > entry[0] {
                n_old -= 1;
                self.entries.set(to, self.entries.get(n_old));
            } else {
                n_new -= 1;
                self.entries.set(to, entry);
            }
        }
        new.truncate(0, blocks);
        n_moved
    }

    /// Records a promotion of any row, which may already have one.
    pub(super) fn put(&mut self, row: ObjectRow, gc_time: GcTimeId, blocks: &mut BlockPool) {
        let at = partition_point(self.n_sorted, |at| self.entries.get(at)[0] < row.0);
        if at < self.n_sorted && self.entries.get(at)[0] == row.0 {
            self.entries.set(at, [row.0, gc_time.0]);
        } else {
            self.push(row, gc_time, blocks);
        }
    }

    /// Keeps the promotions of rows before this one. The list must be sorted.
    pub(super) fn truncate(&mut self, row: ObjectRow, blocks: &mut BlockPool) {
        self.n_sorted = self.n_before(row);
        self.entries.truncate(self.n_sorted, blocks);
    }

    /// Renumbers the collection times.
    pub(super) fn rename(&mut self, renamed: impl Fn(GcTimeId) -> GcTimeId) {
        for at in 0..self.len() {
            let [row, gc_time] = self.entries.get(at);
            self.entries.set(at, [row, renamed(GcTimeId(gc_time)).0]);
        }
    }

    /// Keeps the promotions of these rows, in order, and renumbers rows and collection times.
    pub(super) fn compact(
        &mut self,
        kept: &RankedBits,
        renamed: impl Fn(GcTimeId) -> GcTimeId,
        blocks: &mut BlockPool,
    ) {
        let (mut to, n_sorted) = (0, self.n_sorted);
        for at in 0..self.len() {
            if at == n_sorted {
                self.n_sorted = to;
            }
            let [row, gc_time] = self.entries.get(at);
            if let Some(row) = kept.rank(u64::from(row)) {
                self.entries.set(to, [row, renamed(GcTimeId(gc_time)).0]);
                to += 1;
            }
        }
        self.n_sorted = self.n_sorted.min(to);
        self.entries.truncate(to, blocks);
    }

    /// Returns how many promotions concern rows before this one. The list must be sorted.
    pub(super) fn n_before(&self, row: ObjectRow) -> usize {
        self.entries.partition_point(|[at, _]| at < row.0)
    }

    /// By index.
    pub(super) fn get(&self, at: usize) -> Option<(ObjectRow, GcTimeId)> {
        (at < self.len()).then(|| {
            let [row, gc_time] = self.entries.get(at);
            (ObjectRow(row), GcTimeId(gc_time))
        })
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn of(&self, row: ObjectRow) -> Option<GcTimeId> {
        self.get(self.n_before(row)).filter(|entry| entry.0 == row).map(|entry| entry.1)
    }

    /// In order of rows, once sorted.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectRow, GcTimeId)> + '_ {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    pub fn heap_bytes(&self) -> usize {
        self.entries.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::sampling_hash::mix;

    #[test]
    fn radix_sort_orders_promotions_like_a_comparison_sort() {
        let cases = [(0, 1), (1, 9), (100, 64), (5_000, 1 << 11), (5_000, 1 << 22), (50_000, u32::MAX)];
        for (n, spread) in cases {
            let rows: std::collections::BTreeSet<u32> = (0..n).map(|i| (mix(i) as u32) % spread).collect();
            let expected: Vec<_> = rows.iter().map(|&row| (ObjectRow(row), GcTimeId(row ^ 0x55))).collect();
            let mut streamed = expected.clone();
            streamed.sort_by_key(|entry| mix(u64::from(entry.0.0)));
            let (mut promotions, mut blocks) = (Promotions::default(), BlockPool::default());
            for part in streamed.chunks(streamed.len().div_ceil(3).max(1)) {
                part.iter().for_each(|&(row, gc_time)| promotions.push(row, gc_time, &mut blocks));
                promotions.sort(&mut blocks);
            }
            assert!(promotions.iter().eq(expected.iter().copied()), "{n} of {spread}");
            assert!(expected.iter().all(|&(row, gc_time)| promotions.of(row) == Some(gc_time)));
            assert!((0..100).map(ObjectRow).all(|row| promotions.of(row).is_some() == rows.contains(&row.0)));
        }
    }
}
