//! Typed errors and warnings with offsets; whoever shows them puts them into words.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::warnings;

/// The file is no profile that can be opened at all.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum Refusal {
    #[error("the file is empty")]
    Empty,
    /// Not marshalled at all, or a marshalled value of something else.
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
    /// The program did not come to write what snapshots refer to: it was killed.
    NoTrie,
    /// The file ends inside a value, or before the values that must still come.
    Cut,
    /// A value that cannot be read, or that says what cannot be.
    Damaged(Section),
    /// A value that takes more memory than it may.
    TooLarge(Section),
    /// Bytes behind the end of the profile.
    Garbage,
}

/// Sections of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Section {
    /// The number that says which kind of record follows.
    Mark,
    Snapshot,
    Event,
    /// The time at which the program closed the file.
    End,
    FrameTable,
    ShapeTable,
    /// The tries of call stacks, and how many there are.
    Trie,
    /// A whole `.p`.
    Series,
}
