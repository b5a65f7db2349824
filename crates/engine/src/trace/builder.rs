//! Turns a stream of events into a frozen [`Trace`].

use std::mem;

use super::Trace;
use super::budget::{Budget, query_bytes, tree_bytes};
use super::calls::Calls;
use super::columns::{Columns, Row};
use super::downsample::{MAX_ROUNDS, Parts, downsample, survivors};
use super::frames::{Explained, FrameTables, Unexplained};
use super::gc_times::{GcTimes, Position};
use super::ids::{GcTimeId, ObjectRow, StackId};
use super::merge::{Segment, merge_by_time};
use super::merged::Merging;
use super::objects::ObjectMap;
use super::packed_row::PackedRow;
use super::pending::Pending;
use super::promotions::Promotions;
use super::stacks::StackTree;
use super::sweep::{LiveSamples, sweep};
use super::totals::{Peak, Totals};
use camlscope_formats::ctf::{
    Alloc, CodeId, Finished, Location, ObjectId, Sink, Stack, StackNode, WarningKind, Warnings,
};

#[derive(Debug)]
pub struct Builder {
    pub(super) columns: Columns,
    pub(super) gc_times: GcTimes,
    pub(super) promotions: Promotions,
    pub(super) tree: StackTree,
    pub(super) objects: ObjectMap,
    pub(super) segments: Vec<Segment>,
    /// How often the model was downsampled: 1 in 2^rounds samples is kept. At most [`MAX_ROUNDS`].
    pub(super) rounds: u32,
    /// The newest rows, not yet added to any of the above. Empty outside of packets and after downsampling.
    pending: Box<Pending>,
    domain: u16,
    pub(super) frames: FrameTables,
    totals: Totals,
    /// Live samples, in file order. Meaningless if several domains write the file.
    pub(super) live: LiveSamples,
    warnings: Warnings,
    unexplained: Unexplained,
    /// What following a trace of several domains needs. `None` until it is first frozen.
    pub(super) merging: Option<Box<Merging>>,
    /// The file offset of the current packet.
    offset: u64,
    /// The file's size, if known.
    bytes_total: Option<u64>,
    budget: Budget,
}

impl Builder {
    pub fn new(budget: Budget) -> Builder {
        Builder {
            columns: Columns::default(),
            gc_times: GcTimes::default(),
            promotions: Promotions::default(),
            tree: StackTree::new(),
            objects: ObjectMap::default(),
            segments: Vec::new(),
            rounds: 0,
            pending: Box::new(Pending::new()),
            domain: 0,
            frames: FrameTables::default(),
            totals: Totals::default(),
            live: LiveSamples::default(),
            warnings: Warnings::default(),
            unexplained: Unexplained::default(),
            merging: None,
            offset: 0,
            bytes_total: None,
            budget,
        }
    }

    /// Sets the size of the file, if known. The trace is larger if the file is compressed.
    pub fn expecting(self, bytes_total: Option<u64>) -> Builder {
        Builder { bytes_total, ..self }
    }

    /// Freezes the model. `finished` is what the decoder knows about the file.
    pub fn finish(mut self, finished: Finished) -> Trace {
        self.put_away();
        // Ids are no longer needed, so free their memory for the merge.
        self.objects = ObjectMap::default();
        self.promotions.sort(self.columns.blocks());
        if self.segments.len() > 1 {
            let columns = mem::take(&mut self.columns);
            let gc_times = mem::take(&mut self.gc_times);
            (self.columns, self.gc_times, self.promotions) =
                merge_by_time(columns, gc_times, &self.promotions, &self.segments);
            self.live = sweep(&self.columns, &self.gc_times);
        }
        self.columns.close();
        self.tree.close();
        let columns = mem::take(&mut self.columns);
        let gc_times = mem::take(&mut self.gc_times);
        let promotions = mem::take(&mut self.promotions);
        self.trace(columns, gc_times, promotions, self.live, finished)
    }

