//! Bits with ranks: for each set bit, how many are set before it. A list that loses some of its entries needs one and a
//! half bits per entry to find out which are left and at which index.

use super::chunked::Chunked;

/// A list of bits without an end: bits after the last one that was set are zero.
#[derive(Clone, Debug, Default)]
pub struct RankedBits {
    words: Chunked<Word>,
    n_set: u32,
}

/// 64 bits, lower half first, and how many are set before them. They are stored together because ranks are mostly
/// looked up at random. Two halves instead of a `u64` make a word 12 bytes instead of 16.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    halves: [u32; 2],
    n_before: u32,
}

impl Word {
    #[inline(always)]
    fn new(bits: u64, n_before: u32) -> Word {
        Word { halves: [bits as u32, (bits >> 32) as u32], n_before }
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.halves[1]) << 32 | u64::from(self.halves[0])
    }
}

impl RankedBits {
    /// Creates `len` bits that are all set.
    pub fn ones(len: u64) -> RankedBits {
        let mut bits = RankedBits { words: Chunked::filled(Word::new(u64::MAX, 0), (len / 64) as usize), n_set: 0 };
        if !len.is_multiple_of(64) {
            bits.words.push(Word::new((1 << (len % 64)) - 1, 0));
        }
        bits.recount();
        bits
    }

    /// Creates `len` zero bits, which may then be set in any order.
    pub fn zeros(len: u64) -> RankedBits {
        RankedBits { words: Chunked::filled(Word::default(), len.div_ceil(64) as usize), n_set: 0 }
    }

    /// Sets a bit of [`RankedBits::zeros`]. Ranks are valid again after [`RankedBits::recount`].
    #[inline(always)]
    pub fn set(&mut self, at: u64) {
        let word = self.words.get_mut((at / 64) as usize);
        word.halves[(at / 32 % 2) as usize] |= 1 << (at % 32);
    }

    /// Sets a bit after all bits that are set. Ranks stay valid.
    #[inline(always)]
    pub fn append(&mut self, at: u64) {
        while self.words.len() <= (at / 64) as usize {
            self.words.push(Word::new(0, self.n_set));
        }
        self.set(at);
        self.n_set += 1;
    }

    #[inline(always)]
    pub fn is_set(&self, at: u64) -> bool {
        let word = (at / 64) as usize;
        word < self.words.len() && self.words.get(word).bits() >> (at % 64) & 1 == 1
    }

    /// Returns how many bits are set before this one. `None` if it isn't set itself.
    #[inline(always)]
    pub fn rank(&self, at: u64) -> Option<u32> {
        self.is_set(at).then(|| self.rank_before(at))
    }

    /// Returns how many bits are set before this index, which may be past the end.
    #[inline(always)]
    pub fn rank_before(&self, at: u64) -> u32 {
        let word = (at / 64) as usize;
        if word >= self.words.len() {
            return self.n_set;
        }
        let word = self.words.get(word);
        word.n_before + (word.bits() & ((1 << (at % 64)) - 1)).count_ones()
    }

    /// Sets the ancestors of all set bits, from the last bit to the first. `parent` must return a smaller index. Ranks
    /// are valid again after [`RankedBits::recount`].
    #[inline(always)]
    pub fn set_parents(&mut self, parent: impl Fn(u64) -> u64) {
        for word in (0..self.words.len()).rev() {
            let mut left = self.words.get(word).bits();
            while left != 0 {
                let place = 63 - u64::from(left.leading_zeros());
                left ^= 1 << place;
                let at = parent(word as u64 * 64 + place);
                self.set(at);
                if (at / 64) as usize == word && at % 64 < place {
                    left |= 1 << (at % 64);
                }
            }
        }
    }

    pub fn recount(&mut self) {
        let mut n_set = 0;
        for word in self.words.iter_mut() {
            word.n_before = n_set;
            n_set += word.bits().count_ones();
        }
        self.n_set = n_set;
    }

    /// Clears the set bits for which `keep` returns false. It is called in order.
    #[inline(always)]
    pub fn retain(&mut self, mut keep: impl FnMut(u64) -> bool) {
        let (mut first, mut n_set) = (0, 0);
        for word in self.words.iter_mut() {
            let before = word.bits();
            let (mut left, mut after) = (before, before);
            while left != 0 {
                let place = left.trailing_zeros();
                left &= left - 1;
                if !keep(first + u64::from(place)) {
                    after &= !(1 << place);
                }
            }
            *word = Word::new(after, n_set);
            n_set += after.count_ones();
            first += 64;
        }
        self.n_set = n_set;
    }

    /// Calls `each` with the index and the rank of each set bit, in order.
    #[inline(always)]
    pub fn for_each(&self, mut each: impl FnMut(u64, u32)) {
        let (mut first, mut rank) = (0, 0);
        for word in 0..self.words.len() {
            let mut left = self.words.get(word).bits();
            while left != 0 {
                each(first + u64::from(left.trailing_zeros()), rank);
                left &= left - 1;
                rank += 1;
            }
            first += 64;
        }
    }

    /// The number of set bits.
    pub fn n_set(&self) -> u32 {
        self.n_set
    }

    pub fn heap_bytes(&self) -> usize {
        self.words.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_the_bits_before_even_after_some_are_cleared() {
        let mut set_one_by_one = RankedBits::zeros(5000);
        (0..5000).rev().for_each(|at| set_one_by_one.set(at));
        set_one_by_one.recount();
        for mut bits in [RankedBits::ones(5000), set_one_by_one] {
            bits.retain(|at| at.is_multiple_of(2) || at.is_multiple_of(3));
            // After a gap.
            (5400..6000_u64).filter(|at| at.is_multiple_of(7)).for_each(|at| bits.append(at));
            let is_set = |at: u64| match at {
                0..5000 => at.is_multiple_of(2) || at.is_multiple_of(3),
                5400..6000 => at.is_multiple_of(7),
                _ => false,
            };
            let mut rank = 0;
            for at in 0..7000 {
                assert_eq!(bits.rank_before(at), rank, "before {at}");
                assert_eq!(bits.rank(at), is_set(at).then_some(rank), "at {at}");
                rank += u32::from(is_set(at));
            }
            let (mut places, mut expected) = (Vec::new(), (0..7000).filter(|&at| is_set(at)).zip(0..));
            bits.for_each(|at, rank| places.push((at, rank)));
            assert!(places.iter().copied().eq(&mut expected) && bits.n_set() == rank);
        }
    }
    #[test]
    fn all_ancestors_of_set_bits_are_set() {
        let parent = |at: u64| at.saturating_sub(1 + at % 3 * at / 4);
        let mut bits = RankedBits::zeros(1000);
        let mut expected = std::collections::BTreeSet::new();
        for leaf in [5, 70, 128, 700, 999] {
            bits.set(leaf);
            let mut at = leaf;
            while expected.insert(at) {
                at = parent(at);
            }
        }
        bits.set_parents(parent);
        assert!((0..1000).all(|at| bits.is_set(at) == expected.contains(&at)));
    }
}
