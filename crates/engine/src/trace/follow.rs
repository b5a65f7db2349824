//! The model of a live trace, which can be frozen at any time and then continues where it stopped.
//!
//! Freezing moves the columns out and [`Builder::resume`] takes them back, so neither costs anything. The work in
//! between covers only what is new. Ids, codes and names stay in the builder.

use std::mem;

use super::Trace;
use super::builder::Builder;
use super::merge::FileOrder;
use super::merged::{Log, Merged, Merging};
use camlscope_formats::ctf::Finished;

impl Builder {
    /// Freezes everything read so far. `so_far` is what the decoder knows about the file. Also returns how many rows,
    /// collection times and promotions had to be put in order. New rows of a trace with a single domain don't count:
    /// they arrive in order.
    pub fn freeze(&mut self, so_far: Finished) -> (Trace, u64) {
        self.put_away();
        let mut n_ordered = self.promotions.sort(self.columns.blocks()) as u64;
        if self.segments.len() < 2 {
            let columns = mem::take(&mut self.columns);
            let gc_times = mem::take(&mut self.gc_times);
            let promotions = mem::take(&mut self.promotions);
            return (self.trace(columns, gc_times, promotions, self.live, so_far), n_ordered);
        }
        let mut merging = self.merging.take().unwrap_or_default();
        n_ordered += self.merge(&mut merging);
        let Merged { columns, gc_times, promotions, live, .. } = &mut merging.merged;
        let (columns, gc_times, promotions) = (mem::take(columns), mem::take(gc_times), mem::take(promotions));
        let live = *live;
        self.merging = Some(merging);
        (self.trace(columns, gc_times, promotions, live, so_far), n_ordered)
    }

    /// Takes back what [`Builder::freeze`] handed out. Returns all codes, and which of them occur in stacks.
    pub fn resume(&mut self, trace: &mut Trace) -> (Vec<u64>, Vec<bool>) {
        let columns = mem::take(&mut trace.columns);
        let gc_times = mem::take(&mut trace.gc_times);
        let promotions = mem::take(&mut trace.promotions);
        match &mut self.merging {
            Some(merging) => {
                let merged = &mut merging.merged;
                (merged.columns, merged.gc_times, merged.promotions) = (columns, gc_times, promotions);
            }
            None => (self.columns, self.gc_times, self.promotions) = (columns, gc_times, promotions),
        }
        let calls = mem::take(&mut trace.calls);
        self.tree.put_back(calls.stacks);
        self.frames.put_back(calls.frames);
        (calls.codes, calls.code_used)
    }

    /// The memory that the builder keeps in addition to the frozen model. It grows with the model.
    pub fn kept_bytes(&self) -> usize {
        self.objects.heap_bytes() + self.merging.as_ref().map_or(0, |_| self.columns.heap_bytes())
    }

    fn merge(&mut self, merging: &mut Box<Merging>) -> u64 {
        let Builder { columns, gc_times, promotions, segments, .. } = self;
        let file = FileOrder { columns, gc_times, promotions, segments };
        if merging.merged.is_empty() {
            merging.log = Log::new(&file);
        }
        merging.merged.update(&file, &merging.log).unwrap_or_else(|| {
            merging.merged = Merged::of_many_domains();
            merging.merged.update(&file, &merging.log).unwrap_or(0)
        })
    }
}
