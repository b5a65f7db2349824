//! Error messages: what happened, where, and what to do about it.

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
    /// A stable identifier for scripts and tests: `empty`, `not-a-trace`, `too-new`, `unreadable`, …
    pub kind: String,
    /// What happened, in one sentence.
    pub text: String,
    /// What to do about it, in one sentence. May be empty.
    pub advice: String,
    /// The offset in the file, if known.
    pub offset: Option<u64>,
}

const HOW_TO_RECORD: &str = "To record a trace, call Memtrace.trace_if_requested () in your program \
    and run it with MEMTRACE=trace.ctf.";

impl UserError {
    pub fn of(error: Error, units: Units) -> UserError {
        match error {
            Error::NoLoad => UserError::new("no-load", "No file is being loaded.", "Open the file again.", None),
            Error::NoTrace => UserError::new("no-trace", "No trace is loaded.", "Open a trace first.", None),
            Error::NotInStacks => UserError::new(
                "not-here",
                "This stack isn't in the trace, or the filter excludes it.",
                "Relax the filter, or show all stacks.",
                None,
            ),
            Error::TraceAndProfile => UserError::new(
                "two-formats",
                "Can't compare a memtrace trace with a Spacetime profile.",
                "Compare two traces or two profiles.",
                None,
            ),
            Error::NoCallCounts => UserError::new(
                "no-call-counts",
                "A memtrace trace has no call counts.",
                "Only Spacetime profiles can have them.",
                None,
            ),
            Error::NotFollowed(what) => {
                let what = match what {
                    NotFollowed::Profile => "a Spacetime profile",
                    NotFollowed::Compressed => "a compressed file",
                };
                UserError::new(
                    "not-followed",
                    &format!("Can't follow {what} while it is being written."),
                    "Follow the uncompressed trace that memtrace writes, or open the file when it is complete.",
                    None,
                )
            }
            Error::NotLoaded(error) => not_loaded(error, units),
            Error::Filter(error) | Error::NotInProfile(NotInProfile::Filter(error)) => wrong_filter(&error),
            Error::NotInProfile(error) => UserError::new("not-in-profile", &not_in_profile(&error), "", None),
            Error::Unreadable(why) => UserError::unreadable(&why),
            // The file was specified in the page's URL.
            Error::NotFetched { address, why } => UserError::new(
                "not-fetched",
                &format!("Can't fetch {address}: {}.", not_fetched(why, units)),
                "Check the address after ?trace=, or download the file and drop it here.",
                None,
            ),
            Error::NotEmbedded(why) => UserError::not_embedded(&why),
        }
    }

    /// The file couldn't be read; `why` is the system's or the browser's reason.
    pub fn unreadable(why: &str) -> UserError {
        let text = format!("Can't read the file: {why}.");
        let advice = "It may have been moved, deleted or changed. Open it again.";
        UserError::new("unreadable", &text, advice, None)
    }

    /// A report couldn't include a copy of the trace.
    pub fn not_embedded(why: &str) -> UserError {
        let text = format!("Can't include the trace in the report: {why}.");
        UserError::new("not-packed", &text, "Save a static report, which doesn't include the trace.", None)
    }

    /// The page's URL specifies a file that the page isn't allowed to request.
    pub fn not_beside_the_page(address: &str) -> UserError {
        let text = format!("Can't open {address}: this page can only fetch files from its own host.");
        UserError::new("other-origin", &text, "Download the file and drop it here, or put it next to the page.", None)
    }

    /// The trace in a report is damaged.
    pub fn damaged_report() -> UserError {
        UserError::new(
            "damaged-report",
            "Can't read the trace in this report: it is damaged.",
            "Ask for a new copy of the report. You can still open other files here.",
            None,
        )
    }

    pub fn directory() -> UserError {
        UserError::new("directory", "This is a folder, not a trace.", "Open a trace file in this folder.", None)
    }

    /// A folder was searched for traces.
    pub fn no_traces() -> UserError {
        let advice = "Folders are searched for `.ctf` files, compressed or not, and for `spacetime-<pid>` files.";
        UserError::new("no-traces", "This folder contains no traces.", advice, None)
    }

    /// A live trace was awaited. `waited` is a duration.
    pub fn never_written(waited: &str) -> UserError {
        let text = format!("No trace was written within {waited}.");
        UserError::new("never-written", &text, HOW_TO_RECORD, None)
    }

    /// The system allows less memory than a command may need.
    pub fn no_memory(text: &str, advice: &str) -> UserError {
        UserError::new("no-memory", text, advice, None)
    }

    /// Several files would have the same name in a dataset.
    pub fn same_run(others: &str) -> UserError {
        UserError::new(
            "same-run",
            &format!("This is the same run as {others}: host, program, pid and start time are equal."),
            "None of these files was converted. Keep one of them and convert again.",
            None,
        )
    }

    fn new(kind: &str, text: &str, advice: &str, offset: Option<u64>) -> UserError {
        UserError { kind: kind.to_owned(), text: text.to_owned(), advice: advice.to_owned(), offset }
    }
}

