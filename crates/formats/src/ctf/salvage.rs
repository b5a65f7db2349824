//! The kinds of damage in a trace that still opens, and the search for its next packet.

use serde::{Deserialize, Serialize};

use super::packet::{Header, Identity, MAGIC};
use crate::warnings;

/// The kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WarningKind {
    /// The file ends inside a packet, because the program was killed. `bytes` of it are skipped.
    Truncated,
    /// `bytes` between packets that aren't packets.
    Garbage,
    /// The file's last `bytes` are zeros, written by a file system after a crash.
    ZeroTail,
    /// The compressed archive is truncated or damaged from here on.
    DamagedArchive,
    /// A packet whose events can't be read to the end. `bytes` of it are skipped.
    BrokenPacket,
    /// Packets of another process, after a fork.
    ForeignProcess,
    /// Events with a time before the previous event's or outside their packet.
    ClockStep,
    /// The stack cache is out of step: stacks are unknown from here on.
    OutOfStep,
    /// Stacks that the writer truncated. The last stack is used instead.
    CutStack,
    /// A packet whose ids don't end where its header says.
    MiscountedIds,
    /// Promotions that refer to an object by a negative distance, which memtrace's own reader refuses.
    NegativePromote,
    /// References to file or function names that don't exist.
    DanglingName,
    /// Codes in stacks that have no location.
    MissingLocation,
    /// A location code with two different explanations.
    ConflictingLocation,
    /// Promotions and collections of objects without an allocation.
    UnknownObject,
    /// Promotions and collections of objects that had already been collected.
    DeadObject,
    /// The totals stored with a downsampled copy are impossible.
    UnlikelyWhole,
}

pub type Warning = warnings::Warning<WarningKind>;
pub type Warnings = warnings::Warnings<WarningKind>;

/// Returns the first offset in `data`, starting at `from`, where a packet of this trace certainly begins. Otherwise the
/// error is the first offset where one might begin that continues past the data's end (`data.len()` if there is none).
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
