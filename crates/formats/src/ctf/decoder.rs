//! The push decoder: chunks of any size in, events out, with recovery after damage.
//!
//! Every decision depends only on the file's bytes: [`Decoder::step`] either consumes bytes or returns how many it
//! needs to see first. So a file decodes the same in chunks of any size. Packets that are complete within a chunk are
//! decoded in place. Only a packet at the end of a chunk is copied.

use super::backtrace::CacheCheck;
use super::codes::Codes;
use super::domain_state::{DomainState, DomainStates, insert_sorted};
use super::error::{LooksLike, Refusal};
use super::event::{Shared, decode, sane_times};
use super::info::Info;
use super::limits::{MAX_HEADER_BYTES, MAX_SEARCH_FOR_INFO_BYTES};
use super::packet::{Header, Identity, MAGIC};
use super::salvage::{Warning, WarningKind, Warnings, find_packet};
use super::sink::Sink;
use super::sniff::{SNIFF_BYTES, looks_like};
use crate::carry::{Carry, Step};

/// Decodes a trace that is pushed in chunks.
#[derive(Debug)]
pub struct Decoder {
    /// Less than one packet.
    carry: Carry,
    /// The file offset of the next byte to consume.
    offset: u64,
    mode: Mode,
    info: Option<Info>,
    shared: Shared,
    domains: DomainStates,
    /// The domains that wrote an event, ascending.
    domain_ids: Vec<u16>,
    n_packets: u64,
    /// The latest end of a packet, in µs since the epoch.
    end_us: u64,
}

/// Facts that are known after the last byte of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    pub info: Info,
    pub bytes: u64,
    pub n_packets: u64,
    /// The domains that wrote an event, ascending.
    pub domain_ids: Vec<u16>,
    /// The latest event and the latest end of a packet, in µs since the start of the trace.
    pub last_event_us: u64,
    pub end_us: u64,
    /// All location codes, indexed by [`super::CodeId`].
    pub codes: Vec<u64>,
    /// Which of them occur in stacks.
    pub code_used: Vec<bool>,
    pub warnings: Vec<Warning>,
}

/// Packets between two calls that let the sink make room: about 2 MB of the file.
const PACKETS_A_LOOK: u64 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The first packet, which has the trace info, is expected.
    Start,
    /// A packet is expected.
    Packet,
    /// The packet here is readable only up to `good`. Check if another one follows at its claimed size.
    Suspect { good: usize, size: usize },
    /// Searching for the next packet since `since`. `zeros` is true while all skipped bytes are zero.
    Search { since: u64, zeros: bool, broken_packet: bool },
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new()
    }
}

impl Decoder {
    pub fn new() -> Decoder {
        Decoder {
            carry: Carry::default(),
            offset: 0,
            mode: Mode::Start,
            info: None,
            shared: Shared {
                codes: Codes::new(),
                warnings: Warnings::default(),
                start_us: 0,
                version: 0,
                last_event_us: 0,
                n_events: 0,
                n_many_samples: 0,
                frames: Vec::new(),
            },
            domains: DomainStates::default(),
            domain_ids: Vec::new(),
            n_packets: 0,
            end_us: 0,
        }
    }

    /// `None` until the first packet has been read.
    pub fn info(&self) -> Option<&Info> {
        self.info.as_ref()
    }

    /// Allocations, promotions and collections so far.
    pub fn n_events(&self) -> u64 {
        self.shared.n_events
    }

    pub fn push<S: Sink>(&mut self, chunk: &[u8], sink: &mut S) -> Result<(), Refusal> {
        let mut carry = std::mem::take(&mut self.carry);
        let pushed = carry.push(chunk, |data| self.advance(data, false, sink));
        self.carry = carry;
        pushed
    }

    /// Ends the file.
    pub fn finish<S: Sink>(mut self, sink: &mut S) -> Result<Finished, Refusal> {
        let carry = std::mem::take(&mut self.carry);
        let mut rest = carry.bytes();
        loop {
            match self.advance(rest, true, sink)? {
                Step::Consumed(n) if n > 0 => rest = &rest[n..],
                Step::Consumed(_) if !rest.is_empty() => {}
                _ => break,
            }
        }
        self.take_known().ok_or(Refusal::Empty)
    }

    /// Returns what is known about a file that is still being written. An incomplete packet is not damage here. `None`
    /// before the first packet. The codes are moved out: call [`Decoder::resume`] before pushing more bytes.
    pub fn pause(&mut self) -> Option<Finished> {
        let known = self.take_known()?;
        Some(Finished { bytes: known.bytes + self.n_waiting(), ..known })
    }

    /// The bytes of an incomplete packet.
    pub fn n_waiting(&self) -> u64 {
        self.carry.bytes().len() as u64
    }

