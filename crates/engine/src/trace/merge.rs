//! Merges domains by time, once, after loading. While a trace is followed, [`super::merged`] merges what is new.
//!
//! Packets of different domains interleave in the file, and times are monotone only per domain. Here the domains'
//! segments are merged into one order of rows and collection times, with ties in file order. Chunks of the old columns
//! are freed as soon as the merge has passed them, so the two copies are never both in memory in full.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::columns::Columns;
use super::gc_times::GcTimes;
use super::ids::{GcTimeId, ObjectRow};
use super::promotions::Promotions;

/// A part of the file that one domain wrote. It ends where the next one begins.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub domain: u16,
    pub first_row: u32,
    pub first_gc_time: u32,
}

/// A model in file order. Promotions are sorted by row.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileOrder<'f> {
    pub columns: &'f Columns,
    pub gc_times: &'f GcTimes,
    pub promotions: &'f Promotions,
    pub segments: &'f [Segment],
}

/// Rows between two checks for chunks that can be freed.
const ROWS_A_LOOK: usize = 1 << 16;

/// Puts rows and collection times in time order. `promotions` are sorted by row.
pub fn merge_by_time(
    mut old: Columns,
    old_gc_times: GcTimes,
    promotions: &Promotions,
    segments: &[Segment],
) -> (Columns, GcTimes, Promotions) {
    // Inserted one by one: collecting into the set would pull another sort into the page's code.
    let mut ids = BTreeSet::new();
    ids.extend(segments.iter().map(|segment| segment.domain));
    let mut merged = Columns::of_domains(ids.into_iter().collect());
    let mut gc_times = GcTimes::default();
    let mut renamed = vec![GcTimeId::NEVER; old_gc_times.len()];
    let mut promoted = Promotions::default();

    let mut cursors = Cursors::default();
    let file = FileOrder { columns: &old, gc_times: &old_gc_times, promotions, segments };
    cursors.extend(&file, |_| true);
    cursors.restart(&file);
    let mut next_look = ROWS_A_LOOK;
    loop {
        let file = FileOrder { columns: &old, gc_times: &old_gc_times, promotions, segments };
        let Some(next) = cursors.next(&file) else { break };
        match next.event {
            Event::Gc(gc_time) => {
                renamed[gc_time.0 as usize] = GcTimeId(gc_times.len() as u32);
                gc_times.push(next.time_us, &mut merged);
            }
            Event::Row(row) => {
                let mut read = old.get(row);
                read.alloc_us = next.time_us;
                merged.begin_domain(next.domain);
                let to = merged.push(&read);
                if let Some(gc_time) = next.promoted_at {
                    promoted.push(to, gc_time, merged.blocks());
                }
            }
        }
        if merged.len() >= next_look {
            next_look = merged.len() + ROWS_A_LOOK;
            old.give_before(ObjectRow(cursors.first_row()), &mut merged);
        }
    }
    for row in (0..merged.len() as u32).map(ObjectRow) {
        let end = merged.end(row);
        if end != GcTimeId::NEVER {
            merged.rename_end(row, renamed[end.0 as usize]);
        }
    }
    promoted.rename(|gc_time| renamed[gc_time.0 as usize]);
    (merged, gc_times, promoted)
}

/// Reads a file's rows and collection times in time order.
#[derive(Debug, Default)]
pub(super) struct Cursors {
    cursors: Vec<Cursor>,
    /// For each domain with events left: the time of its next event, its segment number, which breaks ties, and the
    /// index of its cursor.
    heap: BinaryHeap<Reverse<(u64, usize, usize)>>,
    /// The time of the last event read.
    last_us: u64,
    /// The number of segments that the cursors know. The last one may have grown since.
    n_segments: usize,
}

/// The next event in time order.
pub(super) struct Next {
    /// Never less than the previous event's time.
    pub time_us: u64,
    pub domain: u16,
    pub event: Event,
    /// When the row was promoted, if the event is a row.
    pub promoted_at: Option<GcTimeId>,
}

pub(super) enum Event {
    Row(ObjectRow),
    Gc(GcTimeId),
}

