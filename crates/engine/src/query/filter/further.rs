//! How much the program allocated after an object and before its end.
//!
//! That is a difference of two running sums of samples. The sums are kept for every 32nd row, a quarter of a byte per
//! row, and completed from the rows in between.

use crate::trace::{GcTimeId, ObjectRow, Trace};

#[derive(Clone, Debug)]
pub struct FurtherAllocation {
    /// The samples of all rows before each multiple of [`EVERY`].
    samples_before: Vec<u64>,
}

const EVERY: usize = 32;

impl FurtherAllocation {
    pub fn new(trace: &Trace) -> FurtherAllocation {
        let mut samples_before = Vec::with_capacity(trace.columns.len() / EVERY + 1);
        let mut sum = 0u64;
        for rows in trace.columns.chunks() {
            for place in 0..rows.len() {
                if (rows.first() as usize + place).is_multiple_of(EVERY) {
                    samples_before.push(sum);
                }
                sum = sum.saturating_add(rows.n_samples(place));
            }
        }
        FurtherAllocation { samples_before }
    }

    /// Returns the bytes allocated between an object and its end, by all domains and in all heaps.
    pub fn bytes(&self, trace: &Trace, row: ObjectRow, end: GcTimeId) -> f64 {
        let until = self.samples_before(trace, trace.gc_times.rows_before(end));
        let further = until.saturating_sub(self.samples_before(trace, row.0 + 1));
        further as f64 * trace.sampling().bytes_a_sample
    }

    fn samples_before(&self, trace: &Trace, row: u32) -> u64 {
        let first = (row as usize / EVERY).min(self.samples_before.len().saturating_sub(1));
        let known = self.samples_before.get(first).copied().unwrap_or(0);
        let rest = (first * EVERY) as u32..row.min(trace.columns.len() as u32);
        rest.fold(known, |sum, row| sum.saturating_add(trace.columns.n_samples(ObjectRow(row))))
    }
}
