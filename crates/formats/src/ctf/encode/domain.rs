//! A domain's current packet, and writing packets to the file.

use std::io;

use super::super::event::{
    CODE_ALLOC, CODE_COLLECT, CODE_LOCATION, CODE_PROMOTE, CODE_SHORT_ALLOC_MAX, CODE_SHORT_ALLOC_MIN,
};
use super::super::limits::MAX_OCAML_INT;
use super::super::packet::{Header, MAGIC, Verify};
use super::super::sink::{AllocSource, ObjectId};
use super::backtrace::{MAX_STACK_BYTES, Stacks};
use super::buffer::{Buffer, MAX_PACKET};
use super::location::{LocationTables, MAX_LOCATION_BYTES, Meanings};

/// A domain of a trace, with its own packets, clock, ids and caches.
#[derive(Debug)]
pub struct Domain {
    id: u16,
    buffer: Buffer,
    n_events: u64,
    /// The time of the packet's first event and of the domain's last, in µs since the epoch.
    begin_us: u64,
    last_us: u64,
    /// The packet's first object.
    first_id: u64,
    ids: IdRange,
    stacks: Stacks,
    /// From the cache when the packet began.
    verify: Option<Verify>,
    tables: LocationTables,
    /// Codes that were not in the cache. Their locations are written before this packet.
    missed: Vec<u64>,
}

/// An allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Without the header.
    pub length_words: u64,
    pub n_samples: u64,
    pub source: AllocSource,
}

/// The ids that a domain may assign.
#[derive(Clone, Copy, Debug)]
pub struct IdRange {
    pub next: u64,
    pub end: u64,
}

/// Blocks of one to sixteen words have their own codes.
const SHORT_WORDS: std::ops::RangeInclusive<u64> = 1..=(CODE_SHORT_ALLOC_MAX - CODE_SHORT_ALLOC_MIN + 1) as u64;

/// Everything but an event's stack fits into 100 bytes.
const MAX_EVENT: usize = 100 + MAX_STACK_BYTES;
/// Readers see 25 bits of an event's time: 33 s.
const MAX_SPAN_US: u64 = 30_000_000;
/// More locations than this would delay the packet's events.
const MAX_MISSED: usize = 128;

impl Domain {
    pub fn new(id: u16, start_us: u64, ids: IdRange) -> Domain {
        Domain {
            id,
            buffer: Buffer::new(),
            n_events: 0,
            begin_us: start_us,
            last_us: start_us,
            first_id: ids.next,
            ids,
            stacks: Stacks::new(),
            verify: None,
            tables: LocationTables::default(),
            missed: Vec::new(),
        }
    }

    #[inline]
    pub fn id(&self) -> u16 {
        self.id
    }

    #[inline]
    pub fn next_id(&self) -> u64 {
        self.ids.next
    }

    #[inline]
    pub fn has_id(&self) -> bool {
        self.ids.next < self.ids.end
    }

    /// Sets the next ids. The packet must be empty, because its ids are consecutive.
    pub fn take_ids(&mut self, ids: IdRange) {
        self.ids = ids;
        self.first_id = ids.next;
    }

    /// Whether the object's allocation has not been written yet.
    pub fn holds_back(&self, id: ObjectId) -> bool {
        (self.first_id..self.ids.next).contains(&id.0)
    }

    /// Begins an event, after writing the packet if it is full. `now` is in µs since the epoch.
    #[inline]
    pub fn make_room<W: io::Write>(
        &mut self,
        now: u64,
        packets: &mut Packets<W>,
        meanings: &mut Meanings,
    ) -> io::Result<()> {
        let now = now.max(self.last_us);
        let is_full = self.buffer.len() > MAX_PACKET - MAX_EVENT || self.missed.len() > MAX_MISSED;
        if is_full || now - self.begin_us > MAX_SPAN_US {
            self.flush(packets, meanings)?;
        }
        if self.n_events == 0 {
            self.begin_us = now;
            packets.begin(&mut self.buffer);
        }
        self.n_events += 1;
        self.last_us = now;
        Ok(())
    }

    /// Returns the object's id and whether its stack was written completely. The first `known` frames are those of the
    /// last stack.
    #[inline]
    pub fn alloc(&mut self, block: Block, known: usize, stack: &[u64]) -> (ObjectId, bool) {
        let id = ObjectId(self.ids.next);
        self.ids.next += 1;
        let kept = self.stacks.shared_with_last(stack, known);
        let out = &mut self.buffer;
        let is_short = block.source == AllocSource::Minor
            && block.n_samples == 1
            && SHORT_WORDS.contains(&block.length_words)
            && stack.len() - kept <= usize::from(u8::MAX);
        if is_short {
            out.event(CODE_SHORT_ALLOC_MIN + block.length_words as u32 - 1, self.last_us);
            out.vint(kept as i64);
            let at = out.len();
            out.u8(0);
            let codes = self.stacks.write(stack, kept, out, &mut self.missed);
            // There are at most as many codes as frames.
            out.patch_u8(at, codes.n as u8);
            return (id, codes.is_whole);
        }
        out.event(CODE_ALLOC, self.last_us);
        out.vint(block.length_words.min(MAX_OCAML_INT) as i64);
        out.vint(block.n_samples.min(MAX_OCAML_INT) as i64);
        out.u8(block.source as u8);
        out.vint(kept as i64);
        let at = out.len();
        out.u16(0);
        let codes = self.stacks.write(stack, kept, out, &mut self.missed);
        out.patch_u16(at, codes.n);
        (id, codes.is_whole)
    }

