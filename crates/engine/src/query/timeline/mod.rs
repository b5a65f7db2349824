//! Live bytes over time, exact however few steps are requested. Each step has its minimum and maximum over all events
//! in order, so a spike of a single event stays visible.
//!
//! Between two GC times ([`GcTimeId`]) the curve only rises, so its extremes are right before and after GC times and at
//! the bounds of steps. One pass over the objects follows the curve. Everything that a GC time frees was allocated
//! before, so the amount is known when the pass reaches the GC time. The pass tracks all classes of objects, and the
//! largest are chosen at the end. If that would take too much memory, an extra pass finds the largest classes first.

pub mod point;
mod series;
pub mod split;
pub mod steps;

use serde::{Deserialize, Serialize};

use self::series::{SeriesSums, Top, areas, describe};
use self::split::Classes;
use self::steps::Steps;
use super::filter::Heap;
use super::frame_names::frame_names;
use super::from_name::from_name;
use super::selection::Selection;
use super::summary::PeakSummary;
use super::tree::{Allocators, Grain, Label};
use crate::trace::{GcTimeId, ObjectRow, Peak, Trace};

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TimelineConfig {
    /// The time range, with both ends included.
    pub from_us: u64,
    pub to_us: u64,
    pub n_steps: usize,
    pub by: Option<By>,
    /// The maximum number of series, without the rest; see [`Series`].
    pub top: usize,
    /// Only for profiles. A trace has only live bytes.
    pub graph: Graph,
}

/// The quantity that a profile's curve shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Graph {
    #[default]
    LiveBytes,
    LiveBlocks,
    /// Bytes allocated since the program's start.
    Allocated,
}

/// How objects are divided into series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum By {
    /// By allocating frame.
    Grain(Grain),
    Heap,
    Domain,
}

impl By {
    pub const ALL: [By; 6] = [
        By::Grain(Grain::Module),
        By::Grain(Grain::Function),
        By::Grain(Grain::Site),
        By::Grain(Grain::File),
        By::Heap,
        By::Domain,
    ];

    /// Returns the name used in links.
    pub fn as_str(self) -> &'static str {
        match self {
            By::Grain(grain) => grain.as_str(),
            By::Heap => "heap",
            By::Domain => "domain",
        }
    }
}

from_name!(By, By::ALL);

/// Lists have one value per step, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    pub from_us: u64,
    pub to_us: u64,
    /// The width of a step. A step covers events from its start up to the start of the next one. The last step includes
    /// `to_us`.
    pub step_us: f64,
    /// Over the start of the step and all its events.
    pub live_min: Vec<f64>,
    pub live_max: Vec<f64>,
    /// After the step's last event.
    pub live_last: Vec<f64>,
    pub allocated: Vec<f64>,
    /// At the time of promotion.
    pub promoted: Vec<f64>,
    /// Largest first, the rest last. They add up to the total. Empty without a split.
    pub series: Vec<Series>,
    /// The first maximum of the selected objects, over the entire trace.
    pub peak: PeakSummary,
    /// The same for all objects.
    pub unfiltered_peak: PeakSummary,
}

impl Timeline {
    /// Returns the peak of the selected objects if it is at a different time than the peak of all objects.
    pub fn filter_peak(&self) -> Option<PeakSummary> {
        let is_another = self.peak.at_us != self.unfiltered_peak.at_us && self.peak.samples > 0;
        is_another.then_some(self.peak)
    }
}

/// The classes with the largest share of the area under the drawn curve (the sum of `live_last`), or of what is live at
/// its maximum, get a series. Ties go to the classes that allocated the most. Series are ordered by area. This is what
/// a stacked chart shows, and it barely depends on the number of steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    pub name: String,
    pub of: SeriesOf,
    pub live_last: Vec<f64>,
    pub allocated: Vec<f64>,
}

