//! Errors in the user's words: what happened, where, what to do about it.

use serde::{Deserialize, Serialize};

use crate::format;
use crate::load::{NotLoaded, Refusal};
use crate::query::filter::FilterError;
use crate::query::profile::NotInProfile;
use camlscope_formats::ctf::{self, LooksLike};
use camlscope_formats::decompress::CompressionFormat;
use camlscope_formats::spacetime;

/// An error in the user's words. The typed errors of the floors below become this once, in `session`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserError {
    /// A stable word for scripts and tests: `empty`, `not-a-trace`, `too-new`, `unreadable`, …
    pub kind: String,
    /// What happened, in one sentence.
    pub text: String,
    /// What to do about it, in one sentence; may be empty.
    pub advice: String,
    /// Where in the file, if anywhere.
    pub offset: Option<u64>,
}

const HOW_TO_RECORD: &str = "Record one by calling Memtrace.trace_if_requested () in the program \
    and running it with MEMTRACE=trace.ctf set.";

impl UserError {
    /// A message came for a load that is not, or no longer, under way.
    pub fn no_load() -> UserError {
        UserError::new("no-load", "No file is being loaded.", "Open the file again.", None)
    }

    /// Only plain traces are written packet by packet.
    pub fn not_followed(what: &str) -> UserError {
        let text = format!("{what} cannot be followed while it is written.");
        UserError::new(
            "not-followed",
            &text,
            "Follow the trace that memtrace writes, or open the file once it is whole.",
            None,
        )
    }

    /// The file could not be read; `why` is the system's or the browser's reason.
    pub fn unreadable(why: &str) -> UserError {
        let text = format!("The file could not be read: {why}.");
        UserError::new(
            "unreadable",
            &text,
            "It may have been moved, deleted or changed meanwhile: open it again.",
            None,
        )
    }

    /// The file that the page's address names could not be fetched; `why` is what became of it.
    pub fn not_fetched(address: &str, why: &str) -> UserError {
        let text = format!("{address} could not be fetched: {why}.");
        let advice = "Check the address behind ?trace=, or download the file and drop it here.";
        UserError::new("not-fetched", &text, advice, None)
    }

    /// The page's address names a file that the page may not ask for.
    pub fn not_beside_the_page(address: &str) -> UserError {
        let text = format!("{address} is not on the host that this page came from, and the page may ask no other.");
        UserError::new("other-origin", &text, "Download the file and drop it here, or put it beside the page.", None)
    }

    /// A copy of the trace could not be made for a report.
    pub fn not_packed(why: &str) -> UserError {
        let text = format!("The trace could not be put into a report: {why}.");
        UserError::new("not-packed", &text, "Save the static report, which holds no trace.", None)
    }

    /// What a report holds beside the page is damaged.
    pub fn damaged_report() -> UserError {
        UserError::new(
            "damaged-report",
            "The trace in this report is damaged and cannot be read.",
            "Ask for the report again. Other files can be opened here.",
            None,
        )
    }

    /// A question came before any trace was loaded.
    pub fn no_trace() -> UserError {
        UserError::new("no-trace", "No trace is loaded.", "Open one first.", None)
    }

    /// A question asked for a place that this trace does not have, as a link made for another trace may.
    pub fn not_here(what: &str) -> UserError {
        let text = format!("This trace has no {what}, or the filter leaves none of it.");
        UserError::new("not-here", &text, "Loosen the filter, or go back to the whole.", None)
    }

    /// A trace and a profile have no figures in common.
    pub fn trace_and_profile() -> UserError {
        UserError::new(
            "two-formats",
            "A memtrace trace and a Spacetime profile cannot be compared.",
            "Compare two traces, or two profiles.",
            None,
        )
    }

    /// Only profiles have call counts.
    pub fn no_call_counts() -> UserError {
        UserError::new("no-call-counts", "A memtrace trace does not count calls.", "Spacetime profiles do.", None)
    }

    pub fn directory() -> UserError {
        UserError::new("directory", "This is a folder, not a trace.", "Open the trace file that lies in it.", None)
    }

