//! The events of one packet. Decoding is generic over the [`Sink`], so that the model, the totals and the walk that
//! benches measure against all run the same loop, each compiled for itself.

use super::backtrace::{Backtraces, CodeId, Codes, Stack, StackNode};
use super::error::BadEvent;
use super::info::Info;
use super::limits::{MAX_BLOCK_SAMPLES, MAX_BLOCK_WORDS, MAX_PACKET_SPAN_US};
use super::location::{Location, LocationTables};
use super::packet::{EventClock, Header};
use super::reader::Reader;
use super::salvage::{WarningKind, Warnings};

/// Takes what a trace says, in file order. Times are µs since the trace's start and never fall within a domain.
pub trait Sink {
    /// Once, before anything else.
    fn info(&mut self, _info: &Info) {}
    /// A packet of the trace's own process begins; its events follow.
    fn packet(&mut self, _domain: u16, _offset: u64) {}
    /// What a location code stands for, outermost first; may be empty. Comes before the code's first use, mostly.
    fn location(&mut self, _code: CodeId, _frames: &[Location]) {}
    /// Names the stack that goes from `parent` on to `code`. Asked again, it may give another name to the same stack.
    fn child(&mut self, parent: StackNode, code: CodeId) -> StackNode;
    fn alloc(&mut self, alloc: &Alloc, stack: Stack);
    fn promote(&mut self, time_us: u64, id: ObjectId);
    fn collect(&mut self, time_us: u64, id: ObjectId);
    /// Between packets: the sink may rename its stacks, and with them those of the paths that the decoder is on.
    fn make_room(&mut self, _paths: &mut [&mut [StackNode]]) {}
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alloc {
    pub id: ObjectId,
    pub time_us: u64,
    pub domain: u16,
    /// The block's size, header excluded.
    pub length_words: u64,
    /// How many of its words (header included) were sampled.
    pub n_samples: u32,
    pub source: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    Minor,
    Major,
    External,
}

/// One domain's decoder state.
#[derive(Debug)]
pub struct DomainState {
    pub id: u16,
    pub backtraces: Backtraces,
    pub tables: LocationTables,
    /// The time of its last event, µs since the epoch: times never fall.
    pub last_us: u64,
    /// The packet that used it last, for making room.
    pub last_packet: u64,
}

impl DomainState {
    pub fn new(id: u16) -> DomainState {
        DomainState { id, backtraces: Backtraces::new(), tables: LocationTables::default(), last_us: 0, last_packet: 0 }
    }

    /// Part of the trace is missing: what the writer's tables hold is no longer known.
    pub fn forget(&mut self) {
        self.backtraces.forget();
        self.tables.forget();
    }
}

/// What all packets of a trace share.
#[derive(Debug)]
pub struct Shared {
    pub codes: Codes,
    pub warnings: Warnings,
    pub start_us: u64,
    pub version: u16,
    /// Latest event of all, µs since the epoch.
    pub last_event_us: u64,
    pub n_events: u64,
    /// Room for the frames of one location event, kept between them.
    pub frames: Vec<Location>,
}

/// Where a packet's events broke off, counted from the packet's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenOff {
    pub at: usize,
    pub why: BadEvent,
}

const CODE_INFO: u32 = 0;
const CODE_LOCATION: u32 = 1;
const CODE_ALLOC: u32 = 2;
const CODE_PROMOTE: u32 = 3;
const CODE_COLLECT: u32 = 4;
const CODE_SHORT_ALLOC_MIN: u32 = 101;
const CODE_SHORT_ALLOC_MAX: u32 = 116;

