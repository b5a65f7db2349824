//! What each site allocated, held and kept, step by step: one pass over the objects.
//!
//! *Lasting* objects are those that left the minor heap or never were in it. Only they can leak: an object that the
//! trace ends upon in the minor heap is simply one that no collection has looked at yet.

use crate::ctf::Source;
use crate::query::selection::Selection;
use crate::query::timeline::split::Classes;
use crate::query::timeline::steps::Steps;
use crate::query::tree::Allocators;
use crate::trace::{MomentId, Rows, Trace};

/// Steps over the whole trace: enough for a sparkline, and quarters have halves.
pub const STEPS: usize = 64;

/// In samples; lists go by step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Curve {
    pub allocated: Vec<u64>,
    /// At the steps' ends, all objects.
    pub live: Vec<u64>,
    /// At the steps' ends, lasting objects.
    pub lasting: Vec<u64>,
    /// Lasting objects that were never collected, by the step of their allocation.
    pub kept: Vec<u64>,
    /// Lasting objects that were collected, by how many steps later that was.
    pub died_after: Vec<u64>,
}

impl Curve {
    pub fn sum<'c>(curves: impl Iterator<Item = &'c Curve>) -> Curve {
        let none = || vec![0; STEPS];
        let zero = Curve { allocated: none(), live: none(), lasting: none(), kept: none(), died_after: none() };
        curves.fold(zero, |mut sum, curve| {
            sum.add(curve);
            sum
        })
    }

    fn add(&mut self, other: &Curve) {
        let lists = [
            (&mut self.allocated, &other.allocated),
            (&mut self.live, &other.live),
            (&mut self.lasting, &other.lasting),
            (&mut self.kept, &other.kept),
            (&mut self.died_after, &other.died_after),
        ];
        for (sums, list) in lists {
            sums.iter_mut().zip(list).for_each(|(sum, n)| *sum += n);
        }
    }
}

/// By key of the allocators; none for keys that allocated nothing.
pub fn curves(trace: &Trace, selection: &Selection, allocators: &Allocators) -> Vec<Option<Curve>> {
    let classes = Classes::frames(trace, allocators);
    let steps = Steps::new(trace, 0, trace.end_us, STEPS);
    // Sums are made for classes that are met: of all frames, only some allocate.
    let mut place_of_class: Vec<Option<u32>> = vec![None; classes.n_classes()];
    let mut sums: Vec<Sums> = Vec::new();
    let mut row_bins = steps.row_bins();
    selection.for_each(&trace.columns, |rows, place| {
        let at = *place_of_class[classes.of(rows, place) as usize].get_or_insert_with(|| {
            sums.push(Sums::ZERO);
            sums.len() as u32 - 1
        });
        let sums = &mut sums[at as usize];
        let (samples, end) = (u64::from(rows.n_samples(place)), rows.end(place));
        let (bin, end_bin) = (row_bins.bin_of(rows.row(place).0), steps.bin_of(end));
        sums.allocated[bin] += samples;
        sums.freed[end_bin] += samples;
        if is_lasting(rows, place) {
            sums.lasting_allocated[bin] += samples;
            sums.lasting_freed[end_bin] += samples;
            match end == MomentId::NEVER {
                true => sums.kept[bin] += samples,
                false => sums.died_after[end_bin.saturating_sub(bin)] += samples,
            }
        }
    });
    place_of_class.into_iter().map(|at| at.map(|at| sums[at as usize].curve())).collect()
}

/// Over all of them: how many lasting objects were collected, by how many steps later that was.
pub fn died_after(curves: &[Option<Curve>]) -> Vec<u64> {
    let mut all = vec![0; STEPS];
    for curve in curves.iter().flatten() {
        all.iter_mut().zip(&curve.died_after).for_each(|(sum, n)| *sum += n);
    }
    all
}

/// Whether an object left the minor heap, or never was in it.
#[inline(always)]
pub fn is_lasting(rows: &Rows<'_>, place: usize) -> bool {
    rows.promoted(place) || rows.source(place) != Source::Minor
}

/// Bins of [`Steps`].
const BINS: usize = STEPS + 2;

/// By bin.
#[derive(Clone, Debug)]
struct Sums {
    allocated: [u64; BINS],
    freed: [u64; BINS],
    lasting_allocated: [u64; BINS],
    lasting_freed: [u64; BINS],
    kept: [u64; BINS],
    died_after: [u64; BINS],
}

impl Sums {
    const ZERO: Sums = Sums {
        allocated: [0; BINS],
        freed: [0; BINS],
        lasting_allocated: [0; BINS],
        lasting_freed: [0; BINS],
        kept: [0; BINS],
        died_after: [0; BINS],
    };

    fn curve(&self) -> Curve {
        // All events lie in the steps, which cover the whole trace.
        Curve {
            live: live(&self.allocated, &self.freed),
            lasting: live(&self.lasting_allocated, &self.lasting_freed),
            allocated: self.allocated[1..=STEPS].to_vec(),
            kept: self.kept[1..=STEPS].to_vec(),
            died_after: self.died_after[..STEPS].to_vec(),
        }
    }
}

fn live(allocated: &[u64; BINS], freed: &[u64; BINS]) -> Vec<u64> {
    let mut live: u64 = 0;
    (1..=STEPS)
        .map(|bin| {
            // Where clocks were set back, an object may end before it began.
            live = (live + allocated[bin]).saturating_sub(freed[bin]);
            live
        })
        .collect()
}
