//! Typed errors with offsets and values. They are turned into text elsewhere.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::reader::Short;

/// Why a file can't be opened as a trace.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum Refusal {
    #[error("the file is empty")]
    Empty,
    #[error("the file isn't a memtrace trace: it looks like {0:?}")]
    NotATrace(LooksLike),
    #[error("format version {version} at byte 0x{offset:x} predates memtrace's first release")]
    TooOld { version: u16, offset: u64 },
    #[error("format version {version} at byte 0x{offset:x} is newer than version 3")]
    TooNew { version: u16, offset: u64 },
    #[error("the file is truncated: it ends inside its first packet, at byte 0x{bytes:x}")]
    CutInInfo { bytes: u64 },
    #[error("the trace header at byte 0x{offset:x} is damaged: {what}")]
    DamagedInfo { what: Cow<'static, str>, offset: u64 },
}

/// The likely type of a file that isn't a trace, from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LooksLike {
    ElfExecutable,
    MachOExecutable,
    WindowsExecutable,
    Gzip,
    Zstd,
    Xz,
    Zip,
    Png,
    Pdf,
    Html,
    Json,
    OcamlSource,
    Text,
    Zeros,
    Spacetime,
    OcamlMarshal,
    BigEndianCtf,
    Unknown,
}

/// Why a packet's events couldn't be read to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadEvent {
    /// The packet ends inside the event.
    Short,
    UnknownCode(u8),
    UnknownSource(u8),
    AbsurdLength(u64),
    AbsurdSamples(u64),
}

impl From<Short> for BadEvent {
    fn from(_: Short) -> BadEvent {
        BadEvent::Short
    }
}
