//! Call sites, functions, files or modules, as shares of the heap's growth.

use super::heap::{rate_of, share_of};
use super::verdict::{Run, STEPS, n_equal_objects};
use super::{BARS, Growth, HeapGrowth, PartGrowth, Rate, SiteGrowth, Undecided, Verdict, Window};
use crate::query::filter::Filter;
use crate::query::selection::Selection;
use crate::query::sorting::sort_by;
use crate::query::timeline::split::Classes;
use crate::query::timeline::steps::Steps;
use crate::query::tree::{Allocators, Label};
use crate::trace::{GcTimeId, Sampling, Trace};

/// A row that added at least this many objects, but none in the last third of the time, has stopped growing. A row that
/// still grows looks like that in fewer than one case in a hundred.
const MIN_OBJECTS_TO_STOP: f64 = 12.0;

/// A profile's row that rose only once or twice from one snapshot to the next may be a sawtooth.
const MIN_RISES: f64 = 2.5;

/// The samples of a row's objects.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteCounts {
    pub label: Label,
    pub allocated: u64,
    /// Never freed, whatever the age.
    pub alive: u64,
    /// Never freed and not in the minor heap, by step of allocation. `kept_squares` sums each object's squared samples.
    pub kept: [u64; STEPS],
    pub kept_squares: [f64; STEPS],
}

/// Returns the rows of a grain, for the objects that pass a filter.
///
/// `filtered` has these objects, and `kept` those of them that [`HeapGrowth::kept_clauses`] selects. `allocators` must
/// have the shape [`super::shape`].
pub fn growth(
    trace: &Trace,
    heap: &HeapGrowth,
    filter: &Filter,
    (filtered, kept): (&Selection, &Selection),
    allocators: &Allocators,
) -> Growth {
    let rows = site_counts(trace, filtered, kept, allocators);
    growth_of_counts(heap, filter, trace.sampling(), rows)
}

/// Takes one pass over all filtered objects, and one over those that were never freed.
pub fn site_counts(trace: &Trace, filtered: &Selection, kept: &Selection, allocators: &Allocators) -> Vec<SiteCounts> {
    let classes = Classes::frames(trace, allocators);
    let mut totals: Vec<(u64, u64)> = vec![(0, 0); classes.n_classes()];
    filtered.for_each(&trace.columns, |rows, place| {
        let (allocated, alive) = &mut totals[classes.of(rows, place) as usize];
        let samples = rows.n_samples(place);
        *allocated += samples;
        *alive += if rows.end(place) == GcTimeId::NEVER { samples } else { 0 };
    });
    let mut rows: Vec<Option<Box<SiteCounts>>> = allocators
        .keys()
        .iter()
        .map(|(key, _)| match totals.get(key.0 as usize) {
            Some(&(allocated @ 1.., alive)) => Some(Box::new(SiteCounts {
                label: allocators.label(&trace.calls, key),
                allocated,
                alive,
                kept: [0; STEPS],
                kept_squares: [0.0; STEPS],
            })),
            _ => None,
        })
        .collect();
    let steps = Steps::new(trace, 0, trace.end_us, STEPS);
    let mut row_bins = steps.row_bins();
    kept.for_each(&trace.columns, |objects, place| {
        let step = row_bins.bin_of(objects.row(place).0).clamp(1, STEPS) - 1;
        if let Some(Some(row)) = rows.get_mut(classes.of(objects, place) as usize) {
            let samples = objects.n_samples(place);
            row.kept[step] += samples;
            row.kept_squares[step] += (samples as f64).powi(2);
        }
    });
    rows.into_iter().flatten().map(|row| *row).collect()
}

/// Computes the result from the counts of each row.
pub fn growth_of_counts(heap: &HeapGrowth, filter: &Filter, sampling: Sampling, rows: Vec<SiteCounts>) -> Growth {
    let grown = Run { samples: heap.grown_samples, equal_objects: n_grown_objects(heap, &rows), ..Run::default() };
    let mut all = [(0, 0.0); STEPS];
    for row in &rows {
        for (sum, of_row) in all.iter_mut().zip(row.kept.iter().zip(&row.kept_squares)) {
            *sum = (sum.0 + of_row.0, sum.1 + of_row.1);
        }
    }
    let window = heap.window_in(filter);
    let (samples, squares) = sums(heap, all, window);
    let in_grown = sums(heap, all, heap.grown).0;
    let passing = PartGrowth {
        rate: rate_of(samples, squares, window.seconds(), sampling),
        share: (grown.samples > 0).then(|| share_of(in_grown, grown)),
        bars: bars(all.map(|(samples, _)| samples), heap.end_us, sampling),
    };
    let mut sites: Vec<SiteGrowth> = rows.into_iter().map(|row| site(heap, window, grown, sampling, row)).collect();
    sort_by(&mut sites, |a, b| {
        let by_growth = b.grown_samples.cmp(&a.grown_samples);
        let by_end = b.end_bytes.total_cmp(&a.end_bytes);
        by_growth.then(by_end).then_with(|| a.label().cmp(&b.label()))
    });
    Growth { heap: heap.clone(), passing, sites }
}

