//! Which classes of objects get their own series, and the data of those series.

use super::split::Classes;
use super::steps::Steps;
use super::{By, Series, SeriesOf};
use crate::query::filter::Heap;
use crate::query::selection::Selection;
use crate::query::sorting::sort_by;
use crate::query::tree::{Allocators, KeyId};
use crate::trace::Trace;

/// How much of the time range a class fills. Larger areas come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Area {
    /// The sum of samples that are live at the ends of steps.
    area: u128,
    allocated: u64,
    /// Samples that are live at the end of the step with the most live samples.
    at_peak: u64,
}

impl Area {
    /// Returns how prominent a class is: its share of the total area, or of what is live at the peak if that is larger.
    fn prominence(&self, whole: &Area) -> (u128, u64) {
        let of_area = self.area.saturating_mul(u128::from(whole.at_peak.max(1)));
        let of_peak = u128::from(self.at_peak).saturating_mul(whole.area.max(1));
        (of_area.max(of_peak), self.allocated)
    }
}

/// Returns the area of each class.
pub fn areas(trace: &Trace, selection: &Selection, steps: &Steps, classes: &Classes<'_, u32>) -> Vec<Area> {
    let mut areas = vec![Area::default(); classes.n_classes()];
    let peak_bin = peak_bin(trace, selection, steps);
    let mut row_bins = steps.row_bins();
    selection.for_each(&trace.columns, |rows, place| {
        let samples = rows.n_samples(place);
        let (bin, end_bin) = (row_bins.bin_of(rows.row(place).0), steps.bin_of(rows.end(place)));
        let area = &mut areas[classes.of(rows, place) as usize];
        area.area += u128::from(samples) * u128::from(steps.n_ends_between(bin, end_bin));
        area.at_peak += if (bin..end_bin).contains(&peak_bin) { samples } else { 0 };
        area.allocated += if (1..=steps.n).contains(&bin) { samples } else { 0 };
    });
    areas
}

/// Returns the first step with the most live samples at its end.
fn peak_bin(trace: &Trace, selection: &Selection, steps: &Steps) -> usize {
    let mut whole = SeriesSums::new(steps, 1);
    let mut row_bins = steps.row_bins();
    selection.for_each(&trace.columns, |rows, place| {
        let bin = row_bins.bin_of(rows.row(place).0);
        whole.add(0, bin, steps.bin_of(rows.end(place)).max(bin), rows.n_samples(place));
    });
    whole.peak_bin()
}

/// The classes that get their own series.
#[derive(Debug)]
pub struct Top {
    /// Largest first.
    pub classes: Vec<u32>,
    /// By class: its index in `classes`, or the length of `classes` if it isn't listed.
    pub place_of: Vec<u8>,
    /// The number of other classes in the time range.
    pub n_others: usize,
}

/// Indices fit into a byte, and nobody can tell more colors apart.
const MAX_SERIES: usize = 250;

impl Top {
    pub fn new(areas: &[Area], n: usize) -> Top {
        let is_seen = |class: &u32| areas[*class as usize] != Area::default();
        let mut seen: Vec<u32> = (0..areas.len() as u32).filter(is_seen).collect();
        let whole = areas.iter().fold(Area::default(), |sum, area| Area {
            area: sum.area + area.area,
            allocated: sum.allocated + area.allocated,
            at_peak: sum.at_peak + area.at_peak,
        });
        let prominence = |class: u32| areas[class as usize].prominence(&whole);
        // The sort is stable, so ties go to the lower class number, which came first in the trace.
        sort_by(&mut seen, |&one, &two| prominence(two).cmp(&prominence(one)));
        let n = n.min(MAX_SERIES).min(seen.len());
        let n_others = seen.len() - n;
        seen.truncate(n);
        sort_by(&mut seen, |&one, &two| areas[two as usize].cmp(&areas[one as usize]));
        let mut place_of = vec![n as u8; areas.len()];
        for (place, &class) in seen.iter().enumerate() {
            place_of[class as usize] = place as u8;
        }
        Top { classes: seen, place_of, n_others }
    }
}

/// Samples by bin, then by series, so that values added at about the same time are close together in memory.
#[derive(Debug)]
pub struct SeriesSums {
    n: usize,
    n_series: usize,
    allocated: Vec<u64>,
    freed: Vec<u64>,
}

