//! Warnings about a trace or profile that could be opened, as data. `present::words` turns them into text.

use serde::{Deserialize, Serialize};

use camlscope_formats::warnings::Warning;
use camlscope_formats::{ctf, spacetime};

/// For downsampling, `count` is the factor.
pub type WarningSummary = Warning<WarningKind>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WarningKind {
    Trace(ctf::WarningKind),
    Profile(spacetime::WarningKind),
    /// The archive of a profile is truncated or damaged.
    DamagedProfileArchive,
    DownsampledTrace,
    DownsampledProfile,
}

impl WarningKind {
    /// Returns a stable name for scripts and tests.
    pub fn as_str(self) -> &'static str {
        match self {
            WarningKind::Trace(kind) => of_trace(kind),
            WarningKind::Profile(kind) => of_profile(kind),
            WarningKind::DamagedProfileArchive => "damaged-archive",
            WarningKind::DownsampledTrace | WarningKind::DownsampledProfile => "thinned",
        }
    }
}

fn of_trace(kind: ctf::WarningKind) -> &'static str {
    match kind {
        ctf::WarningKind::Truncated => "truncated",
        ctf::WarningKind::Garbage => "garbage",
        ctf::WarningKind::ZeroTail => "zero-tail",
        ctf::WarningKind::DamagedArchive => "damaged-archive",
        ctf::WarningKind::BrokenPacket => "broken-packet",
        ctf::WarningKind::ForeignProcess => "foreign-process",
        ctf::WarningKind::ClockStep => "clock-step",
        ctf::WarningKind::OutOfStep => "out-of-step",
        ctf::WarningKind::CutStack => "cut-stack",
        ctf::WarningKind::MiscountedIds => "miscounted-ids",
        ctf::WarningKind::NegativePromote => "negative-promote",
        ctf::WarningKind::DanglingName => "dangling-name",
        ctf::WarningKind::MissingLocation => "missing-location",
        ctf::WarningKind::ConflictingLocation => "conflicting-location",
        ctf::WarningKind::UnknownObject => "unknown-object",
        ctf::WarningKind::DeadObject => "dead-object",
        ctf::WarningKind::UnlikelyWhole => "unlikely-whole",
    }
}

fn of_profile(kind: spacetime::WarningKind) -> &'static str {
    match kind {
        spacetime::WarningKind::NoTrie => "no-allocation-points",
        spacetime::WarningKind::Cut => "truncated",
        spacetime::WarningKind::Damaged(_) => "damaged",
        spacetime::WarningKind::TooLarge(_) => "too-large",
        spacetime::WarningKind::Garbage => "garbage",
    }
}