    /// Takes back what [`Decoder::pause`] handed out.
    pub fn resume(&mut self, codes: Vec<u64>, code_used: Vec<bool>) {
        self.shared.codes.put_back(codes, code_used);
    }

    fn take_known(&mut self) -> Option<Finished> {
        let info = self.info.clone()?;
        let since_start = |us: u64| us.saturating_sub(info.start_us);
        let (codes, code_used) = self.shared.codes.take();
        Some(Finished {
            bytes: self.offset,
            n_packets: self.n_packets,
            domain_ids: self.domain_ids.clone(),
            last_event_us: since_start(self.shared.last_event_us),
            end_us: since_start(self.end_us.max(self.shared.last_event_us)),
            codes,
            code_used,
            warnings: self.shared.warnings.clone().into_sorted(),
            info,
        })
    }

    /// Does one step and advances the offset.
    fn advance<S: Sink>(&mut self, data: &[u8], at_end: bool, sink: &mut S) -> Result<Step, Refusal> {
        let step = self.step(data, at_end, sink)?;
        if let Step::Consumed(n) = step {
            self.offset += n as u64;
        }
        Ok(step)
    }

    fn step<S: Sink>(&mut self, data: &[u8], at_end: bool, sink: &mut S) -> Result<Step, Refusal> {
        match self.mode {
            Mode::Start => self.start(data, at_end, sink),
            Mode::Packet => Ok(self.packet(data, at_end, sink)),
            Mode::Suspect { good, size } => Ok(self.suspect(data, at_end, good, size)),
            Mode::Search { since, zeros, broken_packet } => self.search(data, at_end, since, zeros, broken_packet),
        }
    }

    fn start<S: Sink>(&mut self, data: &[u8], at_end: bool, sink: &mut S) -> Result<Step, Refusal> {
        let begins_a_packet = data.starts_with(&MAGIC.to_le_bytes());
        // A live trace is recognized by its first packet. Guessing what else a file may be needs more bytes.
        let least = if begins_a_packet { MAX_HEADER_BYTES } else { SNIFF_BYTES };
        if data.len() < least && !at_end {
            return Ok(Step::Need(least));
        }
        if !begins_a_packet {
            let look = looks_like(data);
            // There may be damage before the first packet, but a file that is clearly something else isn't searched.
            if self.offset > 0 || (look.may_hide_a_trace() && data.len() >= MAX_HEADER_BYTES) {
                self.mode = Mode::Search { since: self.offset, zeros: true, broken_packet: false };
                return Ok(Step::Consumed(0));
            }
            return Err(if data.is_empty() { Refusal::Empty } else { Refusal::NotATrace(look) });
        }
        let cut = Refusal::CutInInfo { bytes: self.offset + data.len() as u64 };
        let header = Header::read(data).map_err(|_| cut.clone())?;
        match header.version {
            0 => return Err(Refusal::TooOld { version: 0, offset: self.offset }),
            1..=3 => {}
            version => return Err(Refusal::TooNew { version, offset: self.offset }),
        }
        if !header.is_sound() {
            return Err(Refusal::DamagedInfo { what: "its size is invalid".into(), offset: self.offset });
        }
        let size = header.size_bytes();
        if data.len() < size {
            return if at_end { Err(cut) } else { Ok(Step::Need(size)) };
        }
        let info = Info::of_packet(&header, &data[Header::len(header.version)..size])
            .map_err(|what| Refusal::DamagedInfo { what: what.into(), offset: self.offset })?;
        self.shared.start_us = info.start_us;
        self.shared.version = info.version;
        self.end_us = sane_times(&header, header.time_begin).1;
        self.n_packets += 1;
        sink.info(&info);
        self.info = Some(info);
        self.mode = Mode::Packet;
        Ok(Step::Consumed(size))
    }

