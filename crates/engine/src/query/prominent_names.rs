//! The modules and files of a trace, most prominent first. Colors are assigned in this order, so the names that fill a
//! chart get the most distinct colors.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::label::{file_of_line, is_library};
use super::sorting::sort_by;
use crate::profile::Profile;
use crate::trace::{Calls, FunctionId, ObjectRow, StackId, TextId, Trace};

/// Without OCaml's standard library, which has its own color.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProminentNames {
    pub modules: Vec<String>,
    pub files: Vec<String>,
}

/// A few objects are enough for an order: a name in 1% of the objects is found about forty times.
const OBJECTS: usize = 4096;
/// More than anyone can tell apart.
const MOST_NAMES: usize = 1000;

/// Returns the names in a trace. Names found in an even sample of objects come first, ordered by their largest share in
/// any chart. The others follow in the order of the trace.
pub fn prominent_names(trace: &Trace) -> ProminentNames {
    let columns = &trace.columns;
    let mut met = Met::new(&trace.calls);
    let step = columns.len().div_ceil(OBJECTS).max(1);
    for row in (0..columns.len()).step_by(step).map(|row| ObjectRow(row as u32)) {
        let end_us = trace.gc_times.end_us(columns.end(row)).unwrap_or(trace.end_us);
        let lifetime_us = end_us.saturating_sub(columns.alloc_us(row)) as f64;
        let is_at_peak = (columns.alloc_us(row)..end_us).contains(&trace.totals.peak.at_us);
        met.add(columns.stack(row), columns.n_samples(row) as f64, lifetime_us, is_at_peak);
    }
    met.finish()
}

/// Like [`prominent_names`] for a profile, by the live words of its snapshots.
pub fn prominent_names_of_profile(profile: &Profile) -> ProminentNames {
    let mut met = Met::new(&profile.calls);
    for snapshot in &profile.snapshots {
        profile.live(snapshot).take(OBJECTS).for_each(|held| met.add(held.stack, held.words as f64, 0.0, false));
    }
    met.finish()
}

/// Sums by function.
struct Met<'a> {
    calls: &'a Calls,
    allocated: Vec<f64>,
    /// Samples × lifetime. `at_peak` has the samples live at the peak.
    live: Vec<f64>,
    at_peak: Vec<f64>,
    /// The width of its boxes in a flame graph.
    covered: Vec<f64>,
}

impl<'a> Met<'a> {
    fn new(calls: &'a Calls) -> Met<'a> {
        let zeros = vec![0.0; calls.frames.functions().len()];
        Met { calls, allocated: zeros.clone(), live: zeros.clone(), at_peak: zeros.clone(), covered: zeros }
    }

    fn add(&mut self, stack: StackId, weight: f64, lifetime_us: f64, is_at_peak: bool) {
        let frames = &self.calls.frames;
        let mut is_found = false;
        for code in self.calls.stacks.frames(stack) {
            for frame in frames.of_code(code).unwrap_or_default().iter().rev() {
                let function = frame.function.0 as usize;
                self.covered[function] += weight;
                if !is_found && !is_library(frames.text(frames.function(frame.function).name)) {
                    is_found = true;
                    self.allocated[function] += weight;
                    self.live[function] += weight * lifetime_us;
                    self.at_peak[function] += if is_at_peak { weight } else { 0.0 };
                }
            }
        }
    }

    fn finish(self) -> ProminentNames {
        let frames = &self.calls.frames;
        let n_functions = frames.functions().len() as u32;
        let sums = [&self.allocated, &self.live, &self.at_peak, &self.covered];
        let wholes = sums.map(|sums| sums.iter().sum::<f64>().max(f64::MIN_POSITIVE));
        let is_of_program = |id: &FunctionId| !is_library(frames.text(frames.function(*id).name));
        let own: Vec<FunctionId> = (0..n_functions).map(FunctionId).filter(is_of_program).collect();
        let ranked = |text: &dyn Fn(FunctionId) -> TextId| {
            let mut shares: FxHashMap<TextId, [f64; 4]> = FxHashMap::default();
            let mut met: Vec<TextId> = Vec::new();
            for &id in &own {
                let shares = shares.entry(text(id)).or_insert_with(|| {
                    met.push(text(id));
                    [0.0; 4]
                });
                for ((share, sums), whole) in shares.iter_mut().zip(sums).zip(wholes) {
                    *share += sums[id.0 as usize] / whole;
                }
            }
            let prominence = |id: &TextId| shares[id].iter().copied().fold(0.0, f64::max);
            // The sort is stable, so ties keep the order of the trace.
            sort_by(&mut met, |one, two| prominence(two).total_cmp(&prominence(one)));
            met.retain(|id| !frames.text(*id).is_empty());
            met.truncate(MOST_NAMES);
            met
        };
        let words = |ids: Vec<TextId>| ids.into_iter().map(|id| frames.text(id).to_owned()).collect::<Vec<String>>();
        let modules = words(ranked(&|id| frames.function(id).module));
        let mut files = words(ranked(&|id| frames.function(id).file));
        // In a profile, the names of lines contain the file name without its directory.
        let mut known: FxHashSet<String> = files.iter().cloned().collect();
        let lines = own.iter().filter_map(|id| file_of_line(frames.text(frames.function(*id).name)));
        files.extend(lines.filter(|file| known.insert((*file).to_owned())).map(str::to_owned));
        files.truncate(MOST_NAMES);
        ProminentNames { modules, files }
    }
}
