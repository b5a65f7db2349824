//! The decoded events one by one, in time order, for doubts and for scripts: a page of them at a time.
//!
//! The model keeps no list of events: an object's row says when it began, and its end is a moment. [`EventIndex`] turns
//! that around once, so that any page of tens of millions of events is found by a binary search.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::label::name_of_code;
use super::selection::Selection;
use crate::ctf::{CodeId, Source};
use crate::trace::{MomentId, ObjectRow, StackId, Trace};

/// The events from `config.start` on.
pub fn events(trace: &Trace, index: &EventIndex, config: EventsConfig) -> EventsPage {
    let first = index.number_of(trace, config.start).min(index.len());
    let end = index.len().min(first.saturating_add(config.limit));
    let mut codes = Vec::new();
    let read = |number| index.at(number).map(|event| describe(trace, number, event, config.max_frames, &mut codes));
    EventsPage { total: index.len(), first, events: (first..end).filter_map(read).collect() }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventsConfig {
    pub start: Start,
    /// Events a page.
    pub limit: u64,
    /// Location codes of a stack that are told, the innermost ones: a stack may have tens of thousands.
    pub max_frames: usize,
}

/// Where a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// The event of this number, from 0.
    Event(u64),
    /// The first event at this time or later, µs since the trace's start.
    Time(u64),
    /// The allocation of this object, or of the next one that was selected.
    Object(u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventsPage {
    /// Events in all, whatever the page.
    pub total: u64,
    /// The number of the page's first event.
    pub first: u64,
    pub events: Vec<Event>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub number: u64,
    /// µs since the trace's start.
    pub time_us: u64,
    /// Objects are numbered from 0 in the order of their allocation.
    pub object: u32,
    pub kind: Kind,
    /// Of an allocation only.
    pub block: Option<Block>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Alloc,
    Promote,
    Collect,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    pub samples: u32,
    /// Header excluded.
    pub size_words: u64,
    /// `minor`, `major` or `external`.
    pub source: String,
    pub domain: u16,
    /// From main to the allocation point, one frame after the other: `name@file:line:from-to`, `$` and the address
    /// where no position is known, `<lost frames>` where damage took them, `…` for those that were left out.
    pub stack: String,
}

impl Event {
    /// One line: time in seconds, object, what happened, and for an allocation its figures and stack.
    pub fn line(&self) -> String {
        let (seconds, micros) = (self.time_us / 1_000_000, self.time_us % 1_000_000);
        let kind = match self.kind {
            Kind::Alloc => "alloc",
            Kind::Promote => "promote",
            Kind::Collect => "collect",
        };
        let mut line = format!("{seconds}.{micros:06} {:>9} {kind}", self.object);
        if let Some(Block { samples, size_words, source, domain, stack }) = &self.block {
            // Writing into a string cannot fail.
            let _ = write!(line, " {source} samples={samples} words={size_words} domain={domain}: {stack}");
        }
        line
    }
}

/// The order of all events of the selected objects.
#[derive(Debug)]
pub struct EventIndex {
    /// The selected rows, ascending; none if all are.
    selected: Option<Vec<ObjectRow>>,
    n_rows: u32,
    /// The moments at which anything happened to a selected object, in order.
    steps: Vec<Step>,
    /// By moment, then by row.
    promoted: Vec<ObjectRow>,
    ended: Vec<ObjectRow>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    moment: MomentId,
    /// Selected rows, and entries of `promoted` and `ended`, before this moment.
    rows_before: u32,
    promoted_before: u32,
    ended_before: u32,
}

/// An event by what the model calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRef {
    Alloc(ObjectRow),
    Promote(ObjectRow, MomentId),
    Collect(ObjectRow, MomentId),
}

impl EventIndex {
    /// Takes one pass over the objects, and room for a number for each of their promotions and ends.
    pub fn new(trace: &Trace, selection: &Selection) -> EventIndex {
        let selected = (!selection.is_all()).then(|| {
            let mut rows = Vec::with_capacity(selection.len());
            selection.for_each(&trace.columns, |chunk, place| rows.push(ObjectRow(chunk.first() + place as u32)));
            rows
        });
        let n_rows = selection.len() as u32;
        let row_at = |rank: u32| selected.as_ref().map_or(ObjectRow(rank), |rows| rows[rank as usize]);

        let promotions = || trace.promotions.iter().filter(|&(row, _)| selection.contains(row));
        let ends = || (0..n_rows).map(row_at).map(|row| (row, trace.columns.end(row)));
        let (promoted, promoted_before) = by_moment(trace, promotions);
        let (ended, ended_before) = by_moment(trace, ends);

        let mut steps = Vec::new();
        let mut rows_before = 0;
        for moment in 0..trace.moments.len() {
            let is_idle = promoted_before[moment] == promoted_before[moment + 1]
                && ended_before[moment] == ended_before[moment + 1];
            if is_idle {
                continue;
            }
            let id = MomentId(moment as u32);
            let limit = trace.moments.rows_before(id);
            match &selected {
                None => rows_before = limit,
                Some(rows) => {
                    rows_before += rows[rows_before as usize..].partition_point(|row| row.0 < limit) as u32;
                }
            }
            let (promoted_before, ended_before) = (promoted_before[moment], ended_before[moment]);
            steps.push(Step { moment: id, rows_before, promoted_before, ended_before });
        }
        EventIndex { selected, n_rows, steps, promoted, ended }
    }

    /// How many events there are.
    pub fn len(&self) -> u64 {
        u64::from(self.n_rows) + self.promoted.len() as u64 + self.ended.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The event of this number.
    pub fn at(&self, number: u64) -> Option<EventRef> {
        if number >= self.len() {
            return None;
        }
        let next = self.steps.partition_point(|step| step.events_before() <= number);
        let Some(at) = next.checked_sub(1) else {
            return Some(EventRef::Alloc(self.row(number as u32)));
        };
        let step = self.steps[at];
        let (promoted_end, ended_end) = self.ends_of(at);
        let place = (number - step.events_before()) as u32;
        let n_promoted = promoted_end - step.promoted_before;
        let n_ended = ended_end - step.ended_before;
        Some(if place < n_promoted {
            EventRef::Promote(self.promoted[(step.promoted_before + place) as usize], step.moment)
        } else if place < n_promoted + n_ended {
            EventRef::Collect(self.ended[(step.ended_before + place - n_promoted) as usize], step.moment)
        } else {
            EventRef::Alloc(self.row(step.rows_before + place - n_promoted - n_ended))
        })
    }

    /// All events in order: quicker than asking for one after the other.
    pub fn iter(&self) -> impl Iterator<Item = EventRef> + '_ {
        let rows_between = move |from: u32, to: u32| (from..to).map(move |rank| EventRef::Alloc(self.row(rank)));
        let mut row = 0;
        let at_steps = self.steps.iter().enumerate().flat_map(move |(at, step)| {
            let (promoted_end, ended_end) = self.ends_of(at);
            let rows = rows_between(std::mem::replace(&mut row, step.rows_before), step.rows_before);
            let promoted = &self.promoted[step.promoted_before as usize..promoted_end as usize];
            let ended = &self.ended[step.ended_before as usize..ended_end as usize];
            let promotes = promoted.iter().map(|&row| EventRef::Promote(row, step.moment));
            rows.chain(promotes).chain(ended.iter().map(|&row| EventRef::Collect(row, step.moment)))
        });
        let last = self.steps.last().map_or(0, |step| step.rows_before);
        at_steps.chain(rows_between(last, self.n_rows))
    }

    /// Where `promoted` and `ended` go on behind a step.
    fn ends_of(&self, at: usize) -> (u32, u32) {
        let ends = (self.promoted.len() as u32, self.ended.len() as u32);
        self.steps.get(at + 1).map_or(ends, |next| (next.promoted_before, next.ended_before))
    }

    fn row(&self, rank: u32) -> ObjectRow {
        self.selected.as_ref().map_or(ObjectRow(rank), |rows| rows[rank as usize])
    }

    fn number_of(&self, trace: &Trace, start: Start) -> u64 {
        match start {
            Start::Event(number) => number,
            Start::Time(time_us) => {
                let is_earlier = |number| self.at(number).is_some_and(|event| event.time_us(trace) < time_us);
                first_not(self.len(), is_earlier)
            }
            Start::Object(object) => {
                let rank = match &self.selected {
                    None => object.min(self.n_rows),
                    Some(rows) => rows.partition_point(|row| row.0 < object) as u32,
                };
                let steps = self.steps.partition_point(|step| step.rows_before <= rank);
                let (promoted, ended) = steps.checked_sub(1).map_or((0, 0), |at| self.ends_of(at));
                u64::from(rank) + u64::from(promoted) + u64::from(ended)
            }
        }
    }
}

impl Step {
    fn events_before(&self) -> u64 {
        u64::from(self.rows_before) + u64::from(self.promoted_before) + u64::from(self.ended_before)
    }
}

impl EventRef {
    pub fn time_us(self, trace: &Trace) -> u64 {
        match self {
            EventRef::Alloc(row) => trace.columns.alloc_us(row),
            EventRef::Promote(_, moment) | EventRef::Collect(_, moment) => trace.moments.time_us(moment),
        }
    }
}

/// Rows sorted by moment, ties by row; and for each moment, and behind the last, how many come before it.
fn by_moment<I>(trace: &Trace, entries: impl Fn() -> I) -> (Vec<ObjectRow>, Vec<u32>)
where
    I: Iterator<Item = (ObjectRow, MomentId)>,
{
    let mut before = vec![0u32; trace.moments.len() + 1];
    let mut n = 0;
    for (_, moment) in entries().filter(|&(_, moment)| moment != MomentId::NEVER) {
        before[moment.0 as usize] += 1;
        n += 1;
    }
    let mut sum = 0;
    for count in &mut before {
        sum += std::mem::replace(count, sum);
    }
    let mut sorted = vec![ObjectRow(0); n];
    for (row, moment) in entries().filter(|&(_, moment)| moment != MomentId::NEVER) {
        let place = &mut before[moment.0 as usize];
        sorted[*place as usize] = row;
        *place += 1;
    }
    // Each place has moved on to where the next moment begins.
    before.rotate_right(1);
    before[0] = 0;
    (sorted, before)
}

/// The first number below `len` for which `holds` does not, if it holds for none behind it.
fn first_not(len: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

fn describe(trace: &Trace, number: u64, event: EventRef, max_frames: usize, codes: &mut Vec<CodeId>) -> Event {
    let time_us = event.time_us(trace);
    let (row, kind) = match event {
        EventRef::Alloc(row) => (row, Kind::Alloc),
        EventRef::Promote(row, _) => (row, Kind::Promote),
        EventRef::Collect(row, _) => (row, Kind::Collect),
    };
    let block = (kind == Kind::Alloc).then(|| {
        let read = trace.columns.get(row);
        let source = match read.source {
            Source::Minor => "minor",
            Source::Major => "major",
            Source::External => "external",
        };
        Block {
            samples: read.n_samples,
            size_words: read.size_words,
            source: source.to_owned(),
            domain: trace.columns.domain(row),
            stack: stack_text(trace, read.stack, max_frames, codes),
        }
    });
    Event { number, time_us, object: row.0, kind, block }
}

fn stack_text(trace: &Trace, stack: StackId, max_frames: usize, codes: &mut Vec<CodeId>) -> String {
    codes.clear();
    codes.extend(trace.stacks.frames(stack).take(max_frames.saturating_add(1)));
    let mut text = String::new();
    if codes.len() > max_frames {
        codes.truncate(max_frames);
        text.push('…');
    }
    for &code in codes.iter().rev() {
        let frames = match trace.frames.of_code(code) {
            _ if code == CodeId::LOST => &[],
            frames => frames.unwrap_or_default(),
        };
        for frame in frames {
            separate(&mut text);
            let function = trace.frames.function(frame.function);
            text.push_str(trace.frames.text(function.name));
            text.push('@');
            text.push_str(trace.frames.text(function.file));
            // Writing into a string cannot fail.
            let _ = write!(text, ":{}:{}-{}", frame.line, frame.start_char, frame.end_char);
        }
        if frames.is_empty() {
            separate(&mut text);
            text.push_str(&name_of_code(trace, code));
        }
    }
    text
}

fn separate(text: &mut String) {
    if !text.is_empty() {
        text.push(' ');
    }
}