    /// The system allows less memory than a command may need.
    pub fn no_memory(text: &str, advice: &str) -> UserError {
        UserError::new("no-memory", text, advice, None)
    }

    /// Of several files that would have one name in a dataset.
    pub fn same_run(others: &str) -> UserError {
        UserError::new(
            "same-run",
            &format!("This is the same run of the program as {others}: host, program, pid and start are the same."),
            "None of them was converted. Keep one of these files, and convert again.",
            None,
        )
    }

    fn new(kind: &str, text: &str, advice: &str, offset: Option<u64>) -> UserError {
        UserError { kind: kind.to_owned(), text: text.to_owned(), advice: advice.to_owned(), offset }
    }
}

impl From<FilterError> for UserError {
    fn from(error: FilterError) -> UserError {
        let (kind, advice) = match &error {
            FilterError::BadPattern { .. } => {
                ("bad-pattern", "Mend the pattern, or ask for names that contain a text.")
            }
            FilterError::Impossible { .. } => ("impossible-filter", "Change or remove one of its clauses."),
        };
        UserError::new(kind, &error.to_string(), advice, None)
    }
}

impl From<NotInProfile> for UserError {
    fn from(error: NotInProfile) -> UserError {
        match error {
            NotInProfile::Filter(error) => UserError::from(error),
            NotInProfile::Objects(_) | NotInProfile::CallCounts => {
                UserError::new("not-in-profile", &error.to_string(), "", None)
            }
        }
    }
}

impl From<spacetime::Refusal> for UserError {
    fn from(refusal: spacetime::Refusal) -> UserError {
        use spacetime::Refusal;
        match refusal {
            Refusal::Empty => UserError::from(ctf::Refusal::Empty),
            Refusal::NotAProfile => UserError::new(
                "not-a-trace",
                "This is marshalled OCaml data, but no Spacetime profile.",
                HOW_TO_RECORD,
                Some(0),
            ),
            Refusal::UnknownVersion { version } => UserError::new(
                "too-new",
                &format!("This Spacetime profile has format version {version}; only version 0 can be read."),
                "OCaml's compilers never wrote another: the file may be damaged.",
                Some(0),
            ),
            Refusal::UnknownFeatures { features } => UserError::new(
                "unknown-features",
                &format!("This Spacetime profile has features that are not known (0x{features:x})."),
                "Only call counts are known: the file may be damaged.",
                Some(0),
            ),
            Refusal::Cut { bytes } => UserError::new(
                "cut",
                &format!("This Spacetime profile ends after {bytes} bytes, before its first snapshot."),
                "The program may have been killed as it started, or the copy is not complete.",
                Some(bytes),
            ),
            Refusal::Damaged { offset } => UserError::new(
                "damaged",
                "This looks like a Spacetime profile, but its first value is damaged.",
                "Copy the profile again.",
                Some(offset),
            ),
            Refusal::TooLarge { max_bytes, offset } => UserError::new(
                "too-large",
                &format!(
                    "This profile is one value that takes more than {} of memory.",
                    format::bytes(max_bytes as f64)
                ),
                "Open the file that the program wrote, spacetime-<pid>: it is read piece by piece.",
                Some(offset),
            ),
        }
    }
}

impl From<NotLoaded> for UserError {
    fn from(NotLoaded { compression, refusal }: NotLoaded) -> UserError {
        let archive = match compression {
            None => return UserError::from(refusal),
            Some(CompressionFormat::Gzip) => "gzip archive",
            Some(CompressionFormat::Zstd) => "zstd archive",
        };
        if matches!(refusal, Refusal::Trace(ctf::Refusal::Empty) | Refusal::Profile(spacetime::Refusal::Empty)) {
            let text = format!("Nothing in this {archive} can be read: it is empty, or cut off near its start.");
            return UserError::new("empty", &text, "The copy may not be complete: copy it again.", None);
        }
        let error = UserError::from(refusal);
        // Offsets lie in what was packed, which the reader has no file of.
        let text = format!("In this {archive}: {}", lower_first(&error.text));
        UserError { text, offset: None, ..error }
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| std::iter::once(first.to_ascii_lowercase()).chain(chars).collect())
}

