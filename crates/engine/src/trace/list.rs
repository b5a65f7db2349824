//! A list in blocks. A list that grows by doubling would be copied, and would touch twice the memory it needs.

use super::block_pool::{BLOCK, Block, BlockPool};

/// Entries of `N` numbers each; `N` must divide the length of a block.
#[derive(Debug)]
pub(super) struct List<const N: usize> {
    blocks: Vec<Block>,
    len: usize,
}

impl<const N: usize> Default for List<N> {
    fn default() -> List<N> {
        List { blocks: Vec::new(), len: 0 }
    }
}

impl<const N: usize> List<N> {
    const IN_A_BLOCK: usize = BLOCK / N;

    /// Creates a list of `len` entries with arbitrary values.
    pub fn of_len(len: usize, blocks: &mut BlockPool) -> List<N> {
        List { blocks: (0..len.div_ceil(List::<N>::IN_A_BLOCK)).map(|_| blocks.take()).collect(), len }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub fn push(&mut self, entry: [u32; N], blocks: &mut BlockPool) {
        if self.len.is_multiple_of(List::<N>::IN_A_BLOCK) {
            self.begin_block(blocks);
        }
        self.len += 1;
        self.set(self.len - 1, entry);
    }

    #[cold]
    fn begin_block(&mut self, blocks: &mut BlockPool) {
        self.blocks.push(blocks.take());
    }

    #[inline(always)]
    pub fn get(&self, at: usize) -> [u32; N] {
        let place = at % List::<N>::IN_A_BLOCK * N;
        let mut entry = [0; N];
        entry.copy_from_slice(&self.blocks[at / List::<N>::IN_A_BLOCK][place..place + N]);
        entry
    }

    #[inline(always)]
    pub fn set(&mut self, at: usize, entry: [u32; N]) {
        let place = at % List::<N>::IN_A_BLOCK * N;
        self.blocks[at / List::<N>::IN_A_BLOCK][place..place + N].copy_from_slice(&entry);
    }

    /// Keeps the first `len` entries and frees the rest.
    pub fn truncate(&mut self, len: usize, blocks: &mut BlockPool) {
        self.len = self.len.min(len);
        blocks.give_back(self.blocks.drain(self.len.div_ceil(List::<N>::IN_A_BLOCK)..));
    }

    /// Returns how many entries at the start satisfy `is_before`. No entry after them may.
    pub fn partition_point(&self, is_before: impl Fn([u32; N]) -> bool) -> usize {
        partition_point(self.len, |at| is_before(self.get(at)))
    }

    pub fn heap_bytes(&self) -> usize {
        self.blocks.len() * size_of::<[u32; BLOCK]>()
    }
}

impl<const N: usize> List<N> {
    /// Sorts by the first number with a stable radix sort, lowest digit first. On the page, where the standard library
    /// is compiled for size, a comparison sort took a seventh of the load time. Natively it makes no difference.
    pub fn sort_by_first(&mut self, blocks: &mut BlockPool) {
        const DIGIT_BITS: u32 = 11;
        let n = self.len;
        let (mut last, mut is_sorted) = (0, true);
        for at in 0..n {
            let first = self.get(at)[0];
            is_sorted &= first >= last;
            last = last.max(first);
        }
        if is_sorted {
            return;
        }
        let mut sorted = List::of_len(n, blocks);
        let n_bits = u32::BITS - last.leading_zeros();
        for shift in (0..n_bits).step_by(DIGIT_BITS as usize) {
            let digit = |entry: [u32; N]| (entry[0] >> shift) as usize % (1 << DIGIT_BITS);
            let mut starts = [0; 1 << DIGIT_BITS];
            for at in 0..n {
                starts[digit(self.get(at))] += 1;
            }
            let mut sum = 0;
            for start in &mut starts {
                sum += std::mem::replace(start, sum);
            }
            for at in 0..n {
                let entry = self.get(at);
                let start = &mut starts[digit(entry)];
                sorted.set(*start, entry);
                *start += 1;
            }
            std::mem::swap(self, &mut sorted);
        }
        sorted.truncate(0, blocks);
    }
}

/// `slice::partition_point` for anything with an index.
pub(crate) fn partition_point(len: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_read_back_across_blocks_until_truncated() {
        let (mut list, mut blocks) = (List::default(), BlockPool::default());
        let n = BLOCK + 5;
        let entry = |i: usize| [i as u32, 7 * i as u32];
        (0..n).for_each(|i| list.push(entry(i), &mut blocks));
        assert!(list.len() == n && (0..n).all(|at| list.get(at) == entry(at)));
        assert_eq!(list.heap_bytes(), 3 * size_of::<[u32; BLOCK]>());
        for at in [0, 1, BLOCK / 2, n - 1, n] {
            assert_eq!(list.partition_point(|entry| entry[0] < at as u32), at);
        }
        list.truncate(BLOCK / 2, &mut blocks);
        assert_eq!((list.len(), list.heap_bytes()), (BLOCK / 2, size_of::<[u32; BLOCK]>()));
        list.push([1, 2], &mut blocks);
        assert_eq!((list.get(BLOCK / 2 - 1), list.get(BLOCK / 2)), (entry(BLOCK / 2 - 1), [1, 2]));
    }
}
