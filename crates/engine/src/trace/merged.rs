//! A live trace of several domains: its rows and collection times in time order, in addition to those in file order,
//! which the builder keeps extending.
//!
//! New events may be earlier than merged ones, because domains write their packets at different times. So the merge
//! goes back to a checkpoint before the earliest new event and continues from there. Its cost is the new events plus
//! everything after the earliest of them. In addition to the model in file order this takes about 30 bytes per object:
//! the rows once more, the index of each row, and the rows that end at each collection time.

use super::block_pool::BlockPool;
use super::chunked::Chunked;
use super::columns::Columns;
use super::gc_times::{GcTimes, Position};
use super::ids::{GcTimeId, ObjectRow};
use super::list::List;
use super::merge::{Bookmark, Cursors, Event, FileOrder, Next};
use super::promotions::Promotions;
use super::sweep::LiveSamples;

/// What merging a live trace of several domains needs.
#[derive(Debug, Default)]
pub(super) struct Merging {
    pub log: Log,
    pub merged: Merged,
}

#[derive(Debug, Default)]
pub(super) struct Merged {
    pub columns: Columns,
    pub gc_times: GcTimes,
    pub promotions: Promotions,
    pub live: LiveSamples,
    cursors: Cursors,
    /// For each row and collection time of the file: its index here, or [`NOWHERE`].
    rows: Chunked<u32>,
    gc_time_ids: Chunked<u32>,
    /// In time order. The first one is the start.
    checkpoints: Vec<Checkpoint>,
}

/// Ends and promotions by collection time, in file order.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Collection times and the rows that end then.
    ended: List<2>,
    promoted: List<2>,
}

#[derive(Clone, Debug, Default)]
struct Checkpoint {
    at: Position,
    live: LiveSamples,
    bookmark: Bookmark,
}

const NOWHERE: u32 = u32::MAX;

/// Events between two checkpoints. At most this many are merged again unnecessarily.
const CHECKPOINT_EVENTS: u64 = 4096;

impl Log {
    /// Creates the log of everything up to now.
    pub fn new(file: &FileOrder<'_>) -> Log {
        let (mut log, blocks) = (Log::default(), &mut BlockPool::default());
        for row in (0..file.columns.len() as u32).map(ObjectRow) {
            let end = file.columns.end(row);
            if end != GcTimeId::NEVER {
                log.ended.push([end.0, row.0], blocks);
            }
        }
        for (row, gc_time) in file.promotions.iter() {
            log.promoted.push([gc_time.0, row.0], blocks);
        }
        log.ended.sort_by_first(blocks);
        log.promoted.sort_by_first(blocks);
        log
    }

    /// Records that a live row ends now.
    pub fn end(&mut self, gc_time: GcTimeId, row: ObjectRow, blocks: &mut BlockPool) {
        self.ended.push([gc_time.0, row.0], blocks);
    }

    pub fn promote(&mut self, gc_time: GcTimeId, row: ObjectRow, blocks: &mut BlockPool) {
        self.promoted.push([gc_time.0, row.0], blocks);
    }
}

/// Returns the rows of the log entries for this collection time.
fn rows_at(list: &List<2>, gc_time: GcTimeId) -> impl Iterator<Item = ObjectRow> + '_ {
    let first = list.partition_point(|[at, _]| at < gc_time.0);
    (first..list.len())
        .map(|at| list.get(at))
        .take_while(move |[at, _]| *at == gc_time.0)
        .map(|[_, row]| ObjectRow(row))
}

impl Merged {
    /// Takes what the file has now, and returns how many events were read. `None` if there are too many domains and
    /// everything must be merged again.
    pub fn update(&mut self, file: &FileOrder<'_>, log: &Log) -> Option<u64> {
        if self.checkpoints.is_empty() {
            self.columns = Columns::of_domains(Vec::new());
            self.checkpoints.push(Checkpoint::default());
        }
        let known = Position { rows: self.rows.len() as u32, gc_times: self.gc_time_ids.len() as u32 };
        if !self.cursors.extend(file, |domain| self.columns.add_domain(domain)) {
            return None;
        }
        let Some(first_us) = self.cursors.first_time(file, known.rows, known.gc_times) else { return Some(0) };
        self.go_back(first_us);
        while self.rows.len() < file.columns.len() {
            self.rows.push(NOWHERE);
        }
        while self.gc_time_ids.len() < file.gc_times.len() {
            self.gc_time_ids.push(NOWHERE);
        }
        self.cursors.restart(file);
        let mut n_events = 0;
        while let Some(next) = self.cursors.next(file) {
            self.take(&next, file, log);
            n_events += 1;
            if n_events % CHECKPOINT_EVENTS == 0 {
                self.checkpoints.push(Checkpoint {
                    at: self.position(),
                    live: self.live,
                    bookmark: self.cursors.bookmark(),
                });
            }
        }
        self.promotions.sort(self.columns.blocks());
        Some(n_events)
    }

