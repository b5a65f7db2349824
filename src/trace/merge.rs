//! Domains are merged by time once, after loading.
//!
//! Packets of different domains interleave in the file with times that are monotone per domain only. Here their
//! segments are merged into one order of rows and moments, ties in file order; the chunks of the old columns are given
//! back as soon as the merge has passed them, so that both are never in memory whole.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::FxHashMap;

use super::columns::Columns;
use super::ids::{MomentId, ObjectRow};
use super::moments::Moments;
use super::promotions::Promotions;

/// A stretch of the file that one domain wrote; it ends where the next begins.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub domain: u16,
    pub first_row: u32,
    pub first_moment: u32,
}

/// How often to look for chunks that can be given back.
const ROWS_A_LOOK: usize = 1 << 16;

/// Puts rows and moments into the order of their times. `promotions` are by row.
pub fn merge_by_time(
    mut old: Columns,
    old_moments: Moments,
    promotions: &Promotions,
    segments: &[Segment],
) -> (Columns, Moments, Promotions) {
    // Put in one by one: collecting would bring a sort of its own into the page.
    let mut ids = BTreeSet::new();
    ids.extend(segments.iter().map(|segment| segment.domain));
    let mut merged = Columns::of_domains(ids.into_iter().collect());
    let mut moments = Moments::default();
    let mut renamed = vec![MomentId::NEVER; old_moments.len()];
    let mut promoted = Promotions::default();

    let mut cursors = cursors(&old, &old_moments, segments);
    let mut heap: BinaryHeap<Reverse<(u64, usize, usize)>> = BinaryHeap::new();
    for (which, cursor) in cursors.iter_mut().enumerate() {
        if let Some((time_us, segment)) = cursor.next_time(&old, &old_moments) {
            heap.push(Reverse((time_us, segment, which)));
        }
    }
    let mut last_us = 0;
    let mut next_look = ROWS_A_LOOK;
    while let Some(mut first) = heap.peek_mut() {
        let Reverse((time_us, _, which)) = *first;
        let cursor = &mut cursors[which];
        last_us = time_us.max(last_us);
        match cursor.take(&old_moments) {
            Next::Moment(moment) => {
                renamed[moment.0 as usize] = MomentId(moments.len() as u32);
                moments.push(last_us, &mut merged);
            }
            Next::Row(row) => {
                let mut read = old.get(row);
                read.alloc_us = last_us;
                merged.begin_domain(cursor.domain);
                let to = merged.push(&read);
                if read.promoted
                    && let Some(moment) = cursor.promotion(row, promotions)
                {
                    promoted.push(to, moment, merged.blocks());
                }
            }
        }
        // In its place, since one domain often goes on for long.
        match cursor.next_time(&old, &old_moments) {
            Some((time_us, segment)) => *first = Reverse((time_us, segment, which)),
            None => drop(PeekMut::pop(first)),
        }
        if merged.len() >= next_look {
            next_look = merged.len() + ROWS_A_LOOK;
            let passed = cursors.iter().map(Cursor::row).min().unwrap_or(0);
            old.give_before(ObjectRow(passed), &mut merged);
        }
    }
    for row in (0..merged.len() as u32).map(ObjectRow) {
        let end = merged.end(row);
        if end != MomentId::NEVER {
            merged.rename_end(row, renamed[end.0 as usize]);
        }
    }
    promoted.rename(|moment| renamed[moment.0 as usize]);
    (merged, moments, promoted)
}

/// One domain's place in the file.
struct Cursor {
    domain: u16,
    /// (number in the file, rows, moments) of each of its segments.
    spans: Vec<Span>,
    at_span: usize,
    row: u32,
    moment: u32,
    /// No promotion before this one is of the span's rows to come; unknown where a span begins.
    promotion: Option<usize>,
}

#[derive(Clone, Copy)]
struct Span {
    number: usize,
    first_row: u32,
    end_row: u32,
    first_moment: u32,
    end_moment: u32,
}

enum Next {
    Row(ObjectRow),
    Moment(MomentId),
}

fn cursors(columns: &Columns, moments: &Moments, segments: &[Segment]) -> Vec<Cursor> {
    let mut which: FxHashMap<u16, usize> = FxHashMap::default();
    let mut cursors: Vec<Cursor> = Vec::new();
    for (number, segment) in segments.iter().enumerate() {
        let next = segments.get(number + 1);
        let span = Span {
            number,
            first_row: segment.first_row,
            end_row: next.map_or(columns.len() as u32, |next| next.first_row),
            first_moment: segment.first_moment,
            end_moment: next.map_or(moments.len() as u32, |next| next.first_moment),
        };
        if span.first_row == span.end_row && span.first_moment == span.end_moment {
            continue;
        }
        let at = *which.entry(segment.domain).or_insert_with(|| {
            cursors.push(Cursor {
                domain: segment.domain,
                spans: Vec::new(),
                at_span: 0,
                row: span.first_row,
                moment: span.first_moment,
                promotion: None,
            });
            cursors.len() - 1
        });
        cursors[at].spans.push(span);
    }
    cursors
}

impl Cursor {
    /// The next event's time, and the number of its segment in the file, which breaks ties.
    fn next_time(&mut self, columns: &Columns, moments: &Moments) -> Option<(u64, usize)> {
        while let Some(span) = self.spans.get(self.at_span) {
            if self.moment_is_next(span, moments) {
                return Some((moments.time_us(MomentId(self.moment)), span.number));
            }
            if self.row < span.end_row {
                return Some((columns.alloc_us(ObjectRow(self.row)), span.number));
            }
            self.at_span += 1;
            if let Some(next) = self.spans.get(self.at_span) {
                (self.row, self.moment, self.promotion) = (next.first_row, next.first_moment, None);
            }
        }
        None
    }

    /// Takes the event whose time was just told.
    fn take(&mut self, moments: &Moments) -> Next {
        let is_moment = self.spans.get(self.at_span).is_some_and(|span| self.moment_is_next(span, moments));
        if is_moment {
            self.moment += 1;
            Next::Moment(MomentId(self.moment - 1))
        } else {
            self.row += 1;
            Next::Row(ObjectRow(self.row - 1))
        }
    }

    /// When this row was promoted. Rows are asked for in their order.
    fn promotion(&mut self, row: ObjectRow, promotions: &Promotions) -> Option<MomentId> {
        let mut at = self.promotion.unwrap_or_else(|| promotions.n_before(row));
        while promotions.get(at).is_some_and(|entry| entry.0 < row) {
            at += 1;
        }
        self.promotion = Some(at);
        promotions.get(at).filter(|entry| entry.0 == row).map(|entry| entry.1)
    }

    fn moment_is_next(&self, span: &Span, moments: &Moments) -> bool {
        self.moment < span.end_moment && moments.rows_before(MomentId(self.moment)) <= self.row
    }

    /// The first row not taken yet.
    fn row(&self) -> u32 {
        if self.at_span < self.spans.len() { self.row } else { u32::MAX }
    }
}
