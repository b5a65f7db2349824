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

/// By key of the allocators; none for keys that allocated nothing.
pub fn curves(trace: &Trace, selection: &Selection, allocators: &Allocators) -> Vec<Option<Curve>> {
    curves_of(trace, selection, &Classes::frames(trace, allocators))
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

/// By class; none for those that allocated nothing.
pub fn curves_of(trace: &Trace, selection: &Selection, keys: &Classes<'_, u32>) -> Vec<Option<Curve>> {
    let steps = Steps::new(trace, 0, trace.end_us, STEPS);
    let mut is_there = vec![false; keys.n_classes()];
    selection.for_each(&trace.columns, |rows, place| is_there[keys.of(rows, place) as usize] = true);
    let mut n_sites = 0;
    let site_of_key: Vec<u32> = is_there
        .iter()
        .map(|&is_there| {
            n_sites += u32::from(is_there);
            n_sites.saturating_sub(1)
        })
        .collect();
    let sites = keys.map(|key| site_of_key[key as usize]);
    let mut sums = vec![Sums::new(&steps); n_sites as usize];
    let mut row_bins = steps.row_bins();
    selection.for_each(&trace.columns, |rows, place| {
        let (samples, end) = (u64::from(rows.n_samples(place)), rows.end(place));
        let (bin, end_bin) = (row_bins.bin_of(rows.row(place).0), steps.bin_of(end));
        let sums = &mut sums[sites.of(rows, place) as usize];
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
    let mut curves = sums.into_iter().map(|sums| sums.finish(steps.n));
    is_there.into_iter().map(|is_there| if is_there { curves.next() } else { None }).collect()
}

/// By bin of [`Steps`].
#[derive(Clone, Debug)]
struct Sums {
    allocated: Vec<u64>,
    freed: Vec<u64>,
    lasting_allocated: Vec<u64>,
    lasting_freed: Vec<u64>,
    kept: Vec<u64>,
    died_after: Vec<u64>,
}

impl Sums {
    fn new(steps: &Steps) -> Sums {
        let zeros = || vec![0; steps.n_bins()];
        Sums {
            allocated: zeros(),
            freed: zeros(),
            lasting_allocated: zeros(),
            lasting_freed: zeros(),
            kept: zeros(),
            died_after: zeros(),
        }
    }

    fn finish(self, n: usize) -> Curve {
        // All events lie in the steps, which cover the whole trace.
        Curve {
            live: live(&self.allocated, &self.freed, n),
            lasting: live(&self.lasting_allocated, &self.lasting_freed, n),
            allocated: self.allocated[1..=n].to_vec(),
            kept: self.kept[1..=n].to_vec(),
            died_after: self.died_after[..n].to_vec(),
        }
    }
}

fn live(allocated: &[u64], freed: &[u64], n: usize) -> Vec<u64> {
    let mut live = 0;
    (1..=n)
        .map(|bin| {
            live = live + allocated[bin] - freed[bin];
            live
        })
        .collect()
}
