//! Encodes events as memtrace bytes, laid out like memtrace's own writer does: for downsampled and anonymized copies of
//! a trace, for synthetic traces, and for testing the decoder.
//!
//! The output always satisfies the checks of memtrace's reader, whatever the input. Times never decrease within a
//! domain (an earlier one is raised), ids are in step, and a location precedes the first use of its code and never
//! changes.

mod backtrace;
mod buffer;
mod domain;
mod location;

use std::io;

use thiserror::Error;

pub use self::domain::Block;

use self::buffer::Buffer;
use self::domain::{Domain, Fields, IdRange, Packets};
use self::location::Meanings;
use super::event::CODE_INFO;
use super::info::Info;
use super::location::Location;
use super::sink::ObjectId;

/// Writes a trace of version 2 or 3 to `out`, packet by packet.
#[derive(Debug)]
pub struct Encoder<W> {
    packets: Packets<W>,
    /// µs since the epoch.
    start_us: u64,
    ids: Ids,
    domains: Vec<Domain>,
    /// The index of the domain that wrote last.
    current: usize,
    meanings: Meanings,
    n_objects: u64,
    n_cut_stacks: u64,
}

/// The totals of a completely written trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub bytes: u64,
    pub n_packets: u64,
    pub n_objects: u64,
    /// Stacks that took more than 4 KiB, so that their innermost frames are missing.
    pub n_cut_stacks: u64,
}

/// Why a trace can't be written.
#[derive(Debug, Error)]
pub enum EncodeError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("can't write format version {0}: only versions 2 and 3 are supported")]
    Version(u16),
    #[error("format version 2 has only domain 0, not domain {0}")]
    OneDomain(u16),
    #[error("object {} was never allocated", .0.0)]
    UnknownObject(ObjectId),
}

/// The number of ids that a domain takes at a time in version 3.
const IDS_A_CHUNK: u64 = 10_000;

/// Each string of the trace info is truncated to this (the longest path on Linux), so that the info fits into one
/// packet.
const MAX_INFO_TEXT: usize = 4096;

impl<W: io::Write> Encoder<W> {
    /// `info.version` is the version to write.
    pub fn new(info: &Info, out: W) -> Result<Encoder<W>, EncodeError> {
        if !matches!(info.version, 2 | 3) {
            return Err(EncodeError::Version(info.version));
        }
        let mut packets = Packets::new(out, info.version, info.pid);
        write_info(info, &mut packets)?;
        Ok(Encoder {
            packets,
            start_us: info.start_us,
            ids: Ids { a_chunk: if info.version == 2 { u64::MAX } else { IDS_A_CHUNK }, owners: Vec::new() },
            domains: Vec::new(),
            current: 0,
            meanings: Meanings::default(),
            n_objects: 0,
            n_cut_stacks: 0,
        })
    }

    /// Sets the locations of a code, outermost first, before its first use. The first explanation wins. A code that has
    /// none when it is used has no source position, which is common in traces.
    pub fn location(&mut self, code: u64, frames: &[Location]) {
        self.meanings.entry(code).or_insert_with(|| frames.to_vec());
    }

    /// Writes an allocation. Times are µs since the start of the trace. The stack goes from main to the allocation
    /// site.
    pub fn alloc(&mut self, domain: u16, time_us: u64, block: Block, stack: &[u64]) -> Result<ObjectId, EncodeError> {
        self.alloc_sharing(domain, time_us, block, 0, stack)
    }

    /// Does the same if the caller knows that the first `known` frames are those of the domain's last stack. They are
    /// not compared.
    pub fn alloc_sharing(
        &mut self,
        domain: u16,
        time_us: u64,
        block: Block,
        known: usize,
        stack: &[u64],
    ) -> Result<ObjectId, EncodeError> {
        let at = self.domain(domain)?;
        let now = self.start_us.saturating_add(time_us);
        let domain = &mut self.domains[at];
        if !domain.has_id() {
            domain.flush(&mut self.packets, &mut self.meanings)?;
            domain.take_ids(self.ids.chunk_for(at));
        }
        domain.make_room(now, &mut self.packets, &mut self.meanings)?;
        let (id, is_whole) = domain.alloc(block, known, stack);
        self.n_objects += 1;
        self.n_cut_stacks += u64::from(!is_whole);
        Ok(id)
    }

