//! The decoded events in time order, one page at a time, for debugging and scripts.
//!
//! The model has no list of events. An object's row has its allocation time, and its end is a [`GcTimeId`].
//! [`EventIndex`] inverts this once, so a binary search finds any page among tens of millions of events.

mod index;

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use self::index::List;
pub use self::index::{EventIndex, EventRef};
use super::from_name::from_name;
use super::label::{NO_FRAME, address_of_code, frames_of};
use super::tree::{Label, Place};
use crate::trace::{GcTimeId, ObjectRow, StackId, Trace};
use camlscope_formats::ctf::{AllocSource, CodeId};

/// Returns the events from `config.start` on.
pub fn events(trace: &Trace, index: &EventIndex, config: EventsConfig) -> EventsPage {
    let list = List { index, kind: config.kind };
    let total = list.len();
    let first = list.number_of(trace, config.start).min(total);
    let end = total.min(first.saturating_add(config.limit));
    let mut codes = Vec::new();
    let read = |number| list.at(number).map(|event| describe(trace, number, event, config.max_frames, &mut codes));
    let events: Vec<Event> = (first..end).filter_map(read).collect();
    let mut life = |event: &Event| life(trace, ObjectRow(event.object), config.max_frames, &mut codes);
    let lives = if config.lives { events.iter().map(&mut life).collect() } else { Vec::new() };
    EventsPage { total, first, events, lives }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventsConfig {
    pub start: Start,
    /// Events per page.
    pub limit: u64,
    /// The maximum number of location codes per stack, counted from the innermost. A stack may have tens of thousands.
    pub max_frames: usize,
    /// Lists and numbers only events of this kind.
    pub kind: Option<Kind>,
    /// Whether to include the life of each event's object.
    pub lives: bool,
}

/// Where a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// The event with this number, from 0.
    Event(u64),
    /// The first event at this time or later, µs since the trace's start.
    Time(u64),
    /// The allocation of this object, or of the next selected one.
    Object(u32),
    /// The event of this kind for this object. If it isn't listed, the first event at that time or later.
    Happening(u32, Kind),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventsPage {
    /// The number of events on all pages.
    pub total: u64,
    /// The number of the page's first event.
    pub first: u64,
    pub events: Vec<Event>,
    /// By event. Empty if not requested.
    pub lives: Vec<Life>,
}

/// Everything known about an object. Times are µs since the trace's start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    pub allocated_us: u64,
    pub promoted_us: Option<u64>,
    pub collected_us: Option<u64>,
    /// The innermost frame, which allocated the object.
    pub site: Label,
    pub block: Block,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub number: u64,
    /// µs since the trace's start.
    pub time_us: u64,
    /// Objects are numbered from 0 in the order of their allocation.
    pub object: u32,
    pub kind: Kind,
    /// Only for allocations.
    pub block: Option<Block>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Alloc,
    Promote,
    Collect,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Alloc, Kind::Promote, Kind::Collect];

    /// Returns the name used in JSON and links.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Alloc => "alloc",
            Kind::Promote => "promote",
            Kind::Collect => "collect",
        }
    }
}

from_name!(Kind, Kind::ALL);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    pub samples: u64,
    /// Header excluded.
    pub size_words: u64,
    /// `minor`, `major` or `external`.
    pub source: String,
    pub domain: u16,
    /// The frames from main to the allocation point, separated by spaces: `name@file:line:from-to`, `$` and the address
    /// for code without a location, `<lost frames>` for frames lost to damage, `…` for omitted frames.
    pub stack: String,
}

impl Event {
    /// Formats the event as one line: time in seconds, object, kind, and for an allocation its figures and stack.
    pub fn line(&self) -> String {
        let (seconds, micros) = (self.time_us / 1_000_000, self.time_us % 1_000_000);
        let mut line = format!("{seconds}.{micros:06} {:>9} {}", self.object, self.kind.as_str());
        if let Some(Block { samples, size_words, source, domain, stack }) = &self.block {
            // Writing into a string cannot fail.
            let _ = write!(line, " {source} samples={samples} words={size_words} domain={domain}: {stack}");
        }
        line
    }
}