/// The positions of all cursors.
#[derive(Clone, Debug, Default)]
pub(super) struct Bookmark {
    pub last_us: u64,
    places: Vec<CursorPlace>,
}

/// The next row that a cursor reads, in this span or a later one.
#[derive(Clone, Copy, Debug, Default)]
struct CursorPlace {
    at_span: usize,
    row: u32,
    gc_time: u32,
}

impl Cursors {
    /// Takes what the file has now. Calls `begin` for each new domain, and returns whether it was always true.
    pub fn extend(&mut self, file: &FileOrder<'_>, mut begin: impl FnMut(u16) -> bool) -> bool {
        let mut goes_on = true;
        let mut which: FxHashMap<u16, usize> =
            self.cursors.iter().enumerate().map(|(at, cursor)| (cursor.domain, at)).collect();
        for number in self.n_segments.saturating_sub(1)..file.segments.len() {
            let (segment, next) = (&file.segments[number], file.segments.get(number + 1));
            let span = Span {
                number,
                first_row: segment.first_row,
                end_row: next.map_or(file.columns.len() as u32, |next| next.first_row),
                first_gc_time: segment.first_gc_time,
                end_gc_time: next.map_or(file.gc_times.len() as u32, |next| next.first_gc_time),
            };
            if span.first_row == span.end_row && span.first_gc_time == span.end_gc_time {
                continue;
            }
            let at = *which.entry(segment.domain).or_insert_with(|| {
                goes_on &= begin(segment.domain);
                self.cursors.push(Cursor {
                    domain: segment.domain,
                    spans: Vec::new(),
                    place: CursorPlace::default(),
                    promotion: None,
                });
                self.cursors.len() - 1
            });
            let spans = &mut self.cursors[at].spans;
            match spans.last_mut() {
                Some(last) if last.number == number => *last = span,
                _ => spans.push(span),
            }
        }
        self.n_segments = file.segments.len();
        goes_on
    }

    /// Returns the earliest time of the events from these rows and collection times on, none of which has been read.
    pub fn first_time(&self, file: &FileOrder<'_>, rows: u32, gc_times: u32) -> Option<u64> {
        let new = self.cursors.iter().filter_map(|cursor| {
            let at_span = cursor.spans.partition_point(|span| span.end_row <= rows && span.end_gc_time <= gc_times);
            let mut place = CursorPlace { at_span, row: rows, gc_time: gc_times };
            next_time(&mut place, &cursor.spans, file).map(|(time_us, _)| time_us)
        });
        new.min()
    }

    /// Continues from where the cursors are.
    pub fn restart(&mut self, file: &FileOrder<'_>) {
        self.heap.clear();
        for (which, cursor) in self.cursors.iter_mut().enumerate() {
            if let Some((time_us, segment)) = cursor.next_time(file) {
                self.heap.push(Reverse((time_us, segment, which)));
            }
        }
    }

    pub fn bookmark(&self) -> Bookmark {
        Bookmark { last_us: self.last_us, places: self.cursors.iter().map(|cursor| cursor.place).collect() }
    }

    /// Moves the cursors back, and calls `unread` with the rows and collection times that were read since.
    pub fn go_back(&mut self, bookmark: &Bookmark, mut unread: impl FnMut(Range<u32>, Range<u32>)) {
        self.last_us = bookmark.last_us;
        for (at, cursor) in self.cursors.iter_mut().enumerate() {
            let to = bookmark.places.get(at).copied().unwrap_or_default();
            for span in cursor
                .spans
                .iter()
                .skip(to.at_span.saturating_sub(1))
                .take_while(|span| span.first_row < cursor.place.row || span.first_gc_time < cursor.place.gc_time)
            {
                let rows = span.first_row.max(to.row)..span.end_row.min(cursor.place.row);
                let gc_times = span.first_gc_time.max(to.gc_time)..span.end_gc_time.min(cursor.place.gc_time);
                unread(rows, gc_times);
            }
            cursor.place = to;
            cursor.promotion = None;
            // The span that had been read to its end may have grown since.
            if let Some(before) = to.at_span.checked_sub(1)
                && cursor.spans.get(before).is_some_and(|span| span.end_row > to.row || span.end_gc_time > to.gc_time)
            {
                cursor.place.at_span = before;
            }
        }
    }