    /// Moves the model out. The builder keeps only what it needs to build the next one.
    pub(super) fn trace(
        &mut self,
        columns: Columns,
        gc_times: GcTimes,
        promotions: Promotions,
        live: LiveSamples,
        finished: Finished,
    ) -> Trace {
        let downsampled = self.downsampled();
        let factor = u64::from(downsampled);
        let mut totals = self.totals;
        totals.promoted_samples = totals.promoted_samples.saturating_mul(factor);
        totals.custom_promoted_samples = totals.custom_promoted_samples.saturating_mul(factor);
        totals.live_at_end_samples = live.live_samples.saturating_mul(factor);
        totals.peak = Peak { samples: live.peak.samples.saturating_mul(factor), at_us: live.peak.at_us };
        let frames = self.frames.take();
        let mut warnings = self.warnings.clone();
        warnings.add(WarningKind::MissingLocation, self.unexplained.count(&finished.code_used, &frames), 0, 0);
        Trace {
            totals,
            peak_at: live.peak_at,
            columns,
            gc_times,
            promotions,
            calls: Calls { stacks: self.tree.take(), frames, codes: finished.codes, code_used: finished.code_used },
            domain_ids: finished.domain_ids,
            bytes: finished.bytes,
            file_bytes: finished.bytes,
            last_event_us: finished.last_event_us,
            end_us: finished.end_us,
            downsampled,
            warnings: warnings.into_sorted_with(finished.warnings),
            info: finished.info,
        }
    }

    /// One in this many samples is kept.
    pub fn downsampled(&self) -> u32 {
        1 << self.rounds
    }

    /// The memory that the model takes now.
    pub fn heap_bytes(&self) -> usize {
        self.columns.heap_bytes()
            + self.gc_times.heap_bytes()
            + self.promotions.heap_bytes()
            + self.tree.heap_bytes()
            + self.objects.heap_bytes()
    }

    /// The memory that queries will need in addition to the model.
    fn query_bytes(&self) -> usize {
        query_bytes(self.columns.len(), self.gc_times.len(), self.tree.nodes(), self.frames.so_far())
    }

    /// Estimates how many rounds of downsampling make the whole file fit, from the part read so far. Several rounds at
    /// once cost as much as one.
    fn rounds_needed(&self) -> u32 {
        /// The share of stack nodes left after a round. Stacks share their callers, so their number falls more slowly
        /// than the number of objects: by a quarter per round in traces of compilers.
        const NODES_LEFT: f64 = 0.75;
        let bytes_total = self.bytes_total.unwrap_or(0).max(self.offset).max(1);
        let still_to_come = bytes_total as f64 / self.offset.max(1) as f64;
        let all_bytes = (self.heap_bytes() + self.query_bytes()) as f64 * still_to_come;
        let node_bytes = tree_bytes(self.tree.nodes(), self.frames.so_far()) as f64 * still_to_come;
        let (mut other_bytes, mut node_bytes) = ((all_bytes - node_bytes).max(0.0), node_bytes);
        let mut rounds = 0;
        while rounds == 0 || (other_bytes + node_bytes > self.budget.bytes as f64 && rounds < MAX_ROUNDS) {
            other_bytes /= 2.0;
            node_bytes *= NODES_LEFT;
            rounds += 1;
        }
        rounds
    }

    /// Returns everything added so far, with the incrementally updated live samples.
    #[cfg(test)]
    pub(super) fn live_so_far(&mut self) -> (LiveSamples, &Columns, &GcTimes) {
        self.put_away();
        (self.live, &self.columns, &self.gc_times)
    }

    /// Moves the pending rows into the model.
    #[inline(always)]
    pub(super) fn put_away(&mut self) {
        if !self.pending.is_empty() {
            self.put_rows_away();
        }
    }

    #[inline(never)]
    fn put_rows_away(&mut self) {
        let rows = self.pending.rows();
        self.objects.push_run(rows.first_id, rows.packed.len() as u64);
        let n_samples = self.totals.add_rows(rows.packed);
        let first_row = self.columns.len();
        if self.live.rise(n_samples)
            && let Some(last) = rows.packed.iter().rposition(|&packed| PackedRow(packed).small_samples() > 0)
        {
            let peak_at = Position { rows: (first_row + last) as u32 + 1, gc_times: self.gc_times.len() as u32 };
            self.live.note_peak(rows.times_us[last], peak_at);
        }
        self.columns.extend(rows);
        self.pending.clear();
    }