    fn packet<S: Sink>(&mut self, data: &[u8], at_end: bool, sink: &mut S) -> Step {
        if data.is_empty() {
            return Step::Consumed(0);
        }
        let header_len = Header::len(self.shared.version);
        if data.len() < header_len {
            if at_end {
                return self.cut_off(data);
            }
            return Step::Need(header_len);
        }
        let Ok(header) = Header::read(data) else {
            // These bytes may claim a newer version, whose headers are longer.
            return if at_end { self.cut_off(data) } else { Step::Need(MAX_HEADER_BYTES) };
        };
        if !header.is_sound() || header.version != self.shared.version {
            self.mode = Mode::Search { since: self.offset, zeros: true, broken_packet: false };
            return Step::Consumed(0);
        }
        let size = header.size_bytes();
        if data.len() < size {
            if at_end {
                return self.cut_off(data);
            }
            return Step::Need(size);
        }
        self.n_packets += 1;
        if self.info.as_ref().is_some_and(|info| info.pid != header.pid) {
            self.shared.warnings.add(WarningKind::ForeignProcess, 1, size as u64, self.offset);
            return Step::Consumed(size);
        }
        if self.n_packets.is_multiple_of(PACKETS_A_LOOK) {
            self.make_room(sink);
        }
        let (offset, n_packets) = (self.offset, self.n_packets);
        let domain = self.domains.of(header.domain, n_packets);
        if let Some(verify) = header.verify
            && domain.backtraces.verify(verify, &mut self.shared.codes) == CacheCheck::OutOfStep
        {
            domain.backtraces.distrust();
            self.shared.warnings.add(WarningKind::OutOfStep, 1, 0, offset);
        }
        self.end_us = self.end_us.max(sane_times(&header, domain.last_us).1);
        sink.packet(header.domain, offset);
        let body_offset = offset + header_len as u64;
        let events_before = self.shared.n_events;
        let decoded = decode(&data[header_len..size], &header, body_offset, &mut self.shared, domain, sink);
        if self.shared.n_events > events_before {
            insert_sorted(&mut self.domain_ids, header.domain);
        }
        match decoded {
            Ok(()) => Step::Consumed(size),
            Err(broken) => {
                self.mode = Mode::Suspect { good: header_len + broken.at, size };
                Step::Consumed(0)
            }
        }
    }

    /// Decides if the size of an unreadable packet can be trusted: yes, if another packet starts where it ends.
    fn suspect(&mut self, data: &[u8], at_end: bool, good: usize, size: usize) -> Step {
        let wanted = size + Header::len(self.shared.version);
        if data.len() < wanted && !at_end {
            return Step::Need(wanted);
        }
        let next_is_sound = data.len() == size || {
            let next = data.get(size..).and_then(|rest| Header::read(rest).ok());
            next.is_some_and(|header| header.is_plausible(self.identity()))
        };
        if next_is_sound {
            self.shared.warnings.add(WarningKind::BrokenPacket, 1, (size - good) as u64, self.offset + good as u64);
            self.forget();
            self.mode = Mode::Packet;
            Step::Consumed(size)
        } else {
            self.mode = Mode::Search { since: self.offset + good as u64, zeros: true, broken_packet: true };
            Step::Consumed(good)
        }
    }

    fn search(
        &mut self,
        data: &[u8],
        at_end: bool,
        since: u64,
        zeros: bool,
        broken_packet: bool,
    ) -> Result<Step, Refusal> {
        // The first byte doesn't start a readable packet.
        let from = usize::from(self.offset == since);
        let found = find_packet(data, from, self.info.is_some().then(|| self.identity()));
        let passed = match found {
            Ok(at) => at,
            Err(_) if at_end => data.len(),
            Err(cut) => cut,
        };
        let zeros = zeros && data[..passed].iter().all(|&byte| byte == 0);
        self.mode = Mode::Search { since, zeros, broken_packet };
        if self.info.is_none() {
            if found.is_ok() {
                self.mode = Mode::Start;
                self.shared.warnings.add(WarningKind::Garbage, 1, self.offset + passed as u64 - since, since);
            } else if at_end || self.offset > MAX_SEARCH_FOR_INFO_BYTES {
                let look = if zeros { LooksLike::Zeros } else { LooksLike::Unknown };
                return Err(Refusal::NotATrace(look));
            }
        } else if found.is_ok() || at_end {
            let kind = match (broken_packet, found.is_err() && zeros) {
                (_, true) => WarningKind::ZeroTail,
                (true, false) => WarningKind::BrokenPacket,
                (false, false) => WarningKind::Garbage,
            };
            self.shared.warnings.add(kind, 1, self.offset + passed as u64 - since, since);
            self.forget();
            self.mode = Mode::Packet;
        }
        if passed == 0 && found.is_err() && !at_end {
            return Ok(Step::Need(MAX_HEADER_BYTES));
        }
        Ok(Step::Consumed(passed))
    }

    /// Handles a packet in which the file ends, unless its size is damaged and another packet starts inside it.
    fn cut_off(&mut self, data: &[u8]) -> Step {
        match find_packet(data, 1, Some(self.identity())) {
            Ok(at) => {
                self.shared.warnings.add(WarningKind::Garbage, 1, at as u64, self.offset);
                self.forget();
                Step::Consumed(at)
            }
            Err(_) => {
                self.shared.warnings.add(WarningKind::Truncated, 1, data.len() as u64, self.offset);
                Step::Consumed(data.len())
            }
        }
    }

    fn make_room<S: Sink>(&mut self, sink: &mut S) {
        let mut paths: Vec<_> = self.domains.iter_mut().map(|domain| domain.backtraces.nodes_mut()).collect();
        sink.make_room(&mut paths);
    }

    fn forget(&mut self) {
        self.domains.iter_mut().for_each(DomainState::forget);
    }

    fn identity(&self) -> Identity {
        Identity { version: self.shared.version, start_us: self.shared.start_us }
    }
}
