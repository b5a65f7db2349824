//! One pass over all objects, by the function that they are attributed to.

use crate::query::filter::{Heap, heap_of};
use crate::query::selection::Selection;
use crate::query::timeline::steps::Steps;
use crate::query::tree::{Allocators, KeyId};
use crate::trace::{GcTimeId, MAX_MINOR_WORDS, Trace};

/// The number of steps that the trace is divided into.
pub const STEPS: usize = 256;

/// The samples of a function, or of all functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    pub allocated: u64,
    /// Live at the peak.
    pub peak: u64,
    /// The part of `peak` that is never collected.
    pub peak_kept: u64,
    /// Of blocks that go directly to the major heap because of their size.
    pub large: u64,
    /// Allocated outside the OCaml heap.
    pub outside: u64,
    /// Promoted, and collected later.
    pub promoted_dead: u64,
    /// Live at the end.
    pub end: u64,
    /// The part of `end` outside the minor heap. Objects in the minor heap at the end mean nothing.
    pub kept: u64,
    /// The part of `kept` outside the OCaml heap.
    pub kept_outside: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingSums {
    pub all: Samples,
    /// By key of the allocators. The root's key is for objects without any frame of the program.
    pub by_key: Vec<Samples>,
    /// By step: what is live at its end, and (`allocated`) what was allocated in it.
    pub live: Vec<u64>,
    pub allocated: Vec<u64>,
}

impl FindingSums {
    pub fn new(trace: &Trace, allocators: &Allocators) -> FindingSums {
        let keys = allocators.values(&trace.calls, |key| key.0);
        let mut sums = FindingSums {
            all: Samples::default(),
            by_key: vec![Samples::default(); allocators.keys().len()],
            live: Vec::new(),
            allocated: vec![0; STEPS],
        };
        let mut freed = vec![0u64; STEPS];
        let steps = Steps::new(trace, 0, trace.end_us + 1, STEPS);
        let mut row_bins = steps.row_bins();
        // In damaged traces, some events may be outside the steps. They count toward the nearest one.
        let step_of = |bin: usize| bin.clamp(1, STEPS) - 1;
        let peak = trace.peak_at;
        Selection::all(trace.columns.len()).for_each(&trace.columns, |rows, place| {
            let n = rows.n_samples(place);
            let end = rows.end(place);
            let is_dead = end != GcTimeId::NEVER;
            let heap = heap_of(rows, place);
            let samples = &mut sums.by_key[keys.of_stack(rows.stack(place)) as usize];
            samples.allocated += n;
            // Most objects are none of these, so branches cost less than adding zeros.
            if rows.row(place).0 < peak.rows && end.0 >= peak.gc_times {
                samples.peak += n;
                samples.peak_kept += if is_dead { 0 } else { n };
            }
            match heap {
                Heap::Minor => {}
                Heap::Promoted => samples.promoted_dead += if is_dead { n } else { 0 },
                Heap::Major => samples.large += if rows.size_words(place) > MAX_MINOR_WORDS { n } else { 0 },
                Heap::External => samples.outside += n,
            }
            if !is_dead {
                samples.end += n;
                samples.kept += if heap == Heap::Minor { 0 } else { n };
                samples.kept_outside += if heap == Heap::External { n } else { 0 };
            }
            sums.allocated[step_of(row_bins.bin_of(rows.row(place).0))] += n;
            if is_dead {
                freed[step_of(steps.bin_of(end))] += n;
            }
        });
        for at in 0..sums.by_key.len() {
            let samples = sums.by_key[at];
            sums.all.add(&samples);
        }
        let mut live = 0;
        for (allocated, freed) in sums.allocated.iter().zip(freed) {
            live = (live + allocated).saturating_sub(freed);
            sums.live.push(live);
        }
        sums
    }

    /// Returns the function with the most of something, and how much. The first one if there is a tie.
    pub fn most(&self, of: impl Fn(&Samples) -> u64) -> Option<(KeyId, u64)> {
        most(self.by_key.iter().map(of))
    }
}

/// Returns the function with the largest number, except the root. The first one if there is a tie.
pub(super) fn most(by_key: impl Iterator<Item = u64>) -> Option<(KeyId, u64)> {
    let mut most = None;
    for (key, n) in (0u32..).map(KeyId).zip(by_key).skip(1) {
        if n > most.map_or(0, |(_, n)| n) {
            most = Some((key, n));
        }
    }
    most
}

impl Samples {
    fn add(&mut self, other: &Samples) {
        self.allocated += other.allocated;
        self.peak += other.peak;
        self.peak_kept += other.peak_kept;
        self.large += other.large;
        self.outside += other.outside;
        self.promoted_dead += other.promoted_dead;
        self.end += other.end;
        self.kept += other.kept;
        self.kept_outside += other.kept_outside;
    }
}
