//! Takes events as they stream and freezes them into a [`Trace`].

use super::Trace;
use super::budget::{Budget, question_bytes};
use super::columns::{Columns, Packed, Row};
use super::frames::{Explained, FrameTables};
use super::ids::{MomentId, ObjectRow, StackId};
use super::ledger::{Account, Ledger};
use super::merge::{Segment, merge_by_time};
use super::moments::{Moments, Position};
use super::objects::{ObjectMap, Ordinal};
use super::pending::Pending;
use super::promotions::Promotions;
use super::stacks::StackTree;
use super::sweep::{Live, sweep};
use super::thin::{halve, survivors};
use super::totals::Totals;
use crate::ctf::{Alloc, CodeId, Finished, Location, ObjectId, Sink, Source, Stack, StackNode, WarningKind, Warnings};

#[derive(Debug)]
pub struct Builder {
    pub(super) columns: Columns,
    pub(super) moments: Moments,
    pub(super) promotions: Promotions,
    pub(super) tree: StackTree,
    pub(super) objects: ObjectMap,
    pub(super) segments: Vec<Segment>,
    pub(super) thinning: Option<Thinning>,
    /// The newest rows, which are in nothing of the above yet; empty outside of packets.
    pending: Box<Pending>,
    domain: u16,
    pub(super) frames: FrameTables,
    totals: Totals,
    /// What is live, in the order of the file.
    live: Live,
    warnings: Warnings,
    /// Where in the file the current packet lies.
    offset: u64,
    budget: Budget,
}

/// What is kept up once the model has been thinned, so that totals stay exact.
#[derive(Debug)]
pub(super) struct Thinning {
    /// One of 2^rounds samples is kept.
    pub rounds: u32,
    ledger: Ledger,
}

impl Default for Builder {
    fn default() -> Builder {
        Builder::new(Budget::default())
    }
}

impl Builder {
    pub fn new(budget: Budget) -> Builder {
        Builder {
            columns: Columns::default(),
            moments: Moments::default(),
            promotions: Promotions::default(),
            tree: StackTree::new(),
            objects: ObjectMap::default(),
            segments: Vec::new(),
            thinning: None,
            pending: Box::new(Pending::new()),
            domain: 0,
            frames: FrameTables::default(),
            totals: Totals::default(),
            live: Live::default(),
            warnings: Warnings::default(),
            offset: 0,
            budget,
        }
    }

    /// Freezes the model; `finished` is what the decoder knows of the file.
    pub fn finish(mut self, finished: Finished) -> Trace {
        self.put_away();
        let thinned = self.thinned();
        let Builder { mut columns, mut moments, mut promotions, mut totals, mut live, mut warnings, .. } = self;
        // Ids are not asked for any more: their room is free for the merge.
        drop(self.objects);
        promotions.sort(columns.rooms());
        let is_merged = self.segments.len() > 1;
        if is_merged {
            (columns, moments, promotions) = merge_by_time(columns, moments, &promotions, &self.segments);
        }
        columns.close();
        if self.thinning.is_some() {
            // The peak was met among rows that may be gone: what is left of it is its time.
            let at_us = live.peak.at_us;
            live.peak_at = Position { rows: columns.rows_until(at_us), moments: moments.until(at_us) };
        } else if is_merged {
            live = sweep(&columns, &moments);
        }
        totals.live_at_end_samples = live.live_samples;
        totals.peak = live.peak;
        let frames = self.frames.finish();
        let is_missing = |id: u32| id != CodeId::LOST.0 && frames.of_code(CodeId(id)).is_none();
        let missing = (0u32..).zip(&finished.code_used).filter(|&(id, &used)| used && is_missing(id)).count();
        warnings.add(WarningKind::MissingLocation, missing as u64, 0, 0);
        Trace {
            totals,
            peak_at: live.peak_at,
            columns,
            moments,
            promotions,
            stacks: self.tree.finish(),
            frames,
            code_used: finished.code_used,
            codes: finished.codes,
            domain_ids: finished.domain_ids,
            bytes: finished.bytes,
            file_bytes: finished.bytes,
            last_event_us: finished.last_event_us,
            end_us: finished.end_us,
            thinned,
            warnings: warnings.into_sorted_with(finished.warnings),
            info: finished.info,
        }
    }