/// Returns the number of equal objects that the heap's growth is worth. The squares are those of the rows that pass the
/// filter.
fn n_grown_objects(heap: &HeapGrowth, rows: &[SiteCounts]) -> f64 {
    let (mut samples, mut squares) = (0, 0.0);
    for row in rows {
        let (of_row, of_squares) = row.sums(heap, heap.grown);
        (samples, squares) = (samples + of_row, squares + of_squares);
    }
    let samples_per_object = if samples > 0 { squares / samples as f64 } else { 1.0 };
    heap.grown_samples as f64 / samples_per_object
}

impl SiteCounts {
    fn sums(&self, heap: &HeapGrowth, window: Window) -> (u64, f64) {
        sums(heap, std::array::from_fn(|step| (self.kept[step], self.kept_squares[step])), window)
    }
}

/// Returns the samples and squares of the steps of a window. A filter's time range may end within a step, but only
/// objects that pass the filter are counted.
fn sums(heap: &HeapGrowth, steps: [(u64, f64); STEPS], window: Window) -> (u64, f64) {
    let is_inside = |step: &usize| window.from_us < heap.step_us(step + 1) && heap.step_us(*step) < window.to_us;
    (0..STEPS).filter(is_inside).fold((0, 0.0), |sum, step| (sum.0 + steps[step].0, sum.1 + steps[step].1))
}

fn site(heap: &HeapGrowth, window: Window, grown: Run, sampling: Sampling, row: SiteCounts) -> SiteGrowth {
    let (samples, squares) = row.sums(heap, window);
    let (grown_samples, grown_squares) = row.sums(heap, heap.grown);
    let is_left_out = grown_samples == 0 && heap.leaves_out(&row.label.name);
    let verdict = match heap.verdict {
        // Together with the others, they are below the heap's bound.
        Verdict::Level | Verdict::Stopped if is_left_out => Verdict::Level,
        _ if is_left_out => Verdict::Undecided(Undecided::LongLived),
        Verdict::Growing | Verdict::Stopped if grown_samples == 0 => Verdict::Level,
        Verdict::Growing if heap.is_profile && n_equal_objects(grown_samples, grown_squares) < MIN_RISES => {
            Verdict::Undecided(Undecided::FewSamples)
        }
        Verdict::Growing if has_stopped(heap, &row, n_equal_objects(grown_samples, grown_squares)) => Verdict::Stopped,
        verdict => verdict,
    };
    let place = row.label.place;
    SiteGrowth {
        verdict,
        rate: match verdict {
            Verdict::Level if is_left_out => heap.rate.map(|rate| Rate { high: rate.high, ..Rate::default() }),
            _ if is_left_out => None,
            _ => rate_of(samples, squares, window.seconds(), sampling),
        },
        share: (grown.samples > 0).then(|| share_of(grown_samples, grown)),
        allocated_bytes: row.allocated as f64 * sampling.bytes_a_sample,
        end_bytes: row.alive as f64 * sampling.bytes_a_sample,
        samples: row.allocated,
        grown_samples,
        bars: coarser(bars(row.kept, heap.end_us, sampling)),
        name: row.label.name,
        file: row.label.file,
        line: place.map(|place| place.line),
        start_char: place.map(|place| place.start_char),
        end_char: place.map(|place| place.end_char),
    }
}

fn has_stopped(heap: &HeapGrowth, row: &SiteCounts, n_objects: f64) -> bool {
    let Window { from_us, to_us } = heap.grown;
    let newest = Window { from_us: to_us - (to_us - from_us) / 3, to_us };
    n_objects >= MIN_OBJECTS_TO_STOP && row.sums(heap, newest).0 == 0
}

/// In bytes per second.
fn bars(kept: [u64; STEPS], end_us: u64, sampling: Sampling) -> Vec<f64> {
    let seconds = end_us.max(1) as f64 / STEPS as f64 / 1e6;
    kept.iter().map(|&samples| samples as f64 * sampling.bytes_a_sample / seconds).collect()
}

fn coarser(bars: Vec<f64>) -> Vec<f64> {
    let n = STEPS / BARS;
    bars.chunks(n).map(|bars| bars.iter().sum::<f64>() / n as f64).collect()
}