    /// Writes a promotion. memtrace's reader refuses a promotion of an id larger than the domain's own ids, so those
    /// are written by the domain that allocated the object.
    pub fn promote(&mut self, domain: u16, time_us: u64, id: ObjectId) -> Result<(), EncodeError> {
        let owner = self.owner(id)?;
        let mut at = self.domain(domain)?;
        if self.domains[at].next_id() <= id.0 {
            at = owner;
        }
        self.settle(owner, at, id)?;
        let now = self.start_us.saturating_add(time_us);
        self.domains[at].make_room(now, &mut self.packets, &mut self.meanings)?;
        self.domains[at].promote(id);
        Ok(())
    }

    pub fn collect(&mut self, domain: u16, time_us: u64, id: ObjectId) -> Result<(), EncodeError> {
        let owner = self.owner(id)?;
        let at = self.domain(domain)?;
        self.settle(owner, at, id)?;
        let now = self.start_us.saturating_add(time_us);
        self.domains[at].make_room(now, &mut self.packets, &mut self.meanings)?;
        self.domains[at].collect(id);
        Ok(())
    }

    /// Bytes written so far. Each domain holds back at most one packet.
    pub fn bytes_out(&self) -> u64 {
        self.packets.bytes()
    }

    /// Writes everything that is held back.
    pub fn finish(mut self) -> Result<Written, EncodeError> {
        for domain in &mut self.domains {
            domain.flush(&mut self.packets, &mut self.meanings)?;
        }
        self.packets.finish()?;
        Ok(Written {
            bytes: self.packets.bytes(),
            n_packets: self.packets.count(),
            n_objects: self.n_objects,
            n_cut_stacks: self.n_cut_stacks,
        })
    }

    /// Returns the index of a domain in `domains`.
    #[inline]
    fn domain(&mut self, id: u16) -> Result<usize, EncodeError> {
        match self.domains.get(self.current) {
            Some(domain) if domain.id() == id => Ok(self.current),
            _ => self.another_domain(id),
        }
    }

    #[cold]
    fn another_domain(&mut self, id: u16) -> Result<usize, EncodeError> {
        if self.packets.version() == 2 && id != 0 {
            return Err(EncodeError::OneDomain(id));
        }
        let known = self.domains.iter().position(|domain| domain.id() == id);
        self.current = known.unwrap_or(self.domains.len());
        if known.is_none() {
            self.domains.push(Domain::new(id, self.start_us, self.ids.chunk_for(self.current)));
        }
        Ok(self.current)
    }

    /// Returns the index of the domain that allocated an object.
    fn owner(&self, id: ObjectId) -> Result<usize, EncodeError> {
        let owner = self.ids.owner(id).filter(|&at| id.0 < self.domains[at].next_id());
        owner.ok_or(EncodeError::UnknownObject(id))
    }

    /// Makes sure that an object's allocation is in the file before another domain refers to it.
    fn settle(&mut self, owner: usize, writer: usize, id: ObjectId) -> Result<(), EncodeError> {
        if owner != writer && self.domains[owner].holds_back(id) {
            self.domains[owner].flush(&mut self.packets, &mut self.meanings)?;
        }
        Ok(())
    }
}

/// Which domain has which ids.
#[derive(Debug)]
struct Ids {
    a_chunk: u64,
    /// For each chunk: the index of the domain that took it.
    owners: Vec<u16>,
}

impl Ids {
    fn chunk_for(&mut self, domain: usize) -> IdRange {
        let first = self.owners.len() as u64 * self.a_chunk;
        self.owners.push(domain as u16);
        IdRange { next: first, end: first.saturating_add(self.a_chunk) }
    }

    fn owner(&self, id: ObjectId) -> Option<usize> {
        let chunk = usize::try_from(id.0 / self.a_chunk).ok()?;
        self.owners.get(chunk).map(|&at| usize::from(at))
    }
}

fn write_info<W: io::Write>(info: &Info, packets: &mut Packets<W>) -> io::Result<()> {
    let mut buffer = Buffer::new();
    packets.begin(&mut buffer);
    buffer.event(CODE_INFO, info.start_us);
    buffer.u64(info.sample_rate.to_bits());
    buffer.u8(info.word_size_bits);
    for text in [&info.executable, &info.host, &info.runtime_params] {
        buffer.string(cut(text));
    }
    buffer.u64(info.pid);
    buffer.string(cut(&info.context));
    let (begin_us, ids) = (info.start_us, IdRange { next: 0, end: 0 });
    packets.write(&mut buffer, &Fields { domain: 0, begin_us, end_us: begin_us, ids, verify: None })
}

fn cut(text: &str) -> &str {
    let end = (0..=MAX_INFO_TEXT.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}