    /// One of so many samples is kept.
    pub fn thinned(&self) -> u32 {
        self.thinning.as_ref().map_or(1, |thinning| 1 << thinning.rounds)
    }

    /// What the model takes now.
    pub fn heap_bytes(&self) -> usize {
        self.columns.heap_bytes()
            + self.moments.heap_bytes()
            + self.promotions.heap_bytes()
            + self.tree.heap_bytes()
            + self.objects.heap_bytes()
            + self.thinning.as_ref().map_or(0, |thinning| thinning.ledger.heap_bytes())
    }

    /// What questions about the model will need beside it.
    fn question_bytes(&self) -> usize {
        question_bytes(self.columns.len(), self.moments.len(), self.tree.nodes(), self.frames.so_far())
    }

    /// All that has come, with what was kept up of it.
    #[cfg(test)]
    pub(super) fn live_so_far(&mut self) -> (Live, &Columns, &Moments) {
        self.put_away();
        (self.live, &self.columns, &self.moments)
    }

    /// Before samples are dropped, what the model knows of those that live goes into the ledger.
    fn begin_thinning(&mut self) {
        if self.thinning.is_some() {
            return;
        }
        let mut ledger = Ledger::default();
        for (at, row) in self.columns.iter().filter(|(_, row)| row.end == MomentId::NEVER) {
            let account = Account { n_samples: row.n_samples, promoted: row.promoted };
            ledger.enter(Ordinal(u64::from(at.0)), account);
        }
        self.pending.close();
        self.thinning = Some(Thinning { rounds: 0, ledger });
    }

    /// Moves the pending rows into the model.
    #[inline(always)]
    fn put_away(&mut self) {
        if !self.pending.is_empty() {
            self.put_rows_away();
        }
    }

    #[inline(never)]
    #[cfg_attr(for_speed, optimize(speed))]
    fn put_rows_away(&mut self) {
        let rows = self.pending.rows();
        self.objects.push_run(rows.first_id, rows.packed.len() as u64);
        let n_samples = self.totals.add_rows(rows.packed);
        let first_row = self.columns.len();
        if self.live.rise(n_samples)
            && let Some(last) = rows.packed.iter().rposition(|&packed| Packed(packed).small_samples() > 0)
        {
            let peak_at = Position { rows: (first_row + last) as u32 + 1, moments: self.moments.len() as u32 };
            self.live.note_peak(rows.times_us[last], peak_at);
        }
        self.columns.extend(rows);
        self.pending.clear();
    }

    /// A row that does not go the way of all others, or comes when the pending ones are moved anyway.
    #[cold]
    #[inline(never)]
    fn alloc_alone(
        &mut self,
        id: ObjectId,
        alloc_us: u64,
        size_words: u64,
        n_samples: u32,
        source: Source,
        stack: StackId,
    ) {
        self.put_away();
        self.pending.follow(id);
        self.totals.alloc_events.add(source, 1);
        self.totals.alloc_samples.add(source, u64::from(n_samples));
        let row = Row { alloc_us, end: MomentId::NEVER, stack, size_words, n_samples, source, promoted: false };
        let ordinal = self.objects.push(id);
        if self.live.rise(u64::from(n_samples)) {
            let (rows, moments) = (self.columns.len() as u32 + 1, self.moments.len() as u32);
            self.live.note_peak(alloc_us, Position { rows, moments });
        }
        if self.thinning.is_none() {
            self.columns.push(&row);
        } else {
            self.alloc_thinned(&row, id, ordinal);
        }
    }

    #[cold]
    fn alloc_thinned(&mut self, row: &Row, id: ObjectId, ordinal: Ordinal) {
        let Some(thinning) = &mut self.thinning else {
            return;
        };
        thinning.ledger.enter(ordinal, Account { n_samples: row.n_samples, promoted: false });
        let n_samples = survivors(id, row.n_samples, 0..thinning.rounds);
        self.objects.push_kept(n_samples > 0);
        if n_samples > 0 {
            self.columns.push(&Row { n_samples, ..*row });
        }
    }

    /// Keeps the ledger; returns whether the object was alive (and, for promotions, not promoted yet).
    fn settle(&mut self, ordinal: Ordinal, dies: bool) -> bool {
        let Some(thinning) = &mut self.thinning else {
            return true;
        };
        match thinning.ledger.get(ordinal) {
            None => false,
            Some(account) if dies => {
                thinning.ledger.remove(ordinal);
                self.live.fall(u64::from(account.n_samples));
                true
            }
            Some(account) => {
                if !account.promoted {
                    thinning.ledger.set_promoted(ordinal);
                    self.totals.promoted_samples += u64::from(account.n_samples);
                }
                !account.promoted
            }
        }
    }