impl Timeline {
    /// Returns a readable name for each series. All names are different.
    pub fn series_names(&self) -> Vec<String> {
        let frames = self.series.iter().filter_map(|series| match &series.of {
            SeriesOf::Frame(label) => Some(label.clone()),
            _ => None,
        });
        let mut of_frames = frame_names(&frames.collect::<Vec<_>>()).into_iter();
        let name = |series: &Series| match series.of {
            SeriesOf::Frame(_) => of_frames.next(),
            _ => None,
        };
        self.series
            .iter()
            .map(name)
            .zip(&self.series)
            .map(|(name, series)| name.unwrap_or_else(|| series.name.clone()))
            .collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesOf {
    Frame(Label),
    Heap(Heap),
    Domain(u16),
    /// All classes that aren't among the largest.
    Others {
        n: usize,
    },
    /// Memory that no allocation point of a profile accounts for.
    Unknown,
}

/// Returns the curve of the selected objects. `allocators` is only needed for [`By::Grain`], and should be of that
/// grain. Without it, frames aren't distinguished.
pub fn timeline(
    trace: &Trace,
    selection: &Selection,
    allocators: Option<&Allocators>,
    config: &TimelineConfig,
) -> Timeline {
    let steps = Steps::new(trace, config.from_us, config.to_us, config.n_steps);
    let (curve, series) = match Classes::new(trace, allocators, config.by) {
        None => (follow(trace, selection, &steps, None), Vec::new()),
        Some(classes) => {
            let (curve, top, sums) = follow_classes(trace, selection, &steps, classes, config.top);
            let names = top.classes.iter().map(|&class| describe(trace, allocators, config.by, class));
            let rest = ("other".to_owned(), SeriesOf::Others { n: top.n_others });
            (curve, sums.finish(trace, names.chain((top.n_others > 0).then_some(rest))))
        }
    };
    let bytes = |samples: &[u64]| samples.iter().map(|&n| n as f64 * trace.bytes_a_sample()).collect::<Vec<f64>>();
    Timeline {
        from_us: steps.from_us,
        to_us: steps.to_us,
        step_us: steps.step_us(),
        live_min: bytes(&curve.min),
        live_max: bytes(&curve.max),
        live_last: bytes(&curve.last),
        allocated: bytes(&curve.allocated),
        promoted: bytes(&promoted(trace, selection, &steps)),
        series,
        peak: peak_summary(curve.peak, trace.bytes_a_sample()),
        // In samples of the file, even if the trace was downsampled.
        unfiltered_peak: peak_summary(trace.totals.peak, trace.info.word_bytes() / trace.info.sample_rate),
    }
}

/// In samples, by step.
#[derive(Debug)]
struct Curve {
    min: Vec<u64>,
    max: Vec<u64>,
    last: Vec<u64>,
    allocated: Vec<u64>,
    peak: Peak,
}

/// The maximum number of cells (classes × bins) that are tracked at once: 64 MB.
const MOST_CELLS: usize = 1 << 22;

/// Returns the curve, the classes that get their own series, and the sums of these and of the rest.
fn follow_classes(
    trace: &Trace,
    selection: &Selection,
    steps: &Steps,
    classes: Classes<'_, u32>,
    n_top: usize,
) -> (Curve, Top, SeriesSums) {
    let n_classes = classes.n_classes();
    if n_classes * steps.n_bins() <= MOST_CELLS {
        let mut split = Split { classes, sums: SeriesSums::new(steps, n_classes) };
        let curve = follow(trace, selection, steps, Some(&mut split));
        let top = Top::new(&split.sums.areas(), n_top);
        let sums = split.sums.gathered(steps, &top);
        return (curve, top, sums);
    }
    let top = Top::new(&areas(trace, selection, steps, &classes), n_top);
    let classes = classes.map(|class| u32::from(top.place_of[class as usize]));
    let mut split = Split { classes, sums: SeriesSums::new(steps, top.classes.len() + 1) };
    (follow(trace, selection, steps, Some(&mut split)), top, split.sums)
}

/// The series of each object, and the sums of each series.
struct Split<'a> {
    classes: Classes<'a, u32>,
    sums: SeriesSums,
}

/// Follows the curve through all events.
fn follow(trace: &Trace, selection: &Selection, steps: &Steps, mut split: Option<&mut Split<'_>>) -> Curve {
    let mut follower = Follower::new(trace, steps);
    selection.for_each(&trace.columns, |rows, place| {
        let row = rows.row(place).0;
        if row >= follower.stop {
            follower.pass(row);
        }
        let (samples, end) = (rows.n_samples(place), rows.end(place));
        follower.live += samples;
        if samples > 0 {
            follower.last_risen = row;
        }
        if let Some(freed) = follower.freed.get_mut(end.0 as usize) {
            *freed += samples;
            if end.0 < follower.gc_time {
                follower.free(samples);
            }
        }
        if let Some(split) = &mut split {
            let series = split.classes.of(rows, place) as usize;
            let bin = follower.bin;
            split.sums.add(series, bin, steps.bin_of(end).max(bin), samples);
        }
    });
    follower.finish()
}

/// A position in the order of events, and the curve up to there.
#[derive(Debug)]
struct Follower<'a> {
    trace: &'a Trace,
    steps: &'a Steps,
    /// By GC time: what it frees of the rows so far. For the next GC time, this is complete.
    freed: Vec<u64>,
    live: u64,
    /// The current bin, and (`gc_time`) the next GC time.
    bin: usize,
    gc_time: u32,
    /// The row before which the next GC time or bin begins.
    stop: u32,
    /// The last row that raised the curve.
    last_risen: u32,
    peak_samples: u64,
    peak_row: Option<u32>,
    lows: Vec<u64>,
    highs: Vec<u64>,
    /// The live amount at the start of each bin, and (`freed_in`) the amount freed in it.
    begins: Vec<u64>,
    freed_in: Vec<u64>,
}