    #[inline]
    pub fn promote(&mut self, id: ObjectId) {
        self.buffer.event(CODE_PROMOTE, self.last_us);
        self.buffer.vint(self.distance(id));
    }

    #[inline]
    pub fn collect(&mut self, id: ObjectId) {
        self.buffer.event(CODE_COLLECT, self.last_us);
        self.buffer.vint(self.distance(id));
    }

    /// The distance back from the domain's newest object. Negative for a newer object of another domain.
    #[inline]
    fn distance(&self, id: ObjectId) -> i64 {
        self.ids.next.wrapping_sub(1).wrapping_sub(id.0) as i64
    }

    /// Writes the packet, if it isn't empty, after the locations that it needs.
    #[cold]
    pub fn flush<W: io::Write>(&mut self, packets: &mut Packets<W>, meanings: &mut Meanings) -> io::Result<()> {
        if self.n_events == 0 {
            return Ok(());
        }
        self.flush_locations(packets, meanings)?;
        let ids = IdRange { next: self.first_id, end: self.ids.next };
        let fields =
            Fields { domain: self.id, begin_us: self.begin_us, end_us: self.last_us, ids, verify: self.verify };
        packets.write(&mut self.buffer, &fields)?;
        self.n_events = 0;
        self.begin_us = self.last_us;
        self.first_id = self.ids.next;
        self.verify = self.stacks.verify();
        Ok(())
    }

    fn flush_locations<W: io::Write>(&mut self, packets: &mut Packets<W>, meanings: &mut Meanings) -> io::Result<()> {
        let ids = IdRange { next: self.first_id, end: self.first_id };
        let (begin_us, end_us) = (self.begin_us, self.begin_us);
        let fields = Fields { domain: self.id, begin_us, end_us, ids, verify: None };
        let mut buffer = Buffer::new();
        for (n, code) in self.missed.drain(..).enumerate() {
            if n == 0 {
                packets.begin(&mut buffer);
            } else if buffer.len() > MAX_PACKET - MAX_LOCATION_BYTES - 100 {
                packets.write(&mut buffer, &fields)?;
                packets.begin(&mut buffer);
            }
            buffer.event(CODE_LOCATION, begin_us);
            // Fixes the code's meaning from now on, even if it has none.
            self.tables.write(code, meanings.entry(code).or_default(), &mut buffer);
        }
        if buffer.len() > 0 {
            packets.write(&mut buffer, &fields)?;
        }
        Ok(())
    }
}

/// The file, and what all of its packets have in common.
#[derive(Debug)]
pub struct Packets<W> {
    out: W,
    version: u16,
    pid: u64,
    header: Buffer,
    n_bytes: u64,
    n_packets: u64,
}

/// The fields of a packet's header.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    pub domain: u16,
    pub begin_us: u64,
    pub end_us: u64,
    pub ids: IdRange,
    pub verify: Option<Verify>,
}

impl<W: io::Write> Packets<W> {
    pub fn new(out: W, version: u16, pid: u64) -> Packets<W> {
        Packets { out, version, pid, header: Buffer::new(), n_bytes: 0, n_packets: 0 }
    }

    pub fn version(&self) -> u16 {
        self.version
    }

    pub fn bytes(&self) -> u64 {
        self.n_bytes
    }

    pub fn count(&self) -> u64 {
        self.n_packets
    }

    /// Reserves space for the header, which is known last.
    pub fn begin(&self, buffer: &mut Buffer) {
        buffer.clear();
        buffer.reserve(Header::len(self.version));
    }

    pub fn write(&mut self, buffer: &mut Buffer, fields: &Fields) -> io::Result<()> {
        let nothing = Verify { slot: u16::MAX, pred: 0, code: 0 };
        let verify = fields.verify.unwrap_or(nothing);
        let header = &mut self.header;
        header.clear();
        header.u32(MAGIC);
        header.u32(8 * buffer.len() as u32);
        header.u64(fields.begin_us);
        header.u64(fields.end_us);
        header.u32(0);
        header.u16(self.version);
        header.u64(self.pid);
        if self.version >= 3 {
            header.u16(fields.domain);
        }
        header.u16(verify.slot);
        header.u16(verify.pred);
        header.u64(verify.code);
        header.u64(fields.ids.next);
        header.u64(fields.ids.end);
        buffer.overwrite_front(header);
        self.out.write_all(buffer.as_slice())?;
        self.n_bytes += buffer.len() as u64;
        self.n_packets += 1;
        buffer.clear();
        Ok(())
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
