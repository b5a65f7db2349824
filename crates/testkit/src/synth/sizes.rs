//! How large blocks are. A place in a program mostly allocates blocks of one size; some allocate arrays and strings.

use super::distributions::{Sampler, Table};
use camlscope_formats::ctf::AllocSource;

#[derive(Debug)]
pub struct Sizes {
    table: Table,
    /// The places, of 16, that allocate blocks of all sizes.
    n_loose: u64,
}

/// Larger blocks are born in the major heap.
const MAX_YOUNG_WORDS: u64 = 256;

impl Sizes {
    /// Sizes with their shares among the blocks that a trace of a small rate sees. Such a trace sees a block as often
    /// as it has words; at a higher rate the small ones are seen as often as they are.
    pub fn new(seen: &[(u16, f64)], n_loose: u64, sampler: &Sampler) -> Sizes {
        let at_rate = |&(words, share): &(u16, f64)| {
            let length = u64::from(words);
            (words, share / (length + 1) as f64 * sampler.sees(length))
        };
        Sizes { table: Table::weighted(&seen.iter().map(at_rate).collect::<Vec<_>>()), n_loose }
    }

    /// The size of a block that is allocated in a place, and where it is born.
    #[inline]
    pub fn of_site(&self, code: u64, random: u64) -> (u64, AllocSource) {
        let hash = code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let is_loose = hash >> 11 & 15 < self.n_loose;
        let length = u64::from(self.table.pick(if is_loose { random } else { hash }));
        (length, if length > MAX_YOUNG_WORDS { AllocSource::Major } else { AllocSource::Minor })
    }
}
