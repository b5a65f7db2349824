//! Rows on their way into the columns. Thousands of allocations arrive between two collections. Buffered here and moved
//! a few hundred at a time, each costs a handful of stores instead of an update of everything that an object touches.

use super::ids::StackId;
use super::packed_row::PackedRow;
use camlscope_formats::ctf::ObjectId;

/// Rows moved at once. They take 4 KiB, which fits into the L1 cache.
const ROWS: usize = 256;

/// Buffers small rows whose ids ascend by one.
#[derive(Debug)]
pub(super) struct Pending {
    next_id: u64,
    len: usize,
    /// The number of rows it takes. 0 once closed.
    block: usize,
    times_us: [u64; ROWS],
    stacks: [u32; ROWS],
    packed: [u32; ROWS],
}

/// The rows that are waiting to be added to the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingRows<'p> {
    pub first_id: ObjectId,
    pub times_us: &'p [u64],
    pub stacks: &'p [u32],
    pub packed: &'p [u32],
}

impl Pending {
    pub fn new() -> Pending {
        Pending { next_id: 0, len: 0, block: ROWS, times_us: [0; ROWS], stacks: [0; ROWS], packed: [0; ROWS] }
    }

    /// Adds a row. Returns false if its id doesn't follow the last one or the buffer is full.
    #[inline(always)]
    pub fn push(&mut self, id: ObjectId, time_us: u64, stack: StackId, packed: PackedRow) -> bool {
        if id.0 != self.next_id || self.len >= self.block {
            return false;
        }
        let at = self.len % ROWS;
        self.times_us[at] = time_us;
        self.stacks[at] = stack.0;
        self.packed[at] = packed.0;
        self.len += 1;
        self.next_id = id.0.wrapping_add(1);
        true
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn rows(&self) -> PendingRows<'_> {
        let n = self.len.min(ROWS);
        PendingRows {
            first_id: ObjectId(self.next_id.wrapping_sub(n as u64)),
            times_us: &self.times_us[..n],
            stacks: &self.stacks[..n],
            packed: &self.packed[..n],
        }
    }

    /// Empties the buffer once its rows are in the model.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Expects the row after this object next.
    pub fn follow(&mut self, id: ObjectId) {
        self.next_id = id.0.wrapping_add(1);
    }

    /// Makes the buffer refuse all further rows.
    pub fn close(&mut self) {
        self.block = 0;
    }
}
