//! The modules and files of a trace, the most prominent first: colours are given out in this order, so that those that
//! fill a picture differ most.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::label::{file_of_line, is_library};
use super::sorting::sort_by;
use crate::profile::Profile;
use crate::trace::{Calls, FunctionId, ObjectRow, StackId, TextId, Trace};

/// Without OCaml's own library, which has a colour of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    pub modules: Vec<String>,
    pub files: Vec<String>,
}

/// An order needs few objects: what is one in a hundred is met some forty times.
const OBJECTS: usize = 4096;
/// More than anybody tells apart.
const MOST_PLACES: usize = 1000;

/// The places of a trace: first by what they allocate, how much of the time it lives, and how often they are in stacks, in
/// an even choice of objects; then those that were not met there, as the trace names them.
pub fn places(trace: &Trace) -> Places {
    let columns = &trace.columns;
    let mut met = Met::new(&trace.calls);
    let step = columns.len().div_ceil(OBJECTS).max(1);
    for row in (0..columns.len()).step_by(step).map(|row| ObjectRow(row as u32)) {
        let end_us = trace.moments.end_us(columns.end(row)).unwrap_or(trace.end_us);
        let lifetime_us = end_us.saturating_sub(columns.alloc_us(row)) as f64;
        met.add(columns.stack(row), f64::from(columns.n_samples(row)), lifetime_us);
    }
    met.finish()
}

/// The same of a profile, by what is live at its snapshots.
pub fn places_of_profile(profile: &Profile) -> Places {
    let mut met = Met::new(&profile.calls);
    for snapshot in &profile.snapshots {
        profile.live(snapshot).take(OBJECTS).for_each(|held| met.add(held.stack, held.words as f64, 0.0));
    }
    met.finish()
}

/// Sums by function.
struct Met<'a> {
    calls: &'a Calls,
    allocated: Vec<f64>,
    live: Vec<f64>,
    /// What its boxes cover in a flame graph.
    covered: Vec<f64>,
}

impl<'a> Met<'a> {
    fn new(calls: &'a Calls) -> Met<'a> {
        let zeros = vec![0.0; calls.frames.functions().len()];
        Met { calls, allocated: zeros.clone(), live: zeros.clone(), covered: zeros }
    }

    fn add(&mut self, stack: StackId, weight: f64, lifetime_us: f64) {
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
                }
            }
        }
    }

    fn finish(self) -> Places {
        let frames = &self.calls.frames;
        let n_functions = frames.functions().len() as u32;
        let mut shares = vec![0.0; n_functions as usize];
        for sums in [&self.allocated, &self.live, &self.covered] {
            let whole = sums.iter().sum::<f64>().max(f64::MIN_POSITIVE);
            shares.iter_mut().zip(sums).for_each(|(share, sum)| *share += sum / whole);
        }
        let is_of_program = |id: &FunctionId| !is_library(frames.text(frames.function(*id).name));
        let own: Vec<FunctionId> = (0..n_functions).map(FunctionId).filter(is_of_program).collect();
        let ranked = |text: &dyn Fn(FunctionId) -> TextId| {
            let mut share_of: FxHashMap<TextId, f64> = FxHashMap::default();
            let mut met: Vec<TextId> = Vec::new();
            for &id in &own {
                let share = share_of.entry(text(id)).or_insert_with(|| {
                    met.push(text(id));
                    0.0
                });
                *share += shares[id.0 as usize];
            }
            // Stable: of equals, the one that the file names first.
            sort_by(&mut met, |one, two| share_of[two].total_cmp(&share_of[one]));
            met.retain(|id| !frames.text(*id).is_empty());
            met.truncate(MOST_PLACES);
            met
        };
        let words = |ids: Vec<TextId>| ids.into_iter().map(|id| frames.text(id).to_owned()).collect::<Vec<String>>();
        let modules = words(ranked(&|id| frames.function(id).module));
        let mut files = words(ranked(&|id| frames.function(id).file));
        // The lines of a profile have the names of their files without folders.
        let mut known: FxHashSet<String> = files.iter().cloned().collect();
        let lines = own.iter().filter_map(|id| file_of_line(frames.text(frames.function(*id).name)));
        files.extend(lines.filter(|file| known.insert((*file).to_owned())).map(str::to_owned));
        files.truncate(MOST_PLACES);
        Places { modules, files }
    }
}
