//! Errors in the user's words: what happened, where, what to do about it.

use serde::Serialize;

use crate::format::Units;
use camlscope_engine::load::{NotLoaded, Refusal};
use camlscope_engine::protocol::{Error, FetchError, NotFollowed};
use camlscope_engine::query::filter::{Contradiction, FilterError, ParseError};
use camlscope_engine::query::profile::{NotInProfile, ObjectData};
use camlscope_formats::ctf::{self, LooksLike};
use camlscope_formats::decompress::CompressionFormat;
use camlscope_formats::spacetime;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    pub fn of(error: Error, units: Units) -> UserError {
        match error {
            Error::NoLoad => UserError::new("no-load", "No file is being loaded.", "Open the file again.", None),
            Error::NoTrace => UserError::new("no-trace", "No trace is loaded.", "Open one first.", None),
            Error::NotInStacks => UserError::new(
                "not-here",
                "This trace has no such place in its stacks, or the filter leaves none of it.",
                "Loosen the filter, or go back to the whole.",
                None,
            ),
            Error::TraceAndProfile => UserError::new(
                "two-formats",
                "A memtrace trace and a Spacetime profile cannot be compared.",
                "Compare two traces, or two profiles.",
                None,
            ),
            Error::NoCallCounts => UserError::new(
                "no-call-counts",
                "A memtrace trace does not count calls.",
                "Spacetime profiles do.",
                None,
            ),
            Error::NotFollowed(what) => {
                let what = match what {
                    NotFollowed::Profile => "A Spacetime profile",
                    NotFollowed::Compressed => "A packed file",
                };
                UserError::new(
                    "not-followed",
                    &format!("{what} cannot be followed while it is written."),
                    "Follow the trace that memtrace writes, or open the file once it is whole.",
                    None,
                )
            }
            Error::NotLoaded(error) => not_loaded(error, units),
            Error::Filter(error) | Error::NotInProfile(NotInProfile::Filter(error)) => wrong_filter(&error),
            Error::NotInProfile(error) => UserError::new("not-in-profile", &not_in_profile(&error), "", None),
            Error::Unreadable(why) => UserError::unreadable(&why),
            // The address of the page names the file.
            Error::NotFetched { address, why } => UserError::new(
                "not-fetched",
                &format!("{address} could not be fetched: {}.", not_fetched(why, units)),
                "Check the address behind ?trace=, or download the file and drop it here.",
                None,
            ),
            Error::NotEmbedded(why) => UserError::not_embedded(&why),
        }
    }

    /// The file could not be read; `why` is the system's or the browser's reason.
    pub fn unreadable(why: &str) -> UserError {
        let text = format!("The file could not be read: {why}.");
        let advice = "It may have been moved, deleted or changed meanwhile: open it again.";
        UserError::new("unreadable", &text, advice, None)
    }

    /// A copy of the trace could not be made for a report.
    pub fn not_embedded(why: &str) -> UserError {
        let text = format!("The trace could not be put into a report: {why}.");
        UserError::new("not-packed", &text, "Save the static report, which holds no trace.", None)
    }

    /// The page's address names a file that the page may not ask for.
    pub fn not_beside_the_page(address: &str) -> UserError {
        let text = format!("{address} is not on the host that this page came from, and the page may ask no other.");
        UserError::new("other-origin", &text, "Download the file and drop it here, or put it beside the page.", None)
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

/// In the units of the command line.
impl From<Error> for UserError {
    fn from(error: Error) -> UserError {
        UserError::of(error, Units::Binary)
    }
}

/// One sentence about a filter that can't be used.
pub fn filter_error(error: &FilterError) -> String {
    match error {
        FilterError::BadPattern { pattern, why } => format!("“{pattern}” is no regular expression: {why}."),
        FilterError::Impossible(why) => {
            let why = match why {
                Contradiction::Reversed => "a range begins behind its end",
                Contradiction::AllocationTimes => "its ranges of allocation times do not overlap",
                Contradiction::CollectionTimes => "its ranges of collection times do not overlap",
                Contradiction::NeverCollected => "an object that was never collected has no collection time",
                Contradiction::NoHeap => "no heap is left",
                Contradiction::NoDomain => "no domain is left",
            };
            format!("No object can pass this filter: {why}.")
        }
    }
}

/// Why a text is no filter.
pub fn parse_error(error: &ParseError) -> String {
    const KEYS: &str = "allocated, collected, live-at, live-within, live-through, size, lifetime, heap, domain, \
        function, file, module (with not-, allocating- or responsible- before, -is or -contains behind), calls, hide, focus";
    match error {
        ParseError::UnknownKey(key) => format!("there is no clause “{key}”; known are {KEYS}"),
        ParseError::BadValue { key, value } => {
            format!("“{value}” is no value for {key}: {}", expected_value(key))
        }
        ParseError::NoValue(text) => {
            format!("“{text}” is no clause: one is written key=value, such as size=257..")
        }
        ParseError::BadEscape(text) => format!("“{text}” is damaged: its percent signs do not spell text"),
    }
}

/// Which values a clause takes.
pub fn expected_value(key: &str) -> &'static str {
    match key {
        "collected" => "never or a range of times such as 1s..2s is expected",
        "live-at" => "a time such as 3.5s, peak or end is expected",
        "size" => "a number of words such as 257.. or of bytes such as 1KiB..2MiB is expected",
        "heap" => "some of minor, promoted, major and external are expected, with commas between them",
        "domain" => "numbers of domains such as 0,1 are expected",
        "calls" => r"a caller and a callee such as f>g are expected, with \ before any other >",
        _ => "a range of times such as 1s..2s, 500ms.. or ..3min is expected",
    }
}

