//! The events of one packet. Decoding is generic over the [`Sink`], so that the model, the totals and the baseline of
//! the benchmarks all run the same loop, compiled separately for each.

use super::backtrace::Coded;
use super::codes::Codes;
use super::domain_state::DomainState;
use super::error::BadEvent;
use super::info::Info;
use super::limits::{MANY_SAMPLES, MAX_OCAML_INT, MAX_PACKET_SPAN_US, MAX_TRACE_SAMPLES};
use super::location::{Location, LocationTables};
use super::packet::{EventClock, Header};
use super::reader::Reader;
use super::salvage::{WarningKind, Warnings};
use super::sink::{Alloc, AllocSource, ObjectId, Sink};

/// State shared by all packets of a trace.
#[derive(Debug)]
pub struct Shared {
    pub codes: Codes,
    pub warnings: Warnings,
    pub start_us: u64,
    pub version: u16,
    /// The latest event of all, in µs since the epoch.
    pub last_event_us: u64,
    pub n_events: u64,
    /// Samples of events that have [`MANY_SAMPLES`], at most [`MAX_TRACE_SAMPLES`] in total.
    pub n_many_samples: u64,
    /// A reusable buffer for the frames of a location event.
    pub frames: Vec<Location>,
}

/// Where a packet's events became unreadable, relative to the packet's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenOff {
    pub at: usize,
    pub why: BadEvent,
}

pub(super) const CODE_INFO: u32 = 0;
pub(super) const CODE_LOCATION: u32 = 1;
pub(super) const CODE_ALLOC: u32 = 2;
pub(super) const CODE_PROMOTE: u32 = 3;
pub(super) const CODE_COLLECT: u32 = 4;
pub(super) const CODE_SHORT_ALLOC_MIN: u32 = 101;
pub(super) const CODE_SHORT_ALLOC_MAX: u32 = 116;

/// Decodes a packet's body. `body_offset` is its offset in the file.
pub fn decode<S: Sink>(
    body: &[u8],
    header: &Header,
    body_offset: u64,
    shared: &mut Shared,
    domain: &mut DomainState,
    sink: &mut S,
) -> Result<(), BrokenOff> {
    let (begin_us, end_us) = sane_times(header, domain.last_us);
    let mut clock = EventClock::new(begin_us, end_us, domain.last_us);
    let (clock_begin_us, start_us) = (clock.begin_us(), shared.start_us);
    let mut next_id = header.alloc_id_begin;
    let mut counts = Counts::default();
    let mut burst = [ObjectId(0); BURST];
    let mut r = Reader::new(body);
    if !sink.wants_every_stack() {
        domain.backtraces.let_sink_choose();
    }

    let broken_off = loop {
        let left = r.left();
        // Leaves the loop at an unreadable event.
        macro_rules! or_break {
            ($read:expr) => {
                match $read {
                    Ok(value) => value,
                    Err(why) => break Some(BrokenOff { at: body.len() - left, why: BadEvent::from(why) }),
                }
            };
        }
        if left == 0 {
            break None;
        }
        let word = or_break!(r.u32());
        let time_us = clock_begin_us.saturating_add(u64::from(clock.tick(word))).saturating_sub(start_us);
        match word >> EventClock::LOW_BITS {
            // One branch for both forms, so that the code after it is inlined into the loop.
            code @ (CODE_SHORT_ALLOC_MIN..=CODE_SHORT_ALLOC_MAX | CODE_ALLOC) => {
                let peeked = if code == CODE_ALLOC {
                    AllocFields::peek_long(&mut r)
                } else {
                    AllocFields::peek_short(&mut r, code)
                };
                let block = match peeked {
                    Some(block) => block,
                    None => or_break!(r.aside(|r| AllocFields::read(r, code, &mut shared.n_many_samples))),
                };
                let coded = Coded {
                    id: ObjectId(next_id),
                    n_samples: block.n_samples,
                    common_prefix: block.common_prefix,
                    n_codes: block.n_codes,
                };
                let stack = domain.backtraces.read(&mut r, coded, &mut shared.codes, &mut counts.overruns, sink);
                let alloc = Alloc {
                    id: ObjectId(next_id),
                    time_us,
                    domain: header.domain,
                    length_words: block.length_words,
                    n_samples: block.n_samples,
                    source: block.source,
                };
                sink.alloc(&alloc, or_break!(stack));
                next_id = next_id.wrapping_add(1);
            }
            CODE_COLLECT => {
                let newest = next_id.wrapping_sub(1);
                burst[0] = ObjectId(newest.wrapping_sub(or_break!(r.vint())));
                let mut n = 1;
                while n < BURST
                    && clock.is_at(word)
                    && let Some(delta) = next_alike(&mut r, word)
                {
                    burst[n] = ObjectId(newest.wrapping_sub(delta));
                    n += 1;
                }
                sink.collect_all(time_us, &burst[..n]);
                counts.events += n as u64 - 1;
            }
            CODE_PROMOTE => {
                let delta = or_break!(r.vint());
                counts.negative_promotes += delta >> 63;
                sink.promote(time_us, ObjectId(next_id.wrapping_sub(1).wrapping_sub(delta)));
            }
            CODE_LOCATION => {
                let offset = body_offset + (body.len() - left) as u64;
                or_break!(r.aside(|r| read_location(r, offset, shared, &mut domain.tables, sink)));
                continue;
            }
            // Only the first packet's info counts, and it was read when the trace was opened.
            CODE_INFO => {
                or_break!(r.aside(|r| Info::read(r, shared.version, shared.start_us)));
                continue;
            }
            other => or_break!(Err(BadEvent::UnknownCode(other as u8))),
        }
        counts.events += 1;
    };

    shared.n_events += counts.events;
    // Locations have the time at which they are written, which may be after the events that need them.
    if counts.events > 0 {
        domain.last_us = clock.last_us();
        shared.last_event_us = shared.last_event_us.max(domain.last_us);
    }
    let warnings = &mut shared.warnings;
    warnings.add(WarningKind::ClockStep, clock.n_stepped(), 0, body_offset);
    warnings.add(WarningKind::CutStack, counts.overruns, 0, body_offset);
    warnings.add(WarningKind::NegativePromote, counts.negative_promotes, 0, body_offset);
    if broken_off.is_none() && next_id != header.alloc_id_end {
        warnings.add(WarningKind::MiscountedIds, 1, 0, body_offset);
    }
    broken_off.map_or(Ok(()), Err)
}

