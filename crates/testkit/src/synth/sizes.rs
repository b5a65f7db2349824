//! Block sizes. Most allocation sites allocate blocks of one size. Some allocate arrays and strings.

use super::distributions::{Sampler, Table};
use camlscope_formats::ctf::AllocSource;

#[derive(Debug)]
pub struct Sizes {
    table: Table,
    /// How many sites out of 16 allocate blocks of all sizes.
    n_loose: u64,
}

/// Larger blocks are allocated directly in the major heap.
const MAX_YOUNG_WORDS: u64 = 256;

impl Sizes {
    /// `seen` has sizes with their shares among the blocks that a trace with a low rate samples. At a low rate, a block
    /// is sampled in proportion to its words. At a higher rate, small blocks make up a larger share of the samples.
    pub fn new(seen: &[(u16, f64)], n_loose: u64, sampler: &Sampler) -> Sizes {
        let at_rate = |&(words, share): &(u16, f64)| {
            let length = u64::from(words);
            (words, share / (length + 1) as f64 * sampler.sees(length))
        };
        Sizes { table: Table::weighted(&seen.iter().map(at_rate).collect::<Vec<_>>()), n_loose }
    }

    /// Returns the size of a block allocated at a site, and its heap.
    #[inline]
    pub fn of_site(&self, code: u64, random: u64) -> (u64, AllocSource) {
        let hash = code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let is_loose = hash >> 11 & 15 < self.n_loose;
        let length = u64::from(self.table.pick(if is_loose { random } else { hash }));
        (length, if length > MAX_YOUNG_WORDS { AllocSource::Major } else { AllocSource::Minor })
    }
}