/// Why a profile cannot answer, in one sentence.
pub fn not_in_profile(error: &NotInProfile) -> String {
    let data = match error {
        NotInProfile::Filter(error) => return filter_error(error),
        NotInProfile::CallCounts => {
            return "This profile has no call counts: the program was built without them.".to_owned();
        }
        NotInProfile::Objects(data) => match data {
            ObjectData::Curve => "curve of the objects that were live or allocated at a time",
            ObjectData::Domains => "domains",
            ObjectData::Events => "events of objects",
            ObjectData::HeapsOrDomains => "heaps or domains",
            ObjectData::Lifetimes => "lifetimes",
            ObjectData::Objects => "objects to write",
            ObjectData::Promotions => "promotions",
            ObjectData::Samples => "samples",
            ObjectData::Sizes => "sizes of objects",
            ObjectData::SizesOrLifetimes => "sizes or lifetimes of objects",
            ObjectData::NeverFreed => "blocks or samples that were never freed",
        },
    };
    format!("A Spacetime profile has no {data}: it counts words and blocks by allocation point, not single objects.")
}

fn wrong_filter(error: &FilterError) -> UserError {
    let (kind, advice) = match error {
        FilterError::BadPattern { .. } => ("bad-pattern", "Mend the pattern, or ask for names that contain a text."),
        FilterError::Impossible(_) => ("impossible-filter", "Change or remove one of its clauses."),
    };
    UserError::new(kind, &filter_error(error), advice, None)
}

fn not_fetched(why: FetchError, units: Units) -> String {
    match why {
        FetchError::NoAnswer => {
            "the host did not answer, or led to another host, which this page may not ask".to_owned()
        }
        FetchError::NotFound => "there is no such file".to_owned(),
        FetchError::Status(status) => format!("the host answered {status}"),
        FetchError::Empty => "the answer is empty".to_owned(),
        FetchError::BrokenOff { offset } => format!("the connection broke off after {}", units.bytes(offset as f64)),
    }
}

fn not_loaded(NotLoaded { compression, refusal }: NotLoaded, units: Units) -> UserError {
    let is_empty = matches!(refusal, Refusal::Trace(ctf::Refusal::Empty) | Refusal::Profile(spacetime::Refusal::Empty));
    let error = match refusal {
        Refusal::Trace(refusal) => trace_refused(refusal),
        Refusal::Profile(refusal) => profile_refused(refusal, units),
    };
    let archive = match compression {
        None => return error,
        Some(CompressionFormat::Gzip) => "gzip archive",
        Some(CompressionFormat::Zstd) => "zstd archive",
    };
    if is_empty {
        let text = format!("Nothing in this {archive} can be read: it is empty, or cut off near its start.");
        return UserError::new("empty", &text, "The copy may not be complete: copy it again.", None);
    }
    // Offsets are in the decompressed data, which the reader has no file of.
    let text = format!("In this {archive}: {}", lower_first(&error.text));
    UserError { text, offset: None, ..error }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| std::iter::once(first.to_ascii_lowercase()).chain(chars).collect())
}

fn profile_refused(refusal: spacetime::Refusal, units: Units) -> UserError {
    use spacetime::Refusal;
    match refusal {
        Refusal::Empty => trace_refused(ctf::Refusal::Empty),
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
            &format!("This profile is one value that takes more than {} of memory.", units.bytes(max_bytes as f64)),
            "Open the file that the program wrote, spacetime-<pid>: it is read piece by piece.",
            Some(offset),
        ),
    }
}

fn trace_refused(refusal: ctf::Refusal) -> UserError {
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

/// The likely kind of a file, and advice.
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
