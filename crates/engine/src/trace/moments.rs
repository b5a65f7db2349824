//! Moments at which the collector worked.
//!
//! Objects die in bursts: some ten collections share a time stamp and no allocation lies between them. So an object's
//! end is the number of such a moment, 4 bytes, and moments carry the time and how many objects had been allocated
//! before. That keeps the exact order of all events without a sort: within a moment the live curve only falls.

use super::block_pool::BlockPool;
use super::columns::Columns;
use super::ids::MomentId;
use super::list::List;
use super::ranked_bits::RankedBits;

#[derive(Debug, Default)]
pub struct Moments {
    /// µs since the trace's start; never falls.
    time_us: List<2>,
    /// Rows allocated before this moment; never falls.
    rows_before: List<1>,
    /// The moment that the next event may still belong to.
    newest: Option<(u64, u32)>,
}

/// A point in the order of all events: after a number of rows and a number of moments. Finer than a time, which several events may share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    pub rows: u32,
    pub moments: u32,
}

impl Moments {
    pub fn len(&self) -> usize {
        self.rows_before.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The moment of an event at this time behind all these rows: the newest, or a new one.
    #[inline(always)]
    pub(super) fn at(&mut self, time_us: u64, columns: &mut Columns) -> MomentId {
        if self.newest != Some((time_us, columns.len() as u32)) {
            self.push(time_us, columns);
        }
        MomentId(self.len() as u32 - 1)
    }

    /// The next event begins a new moment in any case.
    pub(super) fn close(&mut self) {
        self.newest = None;
    }

    pub(super) fn push(&mut self, time_us: u64, columns: &mut Columns) {
        let rows_before = columns.len() as u32;
        self.newest = Some((time_us, rows_before));
        self.time_us.push([time_us as u32, (time_us >> 32) as u32], columns.blocks());
        self.rows_before.push([rows_before], columns.blocks());
    }

    /// Leaves the first `len` moments.
    pub(super) fn truncate(&mut self, len: u32, blocks: &mut BlockPool) {
        self.newest = None;
        self.time_us.truncate(len as usize, blocks);
        self.rows_before.truncate(len as usize, blocks);
    }

    #[inline(always)]
    pub fn time_us(&self, moment: MomentId) -> u64 {
        time_of(self.time_us.get(moment.0 as usize))
    }

    #[inline(always)]
    pub fn rows_before(&self, moment: MomentId) -> u32 {
        self.rows_before.get(moment.0 as usize)[0]
    }

    /// Keeps the moments whose bits are set, in order, of a model that keeps these rows.
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

    /// How many moments lie at or before this time.
    pub fn until(&self, time_us: u64) -> u32 {
        self.time_us.partition_point(|at| time_of(at) <= time_us) as u32
    }

    /// How many moments lie before this time.
    pub fn before(&self, time_us: u64) -> u32 {
        self.time_us.partition_point(|at| time_of(at) < time_us) as u32
    }

    /// When an object ended; none if it never was collected.
    pub fn end_us(&self, end: MomentId) -> Option<u64> {
        (end != MomentId::NEVER).then(|| self.time_us(end))
    }

    pub fn heap_bytes(&self) -> usize {
        self.time_us.heap_bytes() + self.rows_before.heap_bytes()
    }
}

#[inline(always)]
fn time_of([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