impl<'a> Follower<'a> {
    fn new(trace: &'a Trace, steps: &'a Steps) -> Follower<'a> {
        let zeros = vec![0; steps.n_bins()];
        Follower {
            trace,
            steps,
            freed: vec![0; trace.gc_times.len()],
            live: 0,
            bin: 0,
            gc_time: 0,
            stop: 0,
            last_risen: 0,
            peak_samples: 0,
            peak_row: None,
            lows: zeros.clone(),
            highs: zeros.clone(),
            begins: zeros.clone(),
            freed_in: zeros,
        }
    }

    /// Handles everything that happens before this row.
    #[inline(always)]
    fn pass(&mut self, row: u32) {
        loop {
            let gc_time_row = self.gc_time_row();
            // A bin begins after the GC times before its start, and before all others.
            let next_bin = self.steps.begins().get(self.bin).filter(|begin| begin.gc_times <= self.gc_time);
            self.stop = next_bin.map_or(gc_time_row, |begin| begin.rows);
            if self.stop > row {
                return;
            }
            self.note_high();
            if next_bin.is_some() {
                self.bin += 1;
                self.begins[self.bin] = self.live;
                self.lows[self.bin] = self.live;
                self.highs[self.bin] = self.live;
            } else {
                self.free(self.freed[self.gc_time as usize]);
                self.lows[self.bin] = self.lows[self.bin].min(self.live);
                self.gc_time += 1;
            }
        }
    }

    /// In damaged traces, this also frees a row that was just added if its end is in the past.
    #[inline(always)]
    fn free(&mut self, samples: u64) {
        self.live -= samples;
        self.freed_in[self.bin] += samples;
    }

    /// Returns the row that comes right after the next GC time.
    fn gc_time_row(&self) -> u32 {
        let is_there = (self.gc_time as usize) < self.freed.len();
        if is_there { self.trace.gc_times.rows_before(GcTimeId(self.gc_time)) } else { u32::MAX }
    }

    fn note_high(&mut self) {
        let high = &mut self.highs[self.bin];
        *high = (*high).max(self.live);
        if self.live > self.peak_samples {
            self.peak_samples = self.live;
            self.peak_row = Some(self.last_risen);
        }
    }

    fn finish(mut self) -> Curve {
        // There are far fewer rows than this, so only GC times and bins are left.
        self.pass(u32::MAX - 1);
        self.note_high();
        let n = self.steps.n;
        let behind: Vec<u64> = (1..=n).map(|bin| self.begins[bin + 1]).collect();
        let allocated = (1..=n).map(|bin| self.begins[bin + 1] + self.freed_in[bin] - self.begins[bin]).collect();
        let at_us = self.peak_row.map_or(0, |row| self.trace.columns.alloc_us(ObjectRow(row)));
        Curve {
            min: self.lows[1..=n].to_vec(),
            max: self.highs[1..=n].to_vec(),
            last: behind,
            allocated,
            peak: Peak { samples: self.peak_samples, at_us },
        }
    }
}

fn promoted(trace: &Trace, selection: &Selection, steps: &Steps) -> Vec<u64> {
    let mut promoted = vec![0; steps.n_bins()];
    let is_shown = |row: ObjectRow| selection.contains(row) && trace.columns.starts_in_minor_heap(row);
    for (row, gc_time) in trace.promotions.iter().filter(|&(row, _)| is_shown(row)) {
        promoted[steps.bin_of(gc_time)] += trace.columns.n_samples(row);
    }
    promoted[1..=steps.n].to_vec()
}

fn peak_summary(peak: Peak, bytes_a_sample: f64) -> PeakSummary {
    PeakSummary { samples: peak.samples, bytes: peak.samples as f64 * bytes_a_sample, at_us: peak.at_us }
}
