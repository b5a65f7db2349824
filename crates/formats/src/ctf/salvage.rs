//! What can be wrong in a trace that still opens, and where its next packet is.

use serde::{Deserialize, Serialize};

use super::packet::{Header, Identity, MAGIC};
use crate::warnings;

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

pub type Warning = warnings::Warning<WarningKind>;
pub type Warnings = warnings::Warnings<WarningKind>;

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
