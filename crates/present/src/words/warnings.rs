//! Warnings about a file: what happened, and how it affects the figures.

use crate::format::{Units, count};
use camlscope_engine::query::summary::{WarningKind, WarningSummary};
use camlscope_formats::spacetime::Section;
use camlscope_formats::{ctf, spacetime};

/// Returns one or two sentences.
pub fn text(warning: &WarningSummary, units: Units) -> String {
    match warning.kind {
        WarningKind::Trace(kind) => of_trace(kind, warning, units),
        WarningKind::Profile(kind) => of_profile(kind, warning),
        WarningKind::DamagedProfileArchive => damaged_archive(warning),
        WarningKind::DownsampledTrace => format!(
            "The trace doesn't fit in memory, so it is downsampled (1 in {} samples). Allocation totals stay exact, \
             but other figures have wider margins of error.",
            warning.count
        ),
        WarningKind::DownsampledProfile => format!(
            "The profile doesn't fit in memory, so it is downsampled (1 in {} snapshots). The remaining snapshots stay \
             exact.",
            warning.count
        ),
    }
}

fn damaged_archive(warning: &WarningSummary) -> String {
    format!(
        "The compressed file is truncated or damaged at byte {}. Everything before that was read.",
        count(warning.first_offset)
    )
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
                "The trace is truncated inside a packet, as when the program is killed. Everything except the last \
                 {size} was read."
            )
        }
        ctf::WarningKind::Garbage => format!(
            "Skipped {} ({size}) outside any packet: they are damaged, or written by another program.",
            n("region", "regions")
        ),
        ctf::WarningKind::ZeroTail => {
            format!("The last {size} are zeros, as after a system crash. Everything before them was read.")
        }
        ctf::WarningKind::DamagedArchive => damaged_archive(warning),
        ctf::WarningKind::BrokenPacket => format!(
            "{} couldn't be read to the end. {size} of events are missing.",
            n("damaged packet", "damaged packets")
        ),
        ctf::WarningKind::ForeignProcess => format!(
            "Skipped {} from a forked child process. This is the trace of the parent process.",
            n("packet", "packets")
        ),
        ctf::WarningKind::ClockStep => format!(
            "{} out of order, as when the system clock is set back. Each is shown at the time of the event before it.",
            n("event is", "events are")
        ),
        ctf::WarningKind::OutOfStep => format!(
            "Stacks {from} are unreliable and were left out: two domains or processes may have written to the same \
             file. Sizes and lifetimes are correct."
        ),
        ctf::WarningKind::CutStack => {
            format!("{} truncated by memtrace.", n("very deep stack was", "very deep stacks were"))
        }
        ctf::WarningKind::MiscountedIds => format!(
            "{} different objects than the header says. Some lifetimes may be wrong.",
            n("packet contains", "packets contain")
        ),
        ctf::WarningKind::NegativePromote => format!(
            "{} to an object of another domain in a way that memtrace's own reader rejects, but camlscope accepts.",
            n("promotion refers", "promotions refer")
        ),
        ctf::WarningKind::DanglingName => format!(
            "{} missing and shown as “file?” or “name?”. memtrace 0.2.3 loses names on long source lines.",
            n("file or function name is", "file and function names are")
        ),
        ctf::WarningKind::MissingLocation => format!(
            "{} shown as 0x….",
            n("stack address has no source location and is", "stack addresses have no source location and are")
        ),
        ctf::WarningKind::ConflictingLocation => {
            format!("{} two different source locations. The first one is shown.", n("address has", "addresses have"))
        }
        ctf::WarningKind::UnknownObject => format!(
            "{} to objects whose allocation isn't in the trace.",
            n("promotion or collection refers", "promotions and collections refer")
        ),
        ctf::WarningKind::DeadObject => format!(
            "{} to objects that were already collected.",
            n("promotion or collection refers", "promotions and collections refer")
        ),
        ctf::WarningKind::UnlikelyWhole => {
            "The report's totals for the original trace don't match its samples and are ignored. All figures come \
             from the samples."
                .to_owned()
        }
    }
}

/// Formats a size, exactly if it's small.
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
            "The allocation points are missing: the program was killed before it wrote them, or that part of the file \
             is lost. Totals are available."
                .to_owned()
        }
        spacetime::WarningKind::Cut => format!("The profile is truncated {at}. Everything before that was read."),
        spacetime::WarningKind::Damaged(part) if warning.count > 1 => {
            format!("Skipped {} damaged parts. The first is {} {at}.", count(warning.count), name(part))
        }
        spacetime::WarningKind::Damaged(part) => {
            format!("Skipped {} {at}: it is damaged.", name(part))
        }
        spacetime::WarningKind::TooLarge(part) => {
            format!("Skipped {} {at}: it doesn't fit in memory.", name(part))
        }
        spacetime::WarningKind::Garbage => {
            format!("Skipped {} bytes {at} that aren't part of the profile.", count(warning.bytes))
        }
    }
}

fn name(section: Section) -> &'static str {
    match section {
        Section::Mark => "the start of a record",
        Section::Snapshot => "a snapshot",
        Section::Event => "an event",
        Section::End => "the end time",
        Section::FrameTable => "the table of source locations",
        Section::ShapeTable => "the table of functions",
        Section::Trie => "the tree of allocation points",
        Section::Series => "the series of snapshots",
    }
}
