//! Typed errors and warnings with offsets. They are turned into text elsewhere.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::warnings;

/// Why a file can't be opened as a profile.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum Refusal {
    #[error("the file is empty")]
    Empty,
    /// Not marshaled at all, or a marshaled value of something else.
    #[error("the file isn't a Spacetime profile")]
    NotAProfile,
    #[error("format version {version} isn't supported: only version 0 is")]
    UnknownVersion { version: u16 },
    #[error("features 0x{features:x} aren't supported: only call counts (0x1) are")]
    UnknownFeatures { features: u16 },
    #[error("the file is truncated: it ends inside its first value, at byte 0x{bytes:x}")]
    Cut { bytes: u64 },
    #[error("the first value is damaged at byte 0x{offset:x}")]
    Damaged { offset: u64 },
    #[error("the profile at byte 0x{offset:x} needs more than {max_bytes} bytes of memory")]
    TooLarge { max_bytes: u64, offset: u64 },
}

pub type Warning = warnings::Warning<WarningKind>;
pub type Warnings = warnings::Warnings<WarningKind>;

/// The kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WarningKind {
    /// The program was killed before it wrote the call stacks that snapshots refer to.
    NoTrie,
    /// The file ends inside a value, or before values that must follow.
    Cut,
    /// A value that can't be read or is impossible.
    Damaged(Section),
    /// A value that exceeds its memory limit.
    TooLarge(Section),
    /// Bytes after the end of the profile.
    Garbage,
}

/// The sections of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Section {
    /// The number that announces the kind of the next record.
    Mark,
    Snapshot,
    Event,
    /// The time at which the program closed the file.
    End,
    FrameTable,
    ShapeTable,
    /// The tries of call stacks and their count.
    Trie,
    /// A complete `.p`.
    Series,
}