    /// For more domains than a byte can tell apart.
    pub fn of_many_domains() -> Merged {
        Merged { checkpoints: vec![Checkpoint::default()], ..Merged::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.checkpoints.is_empty()
    }

    fn position(&self) -> Position {
        Position { rows: self.columns.len() as u32, gc_times: self.gc_times.len() as u32 }
    }

    /// Goes back to the last checkpoint at or before this time. Known events with the same time stay before new ones.
    fn go_back(&mut self, first_us: u64) {
        while self.checkpoints.len() > 1
            && self.checkpoints.last().is_some_and(|checkpoint| checkpoint.bookmark.last_us > first_us)
        {
            self.checkpoints.pop();
        }
        let Some(Checkpoint { at, live, bookmark }) = self.checkpoints.last() else { return };
        self.live = *live;
        self.promotions.truncate(ObjectRow(at.rows), self.columns.blocks());
        self.gc_times.truncate(at.gc_times, self.columns.blocks());
        self.columns.truncate(at.rows);
        let (rows, gc_time_ids) = (&mut self.rows, &mut self.gc_time_ids);
        self.cursors.go_back(bookmark, |unread_rows, unread_gc_times| {
            unread_rows.for_each(|row| *rows.get_mut(row as usize) = NOWHERE);
            unread_gc_times.for_each(|gc_time| *gc_time_ids.get_mut(gc_time as usize) = NOWHERE);
        });
    }

    /// Adds the next event. A row normally precedes the collection time at which it ends or is promoted. If the domains'
    /// clocks disagree, it follows that time and finds it here. If that was its end, it never counts as live.
    fn take(&mut self, next: &Next, file: &FileOrder<'_>, log: &Log) {
        match next.event {
            Event::Gc(gc_time) => {
                let to = GcTimeId(self.gc_times.len() as u32);
                self.gc_times.push(next.time_us, &mut self.columns);
                *self.gc_time_ids.get_mut(gc_time.0 as usize) = to.0;
                for row in rows_at(&log.promoted, gc_time).filter_map(|row| place(&self.rows, row)) {
                    self.columns.mark_promoted(row);
                    self.promotions.put(row, to, self.columns.blocks());
                }
                for row in rows_at(&log.ended, gc_time).filter_map(|row| place(&self.rows, row)) {
                    self.columns.rename_end(row, to);
                    self.live.fall(self.columns.n_samples(row));
                }
            }
            Event::Row(from) => {
                let here = |gc_time: GcTimeId| match gc_time {
                    GcTimeId::NEVER => None,
                    gc_time => Some(GcTimeId(self.gc_time_ids.get(gc_time.0 as usize))).filter(|at| at.0 != NOWHERE),
                };
                let mut row = file.columns.get(from);
                let (end, promoted_at) = (here(row.end), next.promoted_at.and_then(here));
                row.alloc_us = next.time_us;
                row.end = end.unwrap_or(GcTimeId::NEVER);
                row.promoted = promoted_at.is_some();
                self.columns.begin_domain(next.domain);
                let to = self.columns.push(&row);
                *self.rows.get_mut(from.0 as usize) = to.0;
                if let Some(gc_time) = promoted_at {
                    self.promotions.push(to, gc_time, self.columns.blocks());
                }
                if end.is_none() && self.live.rise(row.n_samples) {
                    self.live.note_peak(row.alloc_us, self.position());
                }
            }
        }
    }
}

fn place(rows: &Chunked<u32>, row: ObjectRow) -> Option<ObjectRow> {
    Some(ObjectRow(rows.get(row.0 as usize))).filter(|at| at.0 != NOWHERE)
}
