//! The decoder's warnings in the reader's words: what happened, and what it means for what they see.

use crate::format::count;
use camlscope_formats::spacetime::{Section, Warning, WarningKind};

/// The kind of warning where allocation points are missing.
pub const NO_POINTS: &str = "no-allocation-points";
pub const NO_POINTS_TEXT: &str = "Allocation points are missing because the program was killed before it wrote them, \
    or what follows is lost. Totals are there; who allocated is not known.";

/// A stable word for scripts and tests.
pub fn kind(kind: WarningKind) -> &'static str {
    match kind {
        WarningKind::NoTrie => NO_POINTS,
        WarningKind::Cut => "truncated",
        WarningKind::Damaged(_) => "damaged",
        WarningKind::TooLarge(_) => "too-large",
        WarningKind::Garbage => "garbage",
    }
}

/// One sentence or two.
pub fn text(warning: &Warning) -> String {
    let at = format!("at byte {}", count(warning.offset));
    match warning.kind {
        WarningKind::NoTrie => NO_POINTS_TEXT.to_owned(),
        WarningKind::Cut => format!("The profile is cut off {at}. Everything before was read."),
        WarningKind::Damaged(part) if warning.count > 1 => {
            format!("{} places like {} {at} are damaged and were left out.", count(warning.count), name(part))
        }
        WarningKind::Damaged(part) => format!("What should be {} {at} is damaged and was left out.", name(part)),
        WarningKind::TooLarge(part) => {
            format!("What should be {} {at} is too large for memory and was left out.", name(part))
        }
        WarningKind::Garbage => {
            format!("{} bytes {at} are no part of the profile and were left out.", count(warning.bytes))
        }
    }
}

fn name(part: Section) -> &'static str {
    match part {
        Section::Mark => "the beginning of a record",
        Section::Snapshot => "a snapshot",
        Section::Event => "an event",
        Section::End => "the time of the end",
        Section::FrameTable => "the table of source positions",
        Section::ShapeTable => "the table of functions",
        Section::Trie => "the tree of allocation points",
        Section::Series => "the series of snapshots",
    }
}
