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

/// Sorts promotions by their rows, digit by digit, the lowest first. In the page, where the library's sorts are made for
/// size, one by comparing took a seventh of the whole load; natively it makes no difference.
pub(super) fn sort_by_row(entries: &mut Vec<(ObjectRow, MomentId)>) {
    const DIGIT_BITS: u32 = 11;
    let Some(last) = entries.iter().map(|entry| entry.0.0).max() else { return };
    if entries.is_sorted_by_key(|entry| entry.0) {
        return;
    }
    let mut sorted = entries.clone();
    let n_bits = u32::BITS - last.leading_zeros();
    for shift in (0..n_bits).step_by(DIGIT_BITS as usize) {
        let digit = |entry: &(ObjectRow, MomentId)| (entry.0.0 >> shift) as usize % (1 << DIGIT_BITS);
        let mut starts = [0; 1 << DIGIT_BITS];
        for entry in entries.iter() {
            starts[digit(entry)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for entry in entries.iter() {
            let start = &mut starts[digit(entry)];
            sorted[*start] = *entry;
            *start += 1;
        }
        std::mem::swap(entries, &mut sorted);
    }
}

impl Promotions {
    /// `entries` in any order, one a row at most.
    pub(super) fn new(mut entries: Vec<(ObjectRow, MomentId)>) -> Promotions {
        sort_by_row(&mut entries);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::dice::mix;

    #[test]
    fn promotions_are_sorted_as_comparing_would_sort_them() {
        for (n, spread) in [(0, 1), (1, 9), (100, 64), (5_000, 1 << 11), (5_000, 1 << 22), (5_000, u32::MAX)] {
            let rows: std::collections::BTreeSet<u32> = (0..n).map(|i| (mix(i) as u32) % spread).collect();
            let mut entries: Vec<(ObjectRow, MomentId)> =
                rows.iter().map(|&row| (ObjectRow(row), MomentId(row ^ 0x55))).collect();
            entries.sort_by_key(|entry| mix(u64::from(entry.0.0)));
            let mut expected = entries.clone();
            expected.sort_unstable();
            sort_by_row(&mut entries);
            assert_eq!(entries, expected, "{n} of {spread}");
        }
    }
}