/// The most collections to report at once. About ten share a timestamp.
const BURST: usize = 64;

/// Reads what follows the word of the next event, if it is the same word. `None`, without reading anything, if the
/// number is long.
#[inline(always)]
fn next_alike(r: &mut Reader<'_>, word: u32) -> Option<u64> {
    let next = u64::from_le_bytes(r.peek()?);
    let first = (next >> 32) as u8;
    if next as u32 != word || first > 253 {
        return None;
    }
    let is_one_byte = first < 253;
    r.skip(if is_one_byte { 5 } else { 7 });
    Some(if is_one_byte { u64::from(first) } else { next >> 40 & 0xffff })
}

/// Counts for one packet.
#[derive(Default)]
struct Counts {
    events: u64,
    overruns: u64,
    negative_promotes: u64,
}

/// The fields of an allocation, up to its codes.
struct AllocFields {
    length_words: u64,
    n_samples: u64,
    source: AllocSource,
    common_prefix: u64,
    n_codes: usize,
}

impl AllocFields {
    /// Reads the most common form of a small block. `None`, without reading anything, for other forms or near the
    /// packet's end.
    #[inline(always)]
    fn peek_short(r: &mut Reader<'_>, code: u32) -> Option<AllocFields> {
        let next = u32::from_le_bytes(r.peek()?);
        let first = next as u8;
        if first > 253 {
            return None;
        }
        // The length of the prefix is unpredictable in deep stacks, so there are conditional moves instead of branches.
        let is_one_byte = first < 253;
        r.skip(if is_one_byte { 2 } else { 4 });
        let (common_prefix, n_codes) =
            if is_one_byte { (next & 0xff, next >> 8 & 0xff) } else { (next >> 8 & 0xffff, next >> 24) };
        Some(AllocFields {
            length_words: u64::from(code - (CODE_SHORT_ALLOC_MIN - 1)),
            n_samples: 1,
            source: AllocSource::Minor,
            common_prefix: u64::from(common_prefix),
            n_codes: n_codes as usize,
        })
    }

    /// Reads the most common form of other blocks. `None`, without reading anything, for other forms or near the
    /// packet's end.
    #[inline(always)]
    fn peek_long(r: &mut Reader<'_>) -> Option<AllocFields> {
        let mut reader = r.clone();
        let next = u64::from_le_bytes(reader.peek()?);
        let is_one_byte = next as u8 <= 252;
        let length_words = if is_one_byte { next & 0xff } else { next >> 8 & 0xffff };
        let behind = next >> if is_one_byte { 8 } else { 24 };
        let (n_samples, source) = (behind & 0xff, AllocSource::from_number(behind >> 8 & 0xff)?);
        reader.skip(if is_one_byte { 3 } else { 5 });
        let last = u64::from_le_bytes(reader.peek()?);
        if next as u8 > 253 || n_samples > 252 || last as u8 > 253 {
            return None;
        }
        let is_one_byte = last as u8 <= 252;
        let (common_prefix, n_codes) =
            if is_one_byte { (last & 0xff, last >> 8 & 0xffff) } else { (last >> 8 & 0xffff, last >> 24 & 0xffff) };
        reader.skip(if is_one_byte { 3 } else { 5 });
        *r = reader;
        Some(AllocFields { length_words, n_samples, source, common_prefix, n_codes: n_codes as usize })
    }

    #[cold]
    #[inline(never)]
    fn read(r: &mut Reader<'_>, code: u32, n_many_samples: &mut u64) -> Result<AllocFields, BadEvent> {
        if code != CODE_ALLOC {
            let length_words = u64::from(code - (CODE_SHORT_ALLOC_MIN - 1));
            let common_prefix = r.vint()?;
            let n_codes = usize::from(r.u8()?);
            return Ok(AllocFields { length_words, n_samples: 1, source: AllocSource::Minor, common_prefix, n_codes });
        }
        let length_words = r.unsigned_vint()?;
        let n_samples = r.unsigned_vint()?;
        let source = r.u8()?;
        let source = AllocSource::from_number(u64::from(source)).ok_or(BadEvent::UnknownSource(source))?;
        if length_words > MAX_OCAML_INT {
            return Err(BadEvent::AbsurdLength(length_words));
        }
        if n_samples > MANY_SAMPLES {
            let sum = n_many_samples.checked_add(n_samples).filter(|&sum| sum <= MAX_TRACE_SAMPLES);
            *n_many_samples = sum.ok_or(BadEvent::AbsurdSamples(n_samples))?;
        }
        let common_prefix = r.vint()?;
        let n_codes = usize::from(r.u16()?);
        Ok(AllocFields { length_words, n_samples, source, common_prefix, n_codes })
    }
}

/// Returns the packet's begin and end. If they can't both be right, the one closer to the last event wins.
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
#[inline(never)]
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