    /// Adds a single row: one that is large, doesn't fit into `pending`, or arrives after downsampling.
    #[cold]
    #[inline(never)]
    fn alloc_alone(&mut self, id: ObjectId, row: Row) {
        if self.rounds > 0 {
            return self.alloc_downsampled(id, row);
        }
        self.put_away();
        self.pending.follow(id);
        self.totals.add(row.source, row.size_words, row.n_samples);
        self.objects.push(id);
        self.rise(row.n_samples, row.alloc_us);
        self.columns.push(&row);
    }

    /// Counts the samples of the next row as live.
    fn rise(&mut self, n_samples: u64, alloc_us: u64) {
        if self.live.rise(n_samples) {
            let (rows, gc_times) = (self.columns.len() as u32 + 1, self.gc_times.len() as u32);
            self.live.note_peak(alloc_us, Position { rows, gc_times });
        }
    }

    /// Adds a row to a downsampled model. Most rows are only counted.
    fn alloc_downsampled(&mut self, id: ObjectId, row: Row) {
        self.totals.add(row.source, row.size_words, row.n_samples);
        let ordinal = self.objects.push(id);
        let n_samples = survivors(id, row.n_samples, 0..self.rounds);
        if n_samples > 0 {
            self.objects.keep(ordinal);
            self.rise(n_samples, row.alloc_us);
            self.columns.push(&Row { n_samples, ..row });
        }
    }

    /// Ends objects of any run, or of a downsampled model.
    #[inline(never)]
    fn collect_each(&mut self, time_us: u64, ids: &[ObjectId]) {
        self.totals.n_collects += ids.len() as u64;
        for &id in ids {
            let Some(ordinal) = self.objects.ordinal(id) else {
                self.warn(WarningKind::UnknownObject);
                continue;
            };
            // A downsampled model doesn't contain most objects, so their end doesn't matter.
            let Some(row) = self.objects.row(ordinal) else { continue };
            let gc_time = self.gc_times.at(time_us, &mut self.columns);
            let ended = self.columns.set_ends([row].into_iter(), gc_time);
            self.live.fall(ended.n_samples);
            if ended.n_dead > 0 {
                self.warn(WarningKind::DeadObject);
            } else if let Some(merging) = &mut self.merging {
                merging.log.end(gc_time, row, self.columns.blocks());
            }
        }
    }

    fn downsample(&mut self, paths: &mut [&mut [StackNode]], n_rounds: u32) {
        let rounds = self.rounds..(self.rounds + n_rounds).min(MAX_ROUNDS);
        self.rounds = rounds.end;
        let Builder { columns, gc_times, promotions, tree, objects, segments, .. } = self;
        downsample(Parts { columns, gc_times, promotions, tree, objects, segments }, paths, rounds);
    }

    /// Recomputes everything derived from the model after downsampling.
    fn sum_up(&mut self) {
        self.merging = None;
        (self.totals.promoted_samples, self.totals.custom_promoted_samples) = (0, 0);
        for (row, _) in self.promotions.iter() {
            let n_samples = self.columns.n_samples(row);
            self.totals.promote(self.columns.starts_in_minor_heap(row), n_samples);
        }
        if self.segments.len() <= 1 {
            self.live = sweep(&self.columns, &self.gc_times);
        }
    }

    #[cold]
    fn warn(&mut self, kind: WarningKind) {
        self.warnings.add(kind, 1, 0, self.offset);
    }
}

impl Sink for Builder {
    fn packet(&mut self, domain: u16, offset: u64) {
        self.put_away();
        self.offset = offset;
        if domain != self.domain || self.segments.is_empty() {
            self.domain = domain;
            let (first_row, first_gc_time) = (self.columns.len() as u32, self.gc_times.len() as u32);
            self.segments.push(Segment { domain, first_row, first_gc_time });
            self.columns.begin_domain(domain);
            // A collection time belongs to one segment.
            self.gc_times.close();
        }
    }

