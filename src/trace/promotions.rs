//! When objects were promoted: in the order of the file while it streams, then by their rows.

use super::block_pool::BlockPool;
use super::ids::{MomentId, ObjectRow};
use super::list::List;
use super::ranked_bits::RankedBits;

/// One an object at most.
#[derive(Debug, Default)]
pub struct Promotions {
    /// Rows and moments.
    entries: List<2>,
}

impl Promotions {
    #[inline(always)]
    pub(super) fn push(&mut self, row: ObjectRow, moment: MomentId, blocks: &mut BlockPool) {
        self.entries.push([row.0, moment.0], blocks);
    }

    /// Sorts by row, digit by digit, the lowest first. In the page, where the library's sorts are made for size, one by
    /// comparing took a seventh of the whole load; natively it makes no difference.
    pub(super) fn sort(&mut self, blocks: &mut BlockPool) {
        const DIGIT_BITS: u32 = 11;
        let n = self.entries.len();
        let (mut last, mut is_sorted) = (0, true);
        for at in 0..n {
            let row = self.entries.get(at)[0];
            is_sorted &= row >= last;
            last = last.max(row);
        }
        if is_sorted {
            return;
        }
        let mut sorted = List::of_len(n, blocks);
        let n_bits = u32::BITS - last.leading_zeros();
        for shift in (0..n_bits).step_by(DIGIT_BITS as usize) {
            let digit = |entry: [u32; 2]| (entry[0] >> shift) as usize % (1 << DIGIT_BITS);
            let mut starts = [0; 1 << DIGIT_BITS];
            for at in 0..n {
                starts[digit(self.entries.get(at))] += 1;
            }
            let mut sum = 0;
            for start in &mut starts {
                sum += std::mem::replace(start, sum);
            }
            for at in 0..n {
                let entry = self.entries.get(at);
                let start = &mut starts[digit(entry)];
                sorted.set(*start, entry);
                *start += 1;
            }
            std::mem::swap(&mut self.entries, &mut sorted);
        }
        sorted.truncate(0, blocks);
    }

    /// Gives all moments other names.
    pub(super) fn rename(&mut self, renamed: impl Fn(MomentId) -> MomentId) {
        for at in 0..self.len() {
            let [row, moment] = self.entries.get(at);
            self.entries.set(at, [row, renamed(MomentId(moment)).0]);
        }
    }

    /// Keeps the promotions of these rows, in order, and gives rows and moments other names.
    pub(super) fn compact(
        &mut self,
        kept: &RankedBits,
        renamed: impl Fn(MomentId) -> MomentId,
        blocks: &mut BlockPool,
    ) {
        let mut to = 0;
        for at in 0..self.len() {
            let [row, moment] = self.entries.get(at);
            if let Some(row) = kept.rank(u64::from(row)) {
                self.entries.set(to, [row, renamed(MomentId(moment)).0]);
                to += 1;
            }
        }
        self.entries.truncate(to, blocks);
    }

    /// Once sorted: how many are of rows before this one.
    pub(super) fn n_before(&self, row: ObjectRow) -> usize {
        self.entries.partition_point(|[at, _]| at < row.0)
    }

    /// By place.
    pub(super) fn get(&self, at: usize) -> Option<(ObjectRow, MomentId)> {
        (at < self.len()).then(|| {
            let [row, moment] = self.entries.get(at);
            (ObjectRow(row), MomentId(moment))
        })
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn of(&self, row: ObjectRow) -> Option<MomentId> {
        self.get(self.n_before(row)).filter(|entry| entry.0 == row).map(|entry| entry.1)
    }

    /// By row, once sorted.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectRow, MomentId)> + '_ {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    pub fn heap_bytes(&self) -> usize {
        self.entries.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::dice::mix;

    #[test]
    fn promotions_are_sorted_as_comparing_would_sort_them() {
        let cases = [(0, 1), (1, 9), (100, 64), (5_000, 1 << 11), (5_000, 1 << 22), (50_000, u32::MAX)];
        for (n, spread) in cases {
            let rows: std::collections::BTreeSet<u32> = (0..n).map(|i| (mix(i) as u32) % spread).collect();
            let expected: Vec<_> = rows.iter().map(|&row| (ObjectRow(row), MomentId(row ^ 0x55))).collect();
            let mut streamed = expected.clone();
            streamed.sort_by_key(|entry| mix(u64::from(entry.0.0)));
            let (mut promotions, mut blocks) = (Promotions::default(), BlockPool::default());
            streamed.iter().for_each(|&(row, moment)| promotions.push(row, moment, &mut blocks));
            promotions.sort(&mut blocks);
            assert!(promotions.iter().eq(expected.iter().copied()), "{n} of {spread}");
            assert!(expected.iter().all(|&(row, moment)| promotions.of(row) == Some(moment)));
            assert!((0..100).map(ObjectRow).all(|row| promotions.of(row).is_some() == rows.contains(&row.0)));
        }
    }
}
