//! A time range divided into steps of equal width. Rows and GC times are in time order, so each step is a range of both,
//! found by binary search. The step of an object's end is then a table lookup.

use crate::trace::{GcTimeId, Position, Trace};

/// Bins of events: 0 is before the time range, 1 to `n` are the steps, and `n + 1` is after it, or never.
#[derive(Clone, Debug)]
pub struct Steps {
    pub from_us: u64,
    pub to_us: u64,
    pub n: usize,
    /// Where bins 1 to `n + 1` begin.
    begins: Vec<Position>,
    /// By GC time.
    bin_of_gc_time: Vec<u16>,
}

/// More than the width of any screen, and bins still fit into 16 bits.
const MAX_STEPS: usize = 60_000;

impl Steps {
    /// Covers both ends. If steps are shorter than a microsecond, some are necessarily empty.
    pub fn new(trace: &Trace, from_us: u64, to_us: u64, n: usize) -> Steps {
        let (n, to_us) = (n.clamp(1, MAX_STEPS), to_us.max(from_us));
        let begins: Vec<Position> = (0..=n)
            .map(|step| match step {
                step if step == n => trace.position(to_us),
                step => before(trace, begin_us(from_us, to_us, n, step)),
            })
            .collect();
        let mut bin_of_gc_time = Vec::with_capacity(trace.gc_times.len());
        for (bin, begin) in begins.iter().enumerate() {
            bin_of_gc_time.resize(begin.gc_times as usize, bin as u16);
        }
        bin_of_gc_time.resize(trace.gc_times.len(), n as u16 + 1);
        Steps { from_us, to_us, n, begins, bin_of_gc_time }
    }

    pub fn step_us(&self) -> f64 {
        (self.to_us - self.from_us) as f64 / self.n as f64
    }

    /// Returns where bins 1 to `n + 1` begin.
    pub fn begins(&self) -> &[Position] {
        &self.begins
    }

    /// The number of bins, including the two outside.
    pub fn n_bins(&self) -> usize {
        self.n + 2
    }

    #[inline(always)]
    pub fn bin_of(&self, gc_time: GcTimeId) -> usize {
        self.bin_of_gc_time.get(gc_time.0 as usize).map_or(self.n + 1, |&bin| usize::from(bin))
    }

    /// Returns at how many ends of steps an object is live, given the bins of its allocation and end.
    #[inline(always)]
    pub fn n_ends_between(&self, came: usize, went: usize) -> u64 {
        went.saturating_sub(came.max(1)) as u64
    }

    /// Returns the allocation bins of rows in ascending order.
    pub fn row_bins(&self) -> RowBins<'_> {
        RowBins { begins: &self.begins, bin: 0, next: self.begins[0].rows }
    }
}

/// Tracks the bin of rows in ascending order.
#[derive(Debug)]
pub struct RowBins<'a> {
    begins: &'a [Position],
    bin: usize,
    /// The first row of a later bin.
    next: u32,
}

impl RowBins<'_> {
    #[inline(always)]
    pub fn bin_of(&mut self, row: u32) -> usize {
        while row >= self.next {
            self.bin += 1;
            self.next = self.begins.get(self.bin).map_or(u32::MAX, |begin| begin.rows);
        }
        self.bin
    }
}

/// Returns the first whole microsecond of a step.
fn begin_us(from_us: u64, to_us: u64, n: usize, step: usize) -> u64 {
    let offset = (u128::from(to_us - from_us) * step as u128).div_ceil(n as u128);
    // At most the width of the range, which fits into 64 bits.
    from_us + offset as u64
}

fn before(trace: &Trace, time_us: u64) -> Position {
    Position { rows: trace.columns.rows_before(time_us), gc_times: trace.gc_times.before(time_us) }
}