/// Uses the units of the command line.
impl From<Error> for UserError {
    fn from(error: Error) -> UserError {
        UserError::of(error, Units::Binary)
    }
}

/// Describes a filter that can't be used, in one sentence.
pub fn filter_error(error: &FilterError) -> String {
    match error {
        FilterError::BadPattern { pattern, why } => format!("“{pattern}” isn't a valid regular expression: {why}."),
        FilterError::Impossible(why) => {
            let why = match why {
                Contradiction::Reversed => "a range ends before it starts",
                Contradiction::AllocationTimes => "its allocation time ranges don't overlap",
                Contradiction::CollectionTimes => "its collection time ranges don't overlap",
                Contradiction::NeverCollected => "objects that were never collected have no collection time",
                Contradiction::NoHeap => "it excludes every heap",
                Contradiction::NoDomain => "it excludes every domain",
            };
            format!("No object can match this filter: {why}.")
        }
    }
}

/// Explains why a text isn't a filter.
pub fn parse_error(error: &ParseError) -> String {
    const KEYS: &str = "allocated, collected, live-at, live-within, live-through, size, lifetime, temporary, heap, domain, \
        function, file, module, line (with not-, allocating- or responsible- before, -is, -contains or -matches \
        after), calls, hide, focus";
    match error {
        ParseError::UnknownKey(key) => format!("unknown filter “{key}”; the filters are {KEYS}"),
        ParseError::BadValue { key, value } => {
            format!("invalid value “{value}” for {key}: {}", expected_value(key))
        }
        ParseError::NoValue(text) => {
            format!("“{text}” isn't a filter: write key=value, such as size=257..")
        }
        ParseError::BadEscape(text) => format!("“{text}” has invalid percent-encoding"),
    }
}

/// For a field that takes a point in time.
pub fn not_a_time(typed: &str) -> String {
    format!("“{typed}” isn't a time. Use a time such as 3.5s, peak or end.")
}

/// For a field that takes a time range.
pub fn not_a_time_range(typed: &str) -> String {
    format!("“{typed}” isn't a time range. Use a range such as 1s..2s, 500ms.. or ..3min.")
}

/// Describes the values that a clause accepts.
pub fn expected_value(key: &str) -> &'static str {
    match key {
        "collected" => "expected never, or a time range such as 1s..2s",
        "live-at" => "expected a time such as 3.5s, peak or end",
        "temporary" => "expected a time such as 10ms, or further allocation such as 4MiB",
        "size" => "expected a number of words such as 257.., or of bytes such as 1KiB..2MiB",
        "heap" => "expected a comma-separated list of minor, promoted, major and external",
        "domain" => "expected a comma-separated list of domains such as 0,1",
        "calls" => r"expected a caller and a callee such as f>g; write \> for any other >",
        key if key.ends_with("line") || key.ends_with("line-is") => "expected a file and a line such as orders.ml:88",
        _ => "expected a time range such as 1s..2s, 500ms.. or ..3min",
    }
}

/// Explains why a profile doesn't support a query.
pub fn not_in_profile(error: &NotInProfile) -> String {
    let data = match error {
        NotInProfile::Filter(error) => return filter_error(error),
        NotInProfile::CallCounts => {
            return "This profile has no call counts: the program was built without them.".to_owned();
        }
        NotInProfile::Objects(data) => match data {
            ObjectData::Curve => "timeline of individual objects",
            ObjectData::Domains => "domains",
            ObjectData::Events => "object events",
            ObjectData::HeapsOrDomains => "heaps or domains",
            ObjectData::Lifetimes => "lifetimes",
            ObjectData::Objects => "objects to export",
            ObjectData::Promotions => "promotions",
            ObjectData::Samples => "samples",
            ObjectData::Sizes => "object sizes",
            ObjectData::SizesOrLifetimes => "object sizes or lifetimes",
            ObjectData::NeverFreed => "counts of blocks or samples that were never freed",
        },
    };
    format!("A Spacetime profile has no {data}: it counts words and blocks by allocation site.")
}

fn wrong_filter(error: &FilterError) -> UserError {
    let (kind, advice) = match error {
        FilterError::BadPattern { .. } => ("bad-pattern", "Fix the pattern, or search for plain text."),
        FilterError::Impossible(_) => ("impossible-filter", "Change or remove one of the filters."),
    };
    UserError::new(kind, &filter_error(error), advice, None)
}