    pub fn next(&mut self, file: &FileOrder<'_>) -> Option<Next> {
        let mut first = self.heap.peek_mut()?;
        let Reverse((time_us, _, which)) = *first;
        let cursor = &mut self.cursors[which];
        self.last_us = time_us.max(self.last_us);
        let event = cursor.take(file.gc_times);
        let promoted_at = match event {
            Event::Row(row) if file.columns.is_promoted(row) => cursor.promotion(row, file.promotions),
            _ => None,
        };
        let next = Next { time_us: self.last_us, domain: cursor.domain, event, promoted_at };
        // Replaced in place, because one domain often continues for a while.
        match cursor.next_time(file) {
            Some((time_us, segment)) => *first = Reverse((time_us, segment, which)),
            None => drop(PeekMut::pop(first)),
        }
        Some(next)
    }

    /// The first row that is still to be read.
    fn first_row(&self) -> u32 {
        self.cursors.iter().map(Cursor::row).min().unwrap_or(0)
    }
}

/// One domain's position in the file.
#[derive(Debug)]
struct Cursor {
    domain: u16,
    /// In file order.
    spans: Vec<Span>,
    place: CursorPlace,
    /// The first promotion that may concern the span's remaining rows. Unknown at the start of a span.
    promotion: Option<usize>,
}

/// A segment that has rows or collection times.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// The segment's number.
    number: usize,
    first_row: u32,
    end_row: u32,
    first_gc_time: u32,
    end_gc_time: u32,
}

impl Cursor {
    fn next_time(&mut self, file: &FileOrder<'_>) -> Option<(u64, usize)> {
        let at_span = self.place.at_span;
        let next = next_time(&mut self.place, &self.spans, file);
        if self.place.at_span != at_span {
            self.promotion = None;
        }
        next
    }

    /// Takes the event whose time `next_time` just returned.
    fn take(&mut self, gc_times: &GcTimes) -> Event {
        let place = &mut self.place;
        if self.spans.get(place.at_span).is_some_and(|span| gc_time_is_next(*place, span, gc_times)) {
            place.gc_time += 1;
            Event::Gc(GcTimeId(place.gc_time - 1))
        } else {
            place.row += 1;
            Event::Row(ObjectRow(place.row - 1))
        }
    }

    /// Returns when this row was promoted. Rows must be requested in order.
    fn promotion(&mut self, row: ObjectRow, promotions: &Promotions) -> Option<GcTimeId> {
        let mut at = self.promotion.unwrap_or_else(|| promotions.n_before(row));
        while promotions.get(at).is_some_and(|entry| entry.0 < row) {
            at += 1;
        }
        self.promotion = Some(at);
        promotions.get(at).filter(|entry| entry.0 == row).map(|entry| entry.1)
    }

    /// The first row not taken yet.
    fn row(&self) -> u32 {
        if self.place.at_span < self.spans.len() { self.place.row } else { u32::MAX }
    }
}

/// Returns the next event's time and its segment number, which breaks ties.
fn next_time(place: &mut CursorPlace, spans: &[Span], file: &FileOrder<'_>) -> Option<(u64, usize)> {
    while let Some(span) = spans.get(place.at_span) {
        place.row = place.row.max(span.first_row);
        place.gc_time = place.gc_time.max(span.first_gc_time);
        if gc_time_is_next(*place, span, file.gc_times) {
            return Some((file.gc_times.time_us(GcTimeId(place.gc_time)), span.number));
        }
        if place.row < span.end_row {
            return Some((file.columns.alloc_us(ObjectRow(place.row)), span.number));
        }
        place.at_span += 1;
    }
    None
}

fn gc_time_is_next(place: CursorPlace, span: &Span, gc_times: &GcTimes) -> bool {
    place.gc_time < span.end_gc_time && gc_times.rows_before(GcTimeId(place.gc_time)) <= place.row
}