    /// Objects of any run, or of a thinned model.
    #[inline(never)]
    fn collect_each(&mut self, time_us: u64, ids: &[ObjectId]) {
        for &id in ids {
            self.collect(time_us, id);
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
            let (first_row, first_moment) = (self.columns.len() as u32, self.moments.len() as u32);
            self.segments.push(Segment { domain, first_row, first_moment });
            self.columns.begin_domain(domain);
            // A moment belongs to one segment.
            self.moments.close();
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
        // Half the samples may be less than half the memory; the rounds are bounded in case little can be given back.
        for _ in 0..8 {
            if self.heap_bytes() + self.question_bytes() <= self.budget.bytes || self.columns.len() < 2 {
                break;
            }
            self.begin_thinning();
            halve(self, paths);
        }
    }

    #[inline(always)]
    fn alloc(&mut self, alloc: &Alloc, stack: Stack) {
        self.totals.max_depth = self.totals.max_depth.max(stack.depth);
        let (packed, is_large) = Packed::new(alloc.length_words, alloc.n_samples, alloc.source, false);
        if is_large || !self.pending.push(alloc.id, alloc.time_us, StackId(stack.node.0), packed) {
            let &Alloc { id, time_us, length_words, n_samples, source, .. } = alloc;
            self.alloc_alone(id, time_us, length_words, n_samples, source, StackId(stack.node.0));
        }
    }

    #[inline(never)]
    #[cfg_attr(for_speed, optimize(speed))]
    fn promote(&mut self, time_us: u64, id: ObjectId) {
        self.put_away();
        self.totals.n_promotes += 1;
        let Some(ordinal) = self.objects.ordinal(id) else {
            return self.warn(WarningKind::UnknownObject);
        };
        if self.thinning.is_some() && !self.settle(ordinal, false) {
            return self.warn(WarningKind::DeadObject);
        }
        if let Some(row) = self.objects.row(ordinal) {
            let Some(n_samples) = self.columns.set_promoted(row) else {
                return self.warn(WarningKind::DeadObject);
            };
            if self.thinning.is_none() {
                self.totals.promoted_samples += u64::from(n_samples);
            }
            let moment = self.moments.at(time_us, &mut self.columns);
            self.promotions.push(row, moment, self.columns.rooms());
        }
    }

    fn collect(&mut self, time_us: u64, id: ObjectId) {
        self.put_away();
        self.totals.n_collects += 1;
        let Some(ordinal) = self.objects.ordinal(id) else {
            return self.warn(WarningKind::UnknownObject);
        };
        if self.thinning.is_some() && !self.settle(ordinal, true) {
            return self.warn(WarningKind::DeadObject);
        }
        if let Some(row) = self.objects.row(ordinal) {
            let moment = self.moments.at(time_us, &mut self.columns);
            let ended = self.columns.set_ends([row].into_iter(), moment);
            // Once the model is thinned, the row may have fewer than the object had.
            if self.thinning.is_none() {
                self.live.fall(ended.n_samples);
            }
            if ended.n_dead > 0 {
                self.warn(WarningKind::DeadObject);
            }
        }
    }

    #[inline(never)]
    #[cfg_attr(for_speed, optimize(speed))]
    fn collect_all(&mut self, time_us: u64, ids: &[ObjectId]) {
        self.put_away();
        let run = self.objects.newest_run();
        if self.thinning.is_some() || ids.iter().any(|&id| run.ordinal(id).is_none()) {
            return self.collect_each(time_us, ids);
        }
        self.totals.n_collects += ids.len() as u64;
        let moment = self.moments.at(time_us, &mut self.columns);
        let rows = ids.iter().filter_map(|&id| run.ordinal(id)).map(|ordinal| ObjectRow(ordinal.0 as u32));
        let ended = self.columns.set_ends(rows, moment);
        self.live.fall(ended.n_samples);
        if ended.n_dead > 0 {
            self.warnings.add(WarningKind::DeadObject, ended.n_dead, 0, self.offset);
        }
    }
}