fn not_fetched(why: FetchError, units: Units) -> String {
    match why {
        FetchError::NoAnswer => {
            "the host didn't respond, or redirected to a host that this page may not use".to_owned()
        }
        FetchError::NotFound => "the file doesn't exist".to_owned(),
        FetchError::Status(status) => format!("the host responded with status {status}"),
        FetchError::Empty => "the response is empty".to_owned(),
        FetchError::BrokenOff { offset } => format!("the connection was closed after {}", units.bytes(offset as f64)),
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
        Some(CompressionFormat::Gzip) => "gzip file",
        Some(CompressionFormat::Zstd) => "zstd file",
    };
    if is_empty {
        let text = format!("This {archive} is empty, or truncated near its start.");
        return UserError::new("empty", &text, "The copy may be incomplete. Copy the file again.", None);
    }
    // Offsets are in the decompressed data, so they don't apply to the user's file.
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
            "This is marshaled OCaml data, but it isn't a Spacetime profile.",
            HOW_TO_RECORD,
            Some(0),
        ),
        Refusal::UnknownVersion { version } => UserError::new(
            "too-new",
            &format!("This Spacetime profile has format version {version}. Only version 0 is supported."),
            "OCaml never wrote another version, so the file may be damaged.",
            Some(0),
        ),
        Refusal::UnknownFeatures { features } => UserError::new(
            "unknown-features",
            &format!("This Spacetime profile has unknown features (0x{features:x})."),
            "Only call counts (0x1) are supported. The file may be damaged.",
            Some(0),
        ),
        Refusal::Cut { bytes } => UserError::new(
            "cut",
            &format!("This Spacetime profile is truncated: it ends after {bytes} bytes, before its first snapshot."),
            "The program may have been killed at start-up, or the copy may be incomplete.",
            Some(bytes),
        ),
        Refusal::Damaged { offset } => UserError::new(
            "damaged",
            "This looks like a Spacetime profile, but its start is damaged.",
            "Copy the file again.",
            Some(offset),
        ),
        Refusal::TooLarge { max_bytes, offset } => UserError::new(
            "too-large",
            &format!("This profile needs more than {} of memory.", units.bytes(max_bytes as f64)),
            "Open spacetime-<pid>, the file that the program wrote. It is read in parts.",
            Some(offset),
        ),
    }
}

fn trace_refused(refusal: ctf::Refusal) -> UserError {
    use ctf::Refusal;
    match refusal {
        Refusal::Empty => UserError::new(
            "empty",
            "This file is empty (0 bytes).",
            "The program may have been killed before it wrote anything, or may still be running.",
            None,
        ),
        Refusal::NotATrace(look) => {
            let (what, advice) = describe(look);
            let text = match look {
                LooksLike::Unknown => "This isn't a memtrace trace.".to_owned(),
                _ => format!("This isn't a memtrace trace: it looks like {what}."),
            };
            UserError::new("not-a-trace", &text, advice, Some(0))
        }
        Refusal::TooOld { version, offset } => UserError::new(
            "too-old",
            &format!("This trace has format version {version}, from before memtrace's first release."),
            "Record the trace again with memtrace 0.1 or later.",
            Some(offset),
        ),
        Refusal::TooNew { version, offset } => UserError::new(
            "too-new",
            &format!("This trace has format version {version}. Versions 1 to 3 are supported."),
            "Try a newer release of camlscope.",
            Some(offset),
        ),
        Refusal::CutInInfo { bytes } => UserError::new(
            "cut-in-info",
            &format!("This trace is truncated: it ends after {bytes} bytes, before its first event."),
            "The program may have been killed at start-up, or the copy may be incomplete.",
            Some(bytes),
        ),
        Refusal::DamagedInfo { what, offset } => UserError::new(
            "damaged-info",
            &format!("The trace header is damaged: {what}."),
            "Without the header, the sampling rate is unknown. Copy the trace again, or record a new one.",
            Some(offset),
        ),
    }
}

/// Returns the likely kind of a file, and advice.
fn describe(look: LooksLike) -> (&'static str, &'static str) {
    match look {
        LooksLike::ElfExecutable => ("an ELF executable", "Open the trace that the program wrote, not the program."),
        LooksLike::MachOExecutable => ("a macOS executable", "Open the trace that the program wrote, not the program."),
        LooksLike::WindowsExecutable => {
            ("a Windows executable", "Open the trace that the program wrote, not the program.")
        }
        LooksLike::Gzip => ("a gzip file", "Decompress it with gunzip and open the result."),
        LooksLike::Zstd => ("a zstd file", "Decompress it with unzstd and open the result."),
        LooksLike::Xz => ("an xz file", "Decompress it with unxz and open the result."),
        LooksLike::Zip => ("a zip archive", "Extract it and open the trace inside."),
        LooksLike::Png => ("a PNG image", HOW_TO_RECORD),
        LooksLike::Pdf => ("a PDF document", HOW_TO_RECORD),
        LooksLike::Html => ("HTML or XML", HOW_TO_RECORD),
        LooksLike::Json => ("JSON", HOW_TO_RECORD),
        LooksLike::OcamlSource => ("OCaml source code", HOW_TO_RECORD),
        LooksLike::Text => ("a text file", HOW_TO_RECORD),
        LooksLike::Zeros => ("a file full of zeros", "The disk may have been full. Record the trace again."),
        LooksLike::Spacetime => ("a Spacetime profile", "Only memtrace traces can be opened here."),
        LooksLike::OcamlMarshal => ("marshaled OCaml data", HOW_TO_RECORD),
        LooksLike::BigEndianCtf => {
            ("a trace written on a big-endian machine", "Only little-endian traces are supported.")
        }
        LooksLike::Unknown => ("an unknown format", HOW_TO_RECORD),
    }
}
