//! Warnings about a file: what happened, and what it means for what people see.

use crate::format::{Units, count};
use camlscope_engine::query::summary::{WarningKind, WarningSummary};
use camlscope_formats::spacetime::Section;
use camlscope_formats::{ctf, spacetime};

/// One sentence or two.
pub fn text(warning: &WarningSummary, units: Units) -> String {
    match warning.kind {
        WarningKind::Trace(kind) => of_trace(kind, warning, units),
        WarningKind::Profile(kind) => of_profile(kind, warning),
        WarningKind::DamagedProfileArchive => damaged_archive(warning),
        WarningKind::DownsampledTrace => format!(
            "The trace is too large to be kept whole: 1 of {} samples is. What was allocated is counted exactly; all other \
             figures are estimates with the error of the samples kept.",
            warning.count
        ),
        WarningKind::DownsampledProfile => format!(
            "The profile is too large for memory: 1 of {} snapshots is kept. What they hold is exact.",
            warning.count
        ),
    }
}

fn damaged_archive(warning: &WarningSummary) -> String {
    format!("The archive is cut or damaged at its byte {}. Everything before was read.", count(warning.first_offset))
}

fn of_trace(kind: ctf::WarningKind, warning: &WarningSummary, units: Units) -> String {
    let size = size(warning.bytes, units);
    let from = format!("from byte {} on", count(warning.first_offset));
    let n = |one: &str, many: &str| match warning.count {
        1 => format!("1 {one}"),
        more => format!("{} {many}", count(more)),
    };
    match kind {
        ctf::WarningKind::Truncated => {
            format!(
                "The trace is cut off inside a packet, as when the program is killed. Its last {size} were not read; \
                 everything before was."
            )
        }
        ctf::WarningKind::Garbage => format!(
            "{} with {size} in all that belong to no packet: damaged, or written by something else. Reading went on behind.",
            n("place", "places")
        ),
        ctf::WarningKind::ZeroTail => {
            format!("The last {size} are zeros, as after a crash of the machine. Everything before them was read.")
        }
        ctf::WarningKind::DamagedArchive => damaged_archive(warning),
        ctf::WarningKind::BrokenPacket => format!(
            "{} could not be read to the end; {size} of events are missing. Reading went on behind.",
            n("damaged packet", "damaged packets")
        ),
        ctf::WarningKind::ForeignProcess => format!(
            "{} written by a forked child, skipped: this is the trace of the parent.",
            n("packet was", "packets were")
        ),
        ctf::WarningKind::ClockStep => format!(
            "{} out of order in time, as when the computer's clock is set back, and shown at the time of the event before.",
            n("event is", "events are")
        ),
        ctf::WarningKind::OutOfStep => format!(
            "Stacks cannot be trusted {from} and are left out there. Sizes and lifetimes are right. \
             Two domains or processes may have written the same file."
        ),
        ctf::WarningKind::CutStack => {
            format!("{} cut by the writer because the stack is very deep.", n("stack was", "stacks were"))
        }
        ctf::WarningKind::MiscountedIds => format!(
            "{} not the objects its header says. Some lifetimes may be wrong.",
            n("packet holds", "packets hold")
        ),
        ctf::WarningKind::NegativePromote => format!(
            "{} an object of another domain in a way that memtrace's own reader refuses. They were read.",
            n("promotion names", "promotions name")
        ),
        ctf::WarningKind::DanglingName => format!(
            "{} lost and shown as “file?” or “name?”. Memtrace 0.2.3 loses names at long source lines.",
            n("file or function name is", "file and function names are")
        ),
        ctf::WarningKind::MissingLocation => {
            format!("{} in stacks without a source position, shown as 0x….", n("address stands", "addresses stand"))
        }
        ctf::WarningKind::ConflictingLocation => format!(
            "{} explained twice, differently. The first explanation is shown.",
            n("address is", "addresses are")
        ),
        ctf::WarningKind::UnknownObject => format!(
            "{} about objects whose allocation is not in the trace.",
            n("promotion or collection is", "promotions and collections are")
        ),
        ctf::WarningKind::DeadObject => format!(
            "{} about objects that had been collected before.",
            n("promotion or collection is", "promotions and collections are")
        ),
        ctf::WarningKind::UnlikelyWhole => {
            "What the report says of the trace that it was made of does not fit the samples in \
             it, and is left out: all figures are those of the samples alone."
                .to_owned()
        }
    }
}

/// Exact as long as it is short.
fn size(n: u64, units: Units) -> String {
    match n {
        1 => "1 byte".to_owned(),
        2..10_000 => format!("{} bytes", count(n)),
        _ => units.bytes(n as f64),
    }
}

fn of_profile(kind: spacetime::WarningKind, warning: &WarningSummary) -> String {
    let at = format!("at byte {}", count(warning.first_offset));
    match kind {
        spacetime::WarningKind::NoTrie => {
            "Allocation points are missing because the program was killed before it wrote them, \
             or what follows is lost. Totals are there; who allocated is not known."
                .to_owned()
        }
        spacetime::WarningKind::Cut => format!("The profile is cut off {at}. Everything before was read."),
        spacetime::WarningKind::Damaged(part) if warning.count > 1 => {
            format!("{} places like {} {at} are damaged and were left out.", count(warning.count), name(part))
        }
        spacetime::WarningKind::Damaged(part) => {
            format!("What should be {} {at} is damaged and was left out.", name(part))
        }
        spacetime::WarningKind::TooLarge(part) => {
            format!("What should be {} {at} is too large for memory and was left out.", name(part))
        }
        spacetime::WarningKind::Garbage => {
            format!("{} bytes {at} are no part of the profile and were left out.", count(warning.bytes))
        }
    }
}

fn name(section: Section) -> &'static str {
    match section {
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
