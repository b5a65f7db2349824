//! The times at which the collector freed or promoted objects.
//!
//! Objects die in bursts: about ten collections share a timestamp with no allocation in between. So an object's end is
//! an index into this list, 4 bytes. Each entry has a time and the number of objects allocated before it. That keeps
//! the exact order of all events without a sort: within an entry the live curve only falls.

use super::block_pool::BlockPool;
use super::columns::Columns;
use super::ids::GcTimeId;
use super::list::List;
use super::ranked_bits::RankedBits;

#[derive(Debug, Default)]
pub struct GcTimes {
    /// µs since the start of the trace. Never decreases.
    time_us: List<2>,
    /// Rows allocated before this entry. Never decreases.
    rows_before: List<1>,
    /// The entry that the next event may still belong to.
    newest: Option<(u64, u32)>,
}

/// A position in the order of all events: after a number of rows and a number of collection times. It is finer than a
/// time, which several events may share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    pub rows: u32,
    pub gc_times: u32,
}

impl GcTimes {
    pub fn len(&self) -> usize {
        self.rows_before.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the entry for an event at this time, after all rows so far: the newest entry, or a new one.
    #[inline(always)]
    pub(super) fn at(&mut self, time_us: u64, columns: &mut Columns) -> GcTimeId {
        if self.newest != Some((time_us, columns.len() as u32)) {
            self.push(time_us, columns);
        }
        GcTimeId(self.len() as u32 - 1)
    }

    /// Makes the next event start a new entry.
    pub(super) fn close(&mut self) {
        self.newest = None;
    }

    pub(super) fn push(&mut self, time_us: u64, columns: &mut Columns) {
        let rows_before = columns.len() as u32;
        self.newest = Some((time_us, rows_before));
        self.time_us.push([time_us as u32, (time_us >> 32) as u32], columns.blocks());
        self.rows_before.push([rows_before], columns.blocks());
    }

    /// Keeps the first `len` entries.
    pub(super) fn truncate(&mut self, len: u32, blocks: &mut BlockPool) {
        self.newest = None;
        self.time_us.truncate(len as usize, blocks);
        self.rows_before.truncate(len as usize, blocks);
    }

    #[inline(always)]
    pub fn time_us(&self, gc_time: GcTimeId) -> u64 {
        time_of(self.time_us.get(gc_time.0 as usize))
    }

    #[inline(always)]
    pub fn rows_before(&self, gc_time: GcTimeId) -> u32 {
        self.rows_before.get(gc_time.0 as usize)[0]
    }

    /// Keeps the entries whose bits in `used` are set, in order. `kept` are the rows that the model keeps.
    pub(super) fn compact(&mut self, used: &RankedBits, kept: &RankedBits, blocks: &mut BlockPool) {
        used.for_each(|from, to| {
            let [rows_before] = self.rows_before.get(from as usize);
            self.time_us.set(to as usize, self.time_us.get(from as usize));
            self.rows_before.set(to as usize, [kept.rank_before(u64::from(rows_before))]);
        });
        self.newest = None;
        self.time_us.truncate(used.n_set() as usize, blocks);
        self.rows_before.truncate(used.n_set() as usize, blocks);
    }

    /// Returns the number of entries at or before this time.
    pub fn until(&self, time_us: u64) -> u32 {
        self.time_us.partition_point(|at| time_of(at) <= time_us) as u32
    }

    /// Returns the number of entries before this time.
    pub fn before(&self, time_us: u64) -> u32 {
        self.time_us.partition_point(|at| time_of(at) < time_us) as u32
    }

    /// Returns when an object ended. `None` if it was never collected.
    pub fn end_us(&self, end: GcTimeId) -> Option<u64> {
        (end != GcTimeId::NEVER).then(|| self.time_us(end))
    }

    pub fn heap_bytes(&self) -> usize {
        self.time_us.heap_bytes() + self.rows_before.heap_bytes()
    }
}

#[inline(always)]
fn time_of([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