fn describe(trace: &Trace, number: u64, event: EventRef, max_frames: usize, codes: &mut Vec<CodeId>) -> Event {
    let time_us = event.time_us(trace);
    let (row, kind) = match event {
        EventRef::Alloc(row) => (row, Kind::Alloc),
        EventRef::Promote(row, _) => (row, Kind::Promote),
        EventRef::Collect(row, _) => (row, Kind::Collect),
    };
    let block = (kind == Kind::Alloc).then(|| block(trace, row, max_frames, codes));
    Event { number, time_us, object: row.0, kind, block }
}

fn block(trace: &Trace, row: ObjectRow, max_frames: usize, codes: &mut Vec<CodeId>) -> Block {
    let read = trace.columns.get(row);
    let source = match read.source {
        AllocSource::Minor => "minor",
        AllocSource::Major => "major",
        AllocSource::External => "external",
    };
    Block {
        samples: read.n_samples,
        size_words: read.size_words,
        source: source.to_owned(),
        domain: trace.columns.domain(row),
        stack: stack_text(trace, read.stack, max_frames, codes),
    }
}

fn life(trace: &Trace, row: ObjectRow, max_frames: usize, codes: &mut Vec<CodeId>) -> Life {
    let time_us = |gc_time: GcTimeId| trace.gc_times.time_us(gc_time);
    let end = trace.columns.end(row);
    Life {
        allocated_us: trace.columns.alloc_us(row),
        promoted_us: trace.promotions.of(row).map(time_us),
        collected_us: (end != GcTimeId::NEVER).then(|| time_us(end)),
        site: site(trace, trace.columns.get(row).stack),
        block: block(trace, row, max_frames, codes),
    }
}

fn site(trace: &Trace, stack: StackId) -> Label {
    let Some(code) = trace.calls.stacks.frames(stack).next() else {
        return Label { name: NO_FRAME.to_owned(), ..Label::default() };
    };
    let innermost = frames_of(&trace.calls, code).and_then(|frames| frames.last()).filter(|_| code != CodeId::LOST);
    let Some(frame) = innermost else {
        return Label { name: address_of_code(&trace.calls, code), ..Label::default() };
    };
    let function = trace.calls.frames.function(frame.function);
    Label {
        name: trace.calls.frames.text(function.name).to_owned(),
        file: trace.calls.frames.text(function.file).to_owned(),
        place: Some(Place { line: frame.line, start_char: frame.start_char, end_char: frame.end_char }),
    }
}

fn stack_text(trace: &Trace, stack: StackId, max_frames: usize, codes: &mut Vec<CodeId>) -> String {
    codes.clear();
    codes.extend(trace.calls.stacks.frames(stack).take(max_frames.saturating_add(1)));
    let mut text = String::new();
    if codes.len() > max_frames {
        codes.truncate(max_frames);
        text.push('…');
    }
    for &code in codes.iter().rev() {
        let frames = match trace.calls.frames.of_code(code) {
            _ if code == CodeId::LOST => &[],
            frames => frames.unwrap_or_default(),
        };
        for frame in frames {
            separate(&mut text);
            let function = trace.calls.frames.function(frame.function);
            text.push_str(trace.calls.frames.text(function.name));
            text.push('@');
            text.push_str(trace.calls.frames.text(function.file));
            // Writing into a string cannot fail.
            let _ = write!(text, ":{}:{}-{}", frame.line, frame.start_char, frame.end_char);
        }
        if frames.is_empty() {
            separate(&mut text);
            text.push_str(&address_of_code(&trace.calls, code));
        }
    }
    text
}

fn separate(text: &mut String) {
    if !text.is_empty() {
        text.push(' ');
    }
}
