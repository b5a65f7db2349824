//! The model's rows in chunks, so that it grows without being copied. Each column of a chunk is a block.

use super::block_pool::{BLOCK, Block, BlockPool};
use super::ids::GcTimeId;

/// The number of rows in a chunk.
pub(super) const CHUNK: usize = BLOCK;

#[derive(Debug)]
pub(super) struct Chunk {
    /// The time that `alloc` is relative to.
    base_us: u64,
    pub alloc: Block,
    /// Replaces `alloc` if the times are too far apart for 32 bits.
    pub wide: Option<Vec<u64>>,
    pub end: Block,
    pub stack: Block,
    pub packed: Block,
}

/// An end as it is stored. The end of a live object holds the object's sample count, so ending it doesn't cost a second
/// cache miss.
#[derive(Clone, Copy)]
pub(super) struct End(pub u32);

impl End {
    /// Larger counts are stored in the packed word. Indices of collection times stay far below these values.
    const MOST_SAMPLES: u32 = 254;

    #[inline(always)]
    pub fn new(gc_time: GcTimeId, n_samples: u64) -> End {
        if gc_time == GcTimeId::NEVER { End::live(n_samples) } else { End(gc_time.0) }
    }

    #[inline(always)]
    pub fn live(n_samples: u64) -> End {
        End(GcTimeId::NEVER.0 - if n_samples <= u64::from(End::MOST_SAMPLES) { n_samples as u32 } else { 0 })
    }

    #[inline(always)]
    pub fn is_live(self) -> bool {
        self.0 >= GcTimeId::NEVER.0 - End::MOST_SAMPLES
    }

    /// The sample count of a live object, if stored here.
    #[inline(always)]
    pub fn samples(self) -> Option<u64> {
        (self.0 != GcTimeId::NEVER.0).then_some(u64::from(GcTimeId::NEVER.0 - self.0))
    }

    #[inline(always)]
    pub fn gc_time(self) -> GcTimeId {
        if self.is_live() { GcTimeId::NEVER } else { GcTimeId(self.0) }
    }
}

impl Chunk {
    pub fn new(first_us: u64, blocks: &mut BlockPool) -> Chunk {
        Chunk {
            base_us: base_us(first_us),
            alloc: blocks.take(),
            wide: None,
            end: blocks.take(),
            stack: blocks.take(),
            packed: blocks.take(),
        }
    }

    /// Prepares for overwriting all rows, with times from here on.
    #[cold]
    pub fn begin(&mut self, first_us: u64) {
        self.base_us = base_us(first_us);
        self.wide = None;
    }

    pub fn into_blocks(self) -> [Block; 4] {
        [self.alloc, self.end, self.stack, self.packed]
    }

    #[inline(always)]
    pub fn set_time(&mut self, place: usize, time_us: u64) {
        match (u32::try_from(time_us.wrapping_sub(self.base_us)), &self.wide) {
            (Ok(delta), None) => self.alloc[place] = delta,
            _ => self.set_wide(place, time_us),
        }
    }

    pub fn set_times(&mut self, place: usize, times_us: &[u64]) {
        let base_us = self.base_us;
        let is_near = times_us.iter().fold(0, |all, time_us| all | time_us.wrapping_sub(base_us)) >> 32 == 0;
        if is_near && self.wide.is_none() {
            for (delta, time_us) in self.alloc[place..].iter_mut().zip(times_us) {
                *delta = time_us.wrapping_sub(base_us) as u32;
            }
        } else {
            for (place, &time_us) in (place..).zip(times_us) {
                self.set_time(place, time_us);
            }
        }
    }

    #[cold]
    fn set_wide(&mut self, place: usize, time_us: u64) {
        let (base, narrow) = (self.base_us, &self.alloc);
        let wide = self.wide.get_or_insert_with(|| narrow.iter().map(|&delta| base + u64::from(delta)).collect());
        wide[place] = time_us;
    }

    #[inline(always)]
    pub fn time(&self, place: usize) -> u64 {
        match &self.wide {
            None => self.base_us + u64::from(self.alloc[place]),
            Some(wide) => wide[place],
        }
    }
}

/// Leaves some room below the first row's time: domains interleave, so later rows may be a little earlier.
fn base_us(first_us: u64) -> u64 {
    first_us.saturating_sub(1 << 31)
}
