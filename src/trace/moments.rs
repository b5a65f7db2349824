//! Moments at which the collector worked.
//!
//! Objects die in bursts: some ten collections share a time stamp and no allocation lies between them. So an object's
//! end is the number of such a moment, 4 bytes, and moments carry the time and how many objects had been allocated
//! before. That keeps the exact order of all events without a sort: within a moment the live curve only falls.

use super::chunked::Chunked;
use super::ids::{MomentId, ObjectRow};
use super::ledger::RankedBits;

#[derive(Debug, Default)]
pub struct Moments {
    /// µs since the trace's start; never falls.
    time_us: Chunked<u64>,
    /// Rows allocated before this moment; never falls.
    rows_before: Chunked<u32>,
    len: u32,
    /// The moment that the next event may still belong to.
    newest: Option<(u64, u32)>,
}

/// A point in the order of all events: behind so many rows and so many moments. Finer than a time, which events share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    pub rows: u32,
    pub moments: u32,
}

/// When objects were promoted.
#[derive(Debug, Default)]
pub struct Promotions {
    /// By row, ascending.
    entries: Vec<(ObjectRow, MomentId)>,
}

impl Moments {
    pub fn len(&self) -> usize {
        self.len as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The moment of an event at this time behind so many rows: the newest, or a new one.
    #[inline(always)]
    pub(super) fn at(&mut self, time_us: u64, rows_before: u32) -> MomentId {
        if self.newest != Some((time_us, rows_before)) {
            self.push(time_us, rows_before);
        }
        MomentId(self.len - 1)
    }

    /// The next event begins a new moment in any case.
    pub(super) fn close(&mut self) {
        self.newest = None;
    }

    pub(super) fn push(&mut self, time_us: u64, rows_before: u32) {
        self.newest = Some((time_us, rows_before));
        self.len += 1;
        self.time_us.push(time_us);
        self.rows_before.push(rows_before);
    }

    #[inline(always)]
    pub fn time_us(&self, moment: MomentId) -> u64 {
        self.time_us.get(moment.0 as usize)
    }

    #[inline(always)]
    pub fn rows_before(&self, moment: MomentId) -> u32 {
        self.rows_before.get(moment.0 as usize)
    }

    pub(super) fn set_rows_before(&mut self, moment: MomentId, rows: u32) {
        self.rows_before.set(moment.0 as usize, rows);
    }

    /// Keeps the moments whose bits are set, in order.
    pub(super) fn compact(&mut self, used: &RankedBits) {
        let mut to = 0;
        for from in (0..self.len()).filter(|&at| used.is_set(at as u64)) {
            self.time_us.set(to, self.time_us.get(from));
            self.rows_before.set(to, self.rows_before.get(from));
            to += 1;
        }
        self.len = to as u32;
        self.newest = None;
        self.time_us.truncate(to);
        self.rows_before.truncate(to);
    }

    /// How many moments lie at or before this time.
    pub fn until(&self, time_us: u64) -> u32 {
        self.partition(|at_us| at_us <= time_us)
    }

    /// How many moments lie before this time.
    pub fn before(&self, time_us: u64) -> u32 {
        self.partition(|at_us| at_us < time_us)
    }

    fn partition(&self, is_left: impl Fn(u64) -> bool) -> u32 {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_left(self.time_us(MomentId(middle))) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// When an object ended; none if it never was collected.
    pub fn end_us(&self, end: MomentId) -> Option<u64> {
        (end != MomentId::NEVER).then(|| self.time_us(end))
    }

    pub fn heap_bytes(&self) -> usize {
        self.time_us.heap_bytes() + self.rows_before.heap_bytes()
    }
}

impl Promotions {
    /// `entries` in any order.
    pub(super) fn new(mut entries: Vec<(ObjectRow, MomentId)>) -> Promotions {
        entries.sort_unstable();
        entries.shrink_to_fit();
        Promotions { entries }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn of(&self, row: ObjectRow) -> Option<MomentId> {
        self.entries.binary_search_by_key(&row, |entry| entry.0).ok().map(|at| self.entries[at].1)
    }

    pub fn iter(&self) -> impl Iterator<Item = (ObjectRow, MomentId)> + '_ {
        self.entries.iter().copied()
    }

    pub fn heap_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<(ObjectRow, MomentId)>()
    }
}
