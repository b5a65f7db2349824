//! What went wrong in a file that still opened: counted by kind, with the place where it was first met.

use serde::{Deserialize, Serialize};

use super::packet::{Header, Identity, MAGIC};

/// The kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WarningKind {
    /// The file ends inside a packet: the program was killed. `bytes` of it are left out.
    Truncated,
    /// `bytes` between packets that are no packet.
    Garbage,
    /// The file's last `bytes` are zeros: written by a file system after a crash.
    ZeroTail,
    /// The archive that the trace is packed in is cut or damaged from here on.
    DamagedArchive,
    /// A packet whose events could not be read to its end; `bytes` of it are left out.
    BrokenPacket,
    /// Packets of another process, after a fork.
    ForeignProcess,
    /// Events whose time lay before their predecessor's or outside their packet.
    ClockStep,
    /// The stack cache was found out of step: stacks are not known from there on.
    OutOfStep,
    /// Stacks that the writer cut: taken as the last stack.
    CutStack,
    /// A packet whose ids do not end where its header says.
    MiscountedIds,
    /// Promotions that name an object by a negative distance, which memtrace's own reader refuses.
    NegativePromote,
    /// File or function names that point at nothing.
    DanglingName,
    /// Codes in stacks that no location explains.
    MissingLocation,
    /// A location code that was explained twice, differently.
    ConflictingLocation,
    /// Promotions and collections of objects that were never seen to be allocated.
    UnknownObject,
    /// Promotions and collections of objects that had been collected before.
    DeadObject,
    /// What a copy says of the trace that it was made of cannot be.
    UnlikelyWhole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    pub kind: WarningKind,
    pub count: u64,
    /// Bytes left out on its account.
    pub bytes: u64,
    pub first_offset: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    /// One of each kind, in the order of their first offsets.
    list: Vec<Warning>,
}

impl Warnings {
    /// Counts `count` more of a kind; none is no warning.
    pub fn add(&mut self, kind: WarningKind, count: u64, bytes: u64, offset: u64) {
        if count == 0 {
            return;
        }
        match self.list.iter_mut().find(|warning| warning.kind == kind) {
            Some(warning) => {
                warning.count += count;
                warning.bytes += bytes;
            }
            None => insert_in_order(&mut self.list, Warning { kind, count, bytes, first_offset: offset }),
        }
    }

    /// In the order of their first offsets.
    pub fn into_sorted(self) -> Vec<Warning> {
        self.list
    }

    /// With others that are in that order, which come first where offsets are the same.
    pub fn into_sorted_with(self, mut others: Vec<Warning>) -> Vec<Warning> {
        self.list.into_iter().for_each(|warning| insert_in_order(&mut others, warning));
        others
    }
}

/// There are a handful at most: a sort would be 5 KB of the page.
fn insert_in_order(list: &mut Vec<Warning>, warning: Warning) {
    let at = list.partition_point(|other| other.first_offset <= warning.first_offset);
    list.insert(at, warning);
}

/// The first place in `data`, from `from` on, where a packet of this trace surely begins; or, if there is none, the
/// first place where one might begin that the data's end cuts (`data.len()` if not even that).
pub fn find_packet(data: &[u8], from: usize, trace: Option<Identity>) -> Result<usize, usize> {
    let magic = MAGIC.to_le_bytes();
    let mut at = from.min(data.len());
    while at < data.len() {
        let Some(found) = data[at..].iter().position(|&byte| byte == magic[0]) else {
            return Err(data.len());
        };
        at += found;
        let rest = &data[at..];
        if !rest.starts_with(&magic[..rest.len().min(4)]) {
            at += 1;
            continue;
        }
        match Header::read(rest) {
            Err(_) => return Err(at),
            Ok(header) if is_packet_of(&header, trace) => return Ok(at),
            Ok(_) => at += 1,
        }
    }
    Err(data.len())
}

fn is_packet_of(header: &Header, trace: Option<Identity>) -> bool {
    match trace {
        Some(identity) => header.is_plausible(identity),
        None => header.is_sound() && (1..=3).contains(&header.version),
    }
}
