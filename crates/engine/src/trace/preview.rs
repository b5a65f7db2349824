//! A preview of a trace while it is being read: the live curve so far, and which functions allocated what is live now.
//! It takes one pass over the rows, or over a subset small enough to take 10 ms, and some of the stacks. So it can be
//! requested now and then, however large the trace is.

use rustc_hash::FxHashMap;

use super::builder::Builder;
use super::ids::{FunctionId, GcTimeId, StackId};
use super::weighted_sample::WeightedSample;
use camlscope_formats::ctf::CodeId;

/// In samples of the model, downsampled or not. In a large model, each row read represents its neighbors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// The newest time, in µs since the start.
    pub end_us: u64,
    /// Samples live at the end of each of equally long time ranges up to `end_us`.
    pub live: Vec<u64>,
    /// The functions that allocated what is live now, largest first, with their samples.
    pub holders: Vec<(String, u64)>,
    /// The name and file of each function in `stacks`.
    pub functions: Vec<(String, String)>,
    /// A representative choice of live stacks: indices into `functions`, outermost first, and the samples that each
    /// stack represents. Direct recursion is collapsed, and deep stacks lack their innermost frames.
    pub stacks: Vec<(Vec<u32>, u64)>,
}

/// The rows to read: enough for a curve that looks smooth.
const MAX_ROWS: usize = 1 << 18;
/// The most stacks to return, and frames of each: enough for a small flame graph.
const MAX_STACKS: usize = 2_000;
const MAX_FRAMES: usize = 40;
/// Deeper stacks take too long to walk and are omitted.
const TOO_DEEP: usize = 5_000;

impl Builder {
    /// Returns a preview with at most this many time ranges and functions.
    pub fn preview(&self, n_bins: usize, n_holders: usize) -> Preview {
        let last_rows = self.columns.chunks().filter_map(|rows| Some(rows.alloc_us(rows.len().checked_sub(1)?)));
        let last_gc_time = self.gc_times.len().checked_sub(1).map(|last| self.gc_times.time_us(GcTimeId(last as u32)));
        let end_us = last_rows.chain(last_gc_time).max().unwrap_or(0);
        let n_bins = n_bins.max(1);
        let bin = |time_us: u64| (time_us.min(end_us) as f64 / (end_us + 1) as f64 * n_bins as f64) as usize;

        // Each row represents many, so sums may exceed 64 bits.
        let mut change = vec![0i128; n_bins];
        let mut by_function: Vec<u64> = vec![0; self.frames.so_far().functions().len()];
        let mut live_stacks = WeightedSample::new(MAX_STACKS);
        let every = self.columns.len().div_ceil(MAX_ROWS).max(1);
        let mut next = 0;
        for rows in self.columns.chunks() {
            for place in (next..rows.len()).step_by(every) {
                next = place + every;
                let n_samples = rows.n_samples(place).saturating_mul(every as u64);
                change[bin(rows.alloc_us(place))] += i128::from(n_samples);
                match self.gc_times.end_us(rows.end(place)) {
                    Some(end) => change[bin(end)] -= i128::from(n_samples),
                    None => {
                        live_stacks.add(rows.stack(place), n_samples);
                        if let Some(function) = self.allocator(rows.stack(place)) {
                            let sum = &mut by_function[function.0 as usize];
                            *sum = sum.saturating_add(n_samples);
                        }
                    }
                }
            }
            next -= rows.len();
        }
        let mut live = 0;
        let live = change.into_iter().map(|change| {
            live += change;
            u64::try_from(live.max(0)).unwrap_or(u64::MAX)
        });
        let live = live.collect();
        let mut preview = Preview { end_us, live, holders: self.most(&by_function, n_holders), ..Preview::default() };
        self.name(&live_stacks, &mut preview);
        preview
    }

    /// Adds the chosen stacks to the preview, as functions with their names and files.
    fn name(&self, chosen: &WeightedSample<usize>, preview: &mut Preview) {
        let frames = self.frames.so_far();
        let Preview { functions, stacks, .. } = preview;
        let mut places = FxHashMap::default();
        let mut place = |id: FunctionId| {
            *places.entry(id).or_insert_with(|| {
                let function = frames.function(id);
                functions.push((frames.text(function.name).to_owned(), frames.text(function.file).to_owned()));
                functions.len() as u32 - 1
            })
        };
        for (stack, n_samples) in chosen.iter() {
            let Some(codes) = self.codes_of(*stack) else { continue };
            let frames = codes.iter().rev().filter_map(|code| frames.of_code(*code)).flatten();
            let mut functions: Vec<u32> = frames.map(|frame| place(frame.function)).collect();
            functions.dedup();
            functions.truncate(MAX_FRAMES);
            stacks.push((functions, n_samples));
        }
    }

    /// Returns a stack's codes, innermost first. `None` if the stack is too deep.
    fn codes_of(&self, stack: usize) -> Option<Vec<CodeId>> {
        let (mut at, mut codes) = (stack, Vec::new());
        while at != StackId::EMPTY.0 as usize {
            if codes.len() == TOO_DEEP {
                return None;
            }
            let node = self.tree.nodes().get(at);
            codes.push(CodeId(node.code()));
            at = node.parent() as usize;
        }
        Some(codes)
    }

    /// Returns the innermost function of a stack, if its location has been read.
    fn allocator(&self, stack: usize) -> Option<FunctionId> {
        let code = CodeId(self.tree.nodes().get(stack).code());
        Some(self.frames.so_far().of_code(code)?.last()?.function)
    }

    fn most(&self, by_function: &[u64], n: usize) -> Vec<(String, u64)> {
        let mut left = by_function.to_vec();
        let frames = self.frames.so_far();
        let mut most = Vec::new();
        while most.len() < n {
            let Some((function, &n_samples)) = left.iter().enumerate().max_by_key(|(at, n)| (**n, usize::MAX - at))
            else {
                break;
            };
            if n_samples == 0 {
                break;
            }
            let name = frames.function(FunctionId(function as u32)).name;
            most.push((frames.text(name).to_owned(), n_samples));
            left[function] = 0;
        }
        most
    }
}