    fn location(&mut self, code: CodeId, frames: &[Location]) {
        if self.frames.explain(code, frames) == Explained::Differently {
            self.warn(WarningKind::ConflictingLocation);
        }
    }

    #[inline(always)]
    fn child(&mut self, parent: StackNode, code: CodeId) -> StackNode {
        StackNode(self.tree.child(StackId(parent.0), code).0)
    }

    fn make_room(&mut self, paths: &mut [&mut [StackNode]]) {
        self.put_away();
        let mut is_downsampled = false;
        // Half the samples may need more than half the memory. The loop is bounded in case little can be freed.
        for _ in 0..8 {
            let bytes = self.heap_bytes() + self.query_bytes();
            if bytes <= self.budget.bytes || self.columns.len() < 2 || self.rounds == MAX_ROUNDS {
                break;
            }
            self.pending.close();
            self.downsample(paths, self.rounds_needed());
            is_downsampled = true;
        }
        if is_downsampled {
            self.sum_up();
        }
    }

    fn wants_every_stack(&self) -> bool {
        self.rounds == 0
    }

    #[inline(always)]
    fn wants_stack(&self, id: ObjectId, n_samples: u64) -> bool {
        survivors(id, n_samples, 0..self.rounds) > 0
    }

    #[inline(always)]
    fn alloc(&mut self, alloc: &Alloc, stack: Stack) {
        self.totals.max_depth = self.totals.max_depth.max(stack.depth);
        let stack = StackId(stack.node.0);
        let (packed, is_large) = PackedRow::new(alloc.length_words, alloc.n_samples, alloc.source, false);
        if is_large || !self.pending.push(alloc.id, alloc.time_us, stack, packed) {
            let &Alloc { id, time_us: alloc_us, length_words: size_words, n_samples, source, .. } = alloc;
            let end = GcTimeId::NEVER;
            self.alloc_alone(id, Row { alloc_us, end, stack, size_words, n_samples, source, promoted: false });
        }
    }

    #[inline(never)]
    fn promote(&mut self, time_us: u64, id: ObjectId) {
        self.put_away();
        self.totals.n_promotes += 1;
        let Some(ordinal) = self.objects.ordinal(id) else {
            return self.warn(WarningKind::UnknownObject);
        };
        if let Some(row) = self.objects.row(ordinal) {
            let Some(n_samples) = self.columns.set_promoted(row) else {
                return self.warn(WarningKind::DeadObject);
            };
            self.totals.promote(self.columns.starts_in_minor_heap(row), n_samples);
            let gc_time = self.gc_times.at(time_us, &mut self.columns);
            self.promotions.push(row, gc_time, self.columns.blocks());
            if let Some(merging) = &mut self.merging {
                merging.log.promote(gc_time, row, self.columns.blocks());
            }
        }
    }

    fn collect(&mut self, time_us: u64, id: ObjectId) {
        self.put_away();
        self.collect_each(time_us, &[id]);
    }

    #[inline(never)]
    fn collect_all(&mut self, time_us: u64, ids: &[ObjectId]) {
        self.put_away();
        let run = self.objects.newest_run();
        if self.rounds > 0 || self.merging.is_some() || ids.iter().any(|&id| run.ordinal(id).is_none()) {
            return self.collect_each(time_us, ids);
        }
        self.totals.n_collects += ids.len() as u64;
        let gc_time = self.gc_times.at(time_us, &mut self.columns);
        let rows = ids.iter().filter_map(|&id| run.ordinal(id)).map(|ordinal| ObjectRow(ordinal.0 as u32));
        let ended = self.columns.set_ends(rows, gc_time);
        self.live.fall(ended.n_samples);
        if ended.n_dead > 0 {
            self.warnings.add(WarningKind::DeadObject, ended.n_dead, 0, self.offset);
        }
    }
}