impl From<Refusal> for UserError {
    fn from(refusal: Refusal) -> UserError {
        match refusal {
            Refusal::Trace(refusal) => UserError::from(refusal),
            Refusal::Profile(refusal) => UserError::from(refusal),
        }
    }
}

impl From<ctf::Refusal> for UserError {
    fn from(refusal: ctf::Refusal) -> UserError {
        use ctf::Refusal;
        match refusal {
            Refusal::Empty => UserError::new(
                "empty",
                "This file is empty: it has 0 bytes.",
                "The program may have been killed before it wrote anything, or may still be running.",
                None,
            ),
            Refusal::NotATrace(look) => {
                let (what, advice) = describe(look);
                let text = format!("This is no memtrace trace: it looks like {what}.");
                UserError::new("not-a-trace", &text, advice, Some(0))
            }
            Refusal::TooOld { version, offset } => UserError::new(
                "too-old",
                &format!("This trace has format version {version}, written before memtrace's first release."),
                "Record it again with a released memtrace (0.1 or later).",
                Some(offset),
            ),
            Refusal::TooNew { version, offset } => UserError::new(
                "too-new",
                &format!("This trace has format version {version}; versions 1 to 3 can be read."),
                "A newer release of camlscope may read it.",
                Some(offset),
            ),
            Refusal::CutInInfo { bytes } => UserError::new(
                "cut-in-info",
                &format!("This trace ends after {bytes} bytes, inside its very first packet: it holds no event."),
                "The program may have been killed as it started, or the copy is not complete.",
                Some(bytes),
            ),
            Refusal::DamagedInfo { what, offset } => UserError::new(
                "damaged-info",
                &format!("The first packet, which says what the trace is, is damaged: {what}."),
                "Without the sampling rate no figure would mean anything: copy the trace again, or record a new one.",
                Some(offset),
            ),
        }
    }
}

/// What a file looks like, and what to do about it.
fn describe(look: LooksLike) -> (&'static str, &'static str) {
    match look {
        LooksLike::ElfExecutable => ("an ELF executable", "Open the trace that the program wrote, not the program."),
        LooksLike::MachOExecutable => ("a macOS executable", "Open the trace that the program wrote, not the program."),
        LooksLike::WindowsExecutable => {
            ("a Windows executable", "Open the trace that the program wrote, not the program.")
        }
        LooksLike::Gzip => ("a gzip archive", "Unpack it with gunzip and open what was in it."),
        LooksLike::Zstd => ("a zstd archive", "Unpack it with unzstd and open what was in it."),
        LooksLike::Xz => ("an xz archive", "Unpack it with unxz and open what was in it."),
        LooksLike::Zip => ("a zip archive", "Unpack it and open the trace that is in it."),
        LooksLike::Png => ("a PNG picture", HOW_TO_RECORD),
        LooksLike::Pdf => ("a PDF document", HOW_TO_RECORD),
        LooksLike::Html => ("a web page or XML", HOW_TO_RECORD),
        LooksLike::Json => ("JSON", HOW_TO_RECORD),
        LooksLike::OcamlSource => ("OCaml source code", HOW_TO_RECORD),
        LooksLike::Text => ("a text file", HOW_TO_RECORD),
        LooksLike::Zeros => ("zeros", "The disk may have been full when it was written: record the trace again."),
        LooksLike::Spacetime => ("a Spacetime profile", "These cannot be opened yet; memtrace traces can."),
        LooksLike::OcamlMarshal => ("marshalled OCaml data", HOW_TO_RECORD),
        LooksLike::BigEndianCtf => {
            ("a trace written on a big-endian machine", "Only little-endian traces can be read.")
        }
        LooksLike::Unknown => ("nothing known", HOW_TO_RECORD),
    }
}