/// Decodes a packet's body; `body_offset` is where it lies in the file.
pub fn decode<S: Sink>(
    body: &[u8],
    header: &Header,
    body_offset: u64,
    shared: &mut Shared,
    domain: &mut DomainState,
    sink: &mut S,
) -> Result<(), BrokenOff> {
    let (begin_us, end_us) = sane_times(header, domain.last_us);
    let clock = EventClock::new(begin_us);
    let start_us = shared.start_us;
    let mut next_id = header.alloc_id_begin;
    let mut last_us = domain.last_us;
    let mut steps_back = 0;
    let mut overruns = 0;
    let mut negative_promotes = 0;
    let mut n_events = 0;
    let mut r = Reader::new(body);

    let broken_off = loop {
        let at = body.len() - r.left();
        if r.left() == 0 {
            break None;
        }
        let result = (|| {
            let word = r.u32()?;
            let code = word >> EventClock::LOW_BITS;
            let told_us = clock.time(word);
            // A step back of the clock, or a damaged time: the order of events is worth more than their clock.
            let time_us = told_us.min(end_us).max(last_us);
            steps_back += u64::from(time_us != told_us);
            last_us = time_us;
            let since_start = time_us.saturating_sub(start_us);
            match code {
                CODE_SHORT_ALLOC_MIN..=CODE_SHORT_ALLOC_MAX => {
                    let common_prefix = r.vint()?;
                    let n = usize::from(r.u8()?);
                    let stack =
                        domain.backtraces.read(&mut r, common_prefix, n, &mut shared.codes, &mut overruns, sink)?;
                    let alloc = Alloc {
                        id: ObjectId(next_id),
                        time_us: since_start,
                        domain: header.domain,
                        length_words: u64::from(code - (CODE_SHORT_ALLOC_MIN - 1)),
                        n_samples: 1,
                        source: Source::Minor,
                    };
                    next_id = next_id.wrapping_add(1);
                    sink.alloc(&alloc, stack);
                }
                CODE_COLLECT => {
                    let delta = r.vint()?;
                    sink.collect(since_start, ObjectId(next_id.wrapping_sub(1).wrapping_sub(delta)));
                }
                CODE_PROMOTE => {
                    let delta = r.vint()?;
                    negative_promotes += delta >> 63;
                    sink.promote(since_start, ObjectId(next_id.wrapping_sub(1).wrapping_sub(delta)));
                }
                CODE_ALLOC => {
                    let length_words = r.vint()?;
                    let n_samples = r.vint()?;
                    let source = match r.u8()? {
                        0 => Source::Minor,
                        1 => Source::Major,
                        2 => Source::External,
                        other => return Err(BadEvent::UnknownSource(other)),
                    };
                    if length_words > MAX_BLOCK_WORDS {
                        return Err(BadEvent::AbsurdLength(length_words));
                    }
                    if n_samples > MAX_BLOCK_SAMPLES {
                        return Err(BadEvent::AbsurdSamples(n_samples));
                    }
                    let common_prefix = r.vint()?;
                    let n = usize::from(r.u16()?);
                    let stack =
                        domain.backtraces.read(&mut r, common_prefix, n, &mut shared.codes, &mut overruns, sink)?;
                    let alloc = Alloc {
                        id: ObjectId(next_id),
                        time_us: since_start,
                        domain: header.domain,
                        length_words,
                        n_samples: n_samples as u32,
                        source,
                    };
                    next_id = next_id.wrapping_add(1);
                    sink.alloc(&alloc, stack);
                }
                CODE_LOCATION => read_location(&mut r, body_offset + at as u64, shared, &mut domain.tables, sink)?,
                // Only the first packet's counts, and that one was read when the trace was opened.
                CODE_INFO => drop(Info::read(&mut r, shared.version, start_us)?),
                other => return Err(BadEvent::UnknownCode(other as u8)),
            }
            if code >= CODE_ALLOC {
                n_events += 1;
            }
            Ok(())
        })();
        if let Err(why) = result {
            break Some(BrokenOff { at, why });
        }
    };

    domain.last_us = last_us;
    shared.n_events += n_events;
    if n_events > 0 {
        shared.last_event_us = shared.last_event_us.max(last_us);
    }
    shared.warnings.add(WarningKind::ClockStep, steps_back, 0, body_offset);
    shared.warnings.add(WarningKind::CutStack, overruns, 0, body_offset);
    shared.warnings.add(WarningKind::NegativePromote, negative_promotes, 0, body_offset);
    if broken_off.is_none() && next_id != header.alloc_id_end {
        shared.warnings.add(WarningKind::MiscountedIds, 1, 0, body_offset);
    }
    broken_off.map_or(Ok(()), Err)
}

/// The packet's begin and end; where they cannot both be right, the one nearer to the last event counts.
pub fn sane_times(header: &Header, last_us: u64) -> (u64, u64) {
    let (begin, end) = (header.time_begin, header.time_end);
    if end < begin && begin - end <= MAX_PACKET_SPAN_US {
        return (begin, begin);
    }
    if end.abs_diff(begin) <= MAX_PACKET_SPAN_US {
        return (begin, end);
    }
    if begin.abs_diff(last_us) <= end.abs_diff(last_us) {
        (begin, begin.saturating_add(MAX_PACKET_SPAN_US))
    } else {
        (end.saturating_sub(MAX_PACKET_SPAN_US - 1), end)
    }
}

#[cold]
fn read_location<S: Sink>(
    r: &mut Reader<'_>,
    offset: u64,
    shared: &mut Shared,
    tables: &mut LocationTables,
    sink: &mut S,
) -> Result<(), BadEvent> {
    let code = r.u64()?;
    let n = r.u8()?;
    shared.frames.clear();
    let mut dangling = 0;
    for _ in 0..n {
        shared.frames.push(tables.read(r, &mut dangling)?);
    }
    shared.warnings.add(WarningKind::DanglingName, dangling, 0, offset);
    let id = shared.codes.intern(code);
    sink.location(id, &shared.frames);
    Ok(())
}