impl SeriesSums {
    pub fn new(steps: &Steps, n_series: usize) -> SeriesSums {
        let zeros = vec![0; steps.n_bins() * n_series];
        SeriesSums { n: steps.n, n_series, allocated: zeros.clone(), freed: zeros }
    }

    #[inline(always)]
    pub fn add(&mut self, series: usize, bin: usize, end_bin: usize, samples: u64) {
        self.allocated[bin * self.n_series + series] += samples;
        self.freed[end_bin * self.n_series + series] += samples;
    }

    /// Returns for each series what [`areas`] computes for a class.
    pub fn areas(&self) -> Vec<Area> {
        let mut areas = vec![Area::default(); self.n_series];
        let mut live = vec![0u64; self.n_series];
        let peak_bin = self.peak_bin();
        // Bin by bin, in memory order.
        let bins = self.allocated.chunks_exact(self.n_series).zip(self.freed.chunks_exact(self.n_series));
        for (bin, (allocated, freed)) in bins.take(self.n + 1).enumerate() {
            for (series, (allocated, freed)) in allocated.iter().zip(freed).enumerate() {
                live[series] = live[series] + allocated - freed;
                if bin > 0 {
                    areas[series].area += u128::from(live[series]);
                    areas[series].allocated += allocated;
                }
                if bin == peak_bin {
                    areas[series].at_peak = live[series];
                }
            }
        }
        areas
    }

    /// Returns the first step with the most live samples at its end, over all series.
    fn peak_bin(&self) -> usize {
        let (mut live, mut most, mut peak_bin) = (0, 0, 1);
        let bins = self.allocated.chunks_exact(self.n_series).zip(self.freed.chunks_exact(self.n_series));
        for (bin, (allocated, freed)) in bins.take(self.n + 1).enumerate() {
            live = live + allocated.iter().sum::<u64>() - freed.iter().sum::<u64>();
            if bin > 0 && live > most {
                (most, peak_bin) = (live, bin);
            }
        }
        peak_bin
    }

    /// Converts sums by class into a series for each of the largest classes and one for the rest.
    pub fn gathered(&self, steps: &Steps, top: &Top) -> SeriesSums {
        let mut gathered = SeriesSums::new(steps, top.classes.len() + 1);
        let cells = self.allocated.chunks_exact(self.n_series).zip(self.freed.chunks_exact(self.n_series));
        for (bin, (allocated, freed)) in cells.enumerate() {
            for ((&place, allocated), freed) in top.place_of.iter().zip(allocated).zip(freed) {
                let at = bin * gathered.n_series + usize::from(place);
                gathered.allocated[at] += allocated;
                gathered.freed[at] += freed;
            }
        }
        gathered
    }

    pub fn finish(&self, trace: &Trace, names: impl Iterator<Item = (String, SeriesOf)>) -> Vec<Series> {
        let bytes = |samples: u64| samples as f64 * trace.bytes_a_sample();
        let series = names.enumerate().map(|(series, (name, of))| {
            let allocated = || self.allocated.iter().skip(series).step_by(self.n_series);
            let freed = self.freed.iter().skip(series).step_by(self.n_series);
            let mut live = 0;
            let live_last = allocated().zip(freed).map(|(allocated, freed)| {
                // Never below 0, since freed samples were allocated in this bin or before.
                live = live + allocated - freed;
                bytes(live)
            });
            Series {
                name,
                of,
                live_last: live_last.skip(1).take(self.n).collect(),
                allocated: allocated().skip(1).take(self.n).map(|&samples| bytes(samples)).collect(),
            }
        });
        series.collect()
    }
}

/// Returns the name of a class.
pub fn describe(trace: &Trace, allocators: Option<&Allocators>, by: Option<By>, class: u32) -> (String, SeriesOf) {
    match (by, allocators) {
        (Some(By::Heap), _) => {
            let heap = [Heap::Minor, Heap::Promoted, Heap::Major, Heap::External][class as usize % 4];
            (heap.name().to_owned(), SeriesOf::Heap(heap))
        }
        (Some(By::Grain(_)), Some(allocators)) => {
            let label = allocators.label(&trace.calls, KeyId(class));
            (label.name.clone(), SeriesOf::Frame(label))
        }
        _ => (format!("domain {class}"), SeriesOf::Domain(class as u16)),
    }
}
