//! The decoder's warnings in the reader's words: what happened, and what it means for what they see.

use crate::format::{bytes, count};
use camlscope_formats::ctf::{Warning, WarningKind};

/// A stable word for scripts and tests.
pub fn kind(kind: WarningKind) -> &'static str {
    match kind {
        WarningKind::Truncated => "truncated",
        WarningKind::Garbage => "garbage",
        WarningKind::ZeroTail => "zero-tail",
        WarningKind::DamagedArchive => "damaged-archive",
        WarningKind::BrokenPacket => "broken-packet",
        WarningKind::ForeignProcess => "foreign-process",
        WarningKind::ClockStep => "clock-step",
        WarningKind::OutOfStep => "out-of-step",
        WarningKind::CutStack => "cut-stack",
        WarningKind::MiscountedIds => "miscounted-ids",
        WarningKind::NegativePromote => "negative-promote",
        WarningKind::DanglingName => "dangling-name",
        WarningKind::MissingLocation => "missing-location",
        WarningKind::ConflictingLocation => "conflicting-location",
        WarningKind::UnknownObject => "unknown-object",
        WarningKind::DeadObject => "dead-object",
        WarningKind::UnlikelyWhole => "unlikely-whole",
    }
}

/// One sentence or two.
pub fn text(warning: &Warning) -> String {
    let size = size(warning.bytes);
    let from = format!("from byte {} on", count(warning.first_offset));
    let n = |one: &str, many: &str| match warning.count {
        1 => format!("1 {one}"),
        more => format!("{} {many}", count(more)),
    };
    match warning.kind {
        WarningKind::Truncated => {
            format!(
                "The trace is cut off inside a packet, as when the program is killed. Its last {size} were not read; \
                 everything before was."
            )
        }
        WarningKind::Garbage => format!(
            "{} with {size} in all that belong to no packet: damaged, or written by something else. Reading went on behind.",
            n("place", "places")
        ),
        WarningKind::ZeroTail => {
            format!("The last {size} are zeros, as after a crash of the machine. Everything before them was read.")
        }
        WarningKind::DamagedArchive => format!(
            "The archive is cut or damaged at its byte {}. Everything before was read.",
            count(warning.first_offset)
        ),
        WarningKind::BrokenPacket => format!(
            "{} could not be read to the end; {size} of events are missing. Reading went on behind.",
            n("damaged packet", "damaged packets")
        ),
        WarningKind::ForeignProcess => format!(
            "{} written by a forked child, skipped: this is the trace of the parent.",
            n("packet was", "packets were")
        ),
        WarningKind::ClockStep => format!(
            "{} out of order in time, as when the computer's clock is set back, and shown at the time of the event before.",
            n("event is", "events are")
        ),
        WarningKind::OutOfStep => format!(
            "Stacks cannot be trusted {from} and are left out there. Sizes and lifetimes are right. \
             Two domains or processes may have written the same file."
        ),
        WarningKind::CutStack => {
            format!("{} cut by the writer because the stack is very deep.", n("stack was", "stacks were"))
        }
        WarningKind::MiscountedIds => format!(
            "{} not the objects its header says. Some lifetimes may be wrong.",
            n("packet holds", "packets hold")
        ),
        WarningKind::NegativePromote => format!(
            "{} an object of another domain in a way that memtrace's own reader refuses. They were read.",
            n("promotion names", "promotions name")
        ),
        WarningKind::DanglingName => format!(
            "{} lost and shown as “file?” or “name?”. Memtrace 0.2.3 loses names at long source lines.",
            n("file or function name is", "file and function names are")
        ),
        WarningKind::MissingLocation => {
            format!("{} in stacks without a source position, shown as 0x….", n("address stands", "addresses stand"))
        }
        WarningKind::ConflictingLocation => format!(
            "{} explained twice, differently. The first explanation is shown.",
            n("address is", "addresses are")
        ),
        WarningKind::UnknownObject => format!(
            "{} about objects whose allocation is not in the trace.",
            n("promotion or collection is", "promotions and collections are")
        ),
        WarningKind::DeadObject => format!(
            "{} about objects that had been collected before.",
            n("promotion or collection is", "promotions and collections are")
        ),
        WarningKind::UnlikelyWhole => {
            "What the report says of the trace that it was made of does not fit the samples in \
             it, and is left out: all figures are those of the samples alone."
                .to_owned()
        }
    }
}

/// Exact as long as it is short.
fn size(n: u64) -> String {
    match n {
        1 => "1 byte".to_owned(),
        2..10_000 => format!("{} bytes", count(n)),
        _ => bytes(n as f64),
    }
}
