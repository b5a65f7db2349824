//! The copy of a trace in a report has the figures of the original, however much it was downsampled to fit.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use camlscope_engine::protocol::{Answer, Question, Request, Slot, View};
use camlscope_engine::query::filter::{Clause, Filter, Span, select};
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::query::table::{Column, Order, Row, TableConfig};
use camlscope_engine::session::Session;
use camlscope_engine::trace::{Budget, SourceTotals, Trace, Whole};
use camlscope_present::export::{EmbedConfig, EmbeddedTrace, Keep, embed_trace};
use camlscope_testkit::fixtures::{check_invariants, fixture, load, open_in, opened};

const FIXTURES: [&str; 4] = ["orders-1e-4-v2", "leak-1e-4-v3", "typecore-1e-4-v2", "domains-multi-1e-3-o5-v3"];
const UNBOUNDED: EmbedConfig = EmbedConfig { max_bytes: u64::MAX, anonymize: None };

#[test]
fn a_copy_that_fits_has_the_same_summary() {
    for name in FIXTURES {
        let trace = trace(name);
        let embedded = embed(&trace, UNBOUNDED);
        assert_eq!(embedded.whole.downsampled, 1, "{name}");
        let (_, copy) = open(&embedded);
        assert_eq!(comparable(copy), comparable(summary_of(&fixture(name))), "{name}");
    }
}

#[test]
fn a_downsampled_copy_fits_and_keeps_the_original_totals() {
    for name in FIXTURES {
        let trace = trace(name);
        let all = embed(&trace, UNBOUNDED).base64.len() as u64;
        for part in [2, 5] {
            let embedded = embed(&trace, EmbedConfig { max_bytes: all / part, ..UNBOUNDED });
            assert!(
                embedded.base64.len() as u64 <= all / part && embedded.base64.len() as u64 > all / part / 2,
                "{name}"
            );
            let whole = summary_of(&fixture(name));
            let (_, copy) = open(&embedded);
            assert_eq!(copy.downsampled, Some(embedded.whole.downsampled), "{name}");
            assert_eq!((copy.events, copy.allocs, copy.end_us), (whole.events, whole.allocs, whole.end_us), "{name}");
            let counted = |summary: &Summary| {
                let samples = &summary.samples;
                [samples.total, samples.minor, samples.major, samples.external]
            };
            assert_eq!(counted(&copy), counted(&whole), "{name}");
            assert!((copy.allocated_bytes / whole.allocated_bytes - 1.0).abs() < 1e-12, "{name}");
            let off = copy.peak.bytes / whole.peak.bytes - 1.0;
            let error = copy.kept_error(copy.peak.samples).expect("a peak");
            assert!(off.abs() < 4.5 * error, "{name}: the peak is {off} off, but the margin is ±{error}");
        }
    }
}

#[test]
fn a_downsampled_table_is_within_its_error_margins() {
    for name in FIXTURES {
        let trace = trace(name);
        let all = embed(&trace, UNBOUNDED).base64.len() as u64;
        let embedded = embed(&trace, EmbedConfig { max_bytes: all / 3, ..UNBOUNDED });
        let (mut session, _) = open(&embedded);
        let copy = table(&mut session);
        let mut whole = opened(&fixture(name));
        let mut n_held = 0;
        for row in table(&mut whole).iter().filter(|row| row.total_samples > 100) {
            let same = copy.iter().find(|other| (&other.name, &other.file) == (&row.name, &row.file));
            let same = same.unwrap_or_else(|| panic!("{name}: {} is missing", row.name));
            let error = same.error.expect("no error margin");
            let off = (same.total_bytes - row.total_bytes) / same.total_bytes;
            assert!(off.abs() < 4.5 * error, "{name}: {} is {off} off, but the margin is ±{error}", row.name);
            n_held += 1;
        }
        assert!(n_held >= 5, "{name}: {n_held} rows");
    }
}

#[test]
fn a_filtered_copy_has_the_totals_of_its_objects() {
    let trace = trace("orders-1e-4-v2");
    let filter = Filter { clauses: vec![Clause::Allocated(Span::new(0, trace.end_us / 2))] };
    let selection = select(&trace, &filter).expect("a filter");
    let embed =
        |max_bytes| embed_trace(&trace, &selection, EmbedConfig { max_bytes, anonymize: None }).expect("a copy");
    let cut = embed(u64::MAX);
    let downsampled = embed(cut.base64.len() as u64 / 2);
    assert!(downsampled.whole.downsampled > 1);
    assert_eq!(Whole { downsampled: 1, ..downsampled.whole.clone() }, cut.whole);
    let (_, summary) = open(&downsampled);
    assert_eq!(summary.events.alloc, selection.len() as u64);
    assert_eq!(summary.end_us, trace.end_us);
}

/// A copy is written from the model, so its bytes don't show that the file was truncated or partly unreadable.
#[test]
fn a_copy_of_a_damaged_trace_keeps_the_warnings() {
    let mut bytes = fixture("typecore-1e-4-v2");
    let (middle, end) = (bytes.len() / 2, bytes.len() - 1_000);
    bytes[middle..middle + 64].fill(0xff);
    bytes.truncate(end);
    let damaged = load(&bytes, usize::MAX, Budget::default()).expect("a trace");
    let own_warnings = summary_of(&bytes).warnings;
    assert!(own_warnings.len() >= 2, "{own_warnings:?}");
    let all = embed(&damaged, UNBOUNDED);
    let downsampled = embed(&damaged, EmbedConfig { max_bytes: all.base64.len() as u64 / 2, ..UNBOUNDED });
    for embedded in [all, downsampled] {
        let (_, copy) = open(&embedded);
        assert!(
            own_warnings.iter().all(|warning| copy.warnings.contains(warning)),
            "{own_warnings:?} became {:?}",
            copy.warnings
        );
        let doubly = EmbeddedTrace {
            whole: Whole { warnings: [&embedded.whole.warnings[..]; 2].concat(), ..embedded.whole.clone() },
            ..embedded
        };
        assert_eq!(open(&doubly).1.warnings, copy.warnings, "each kind must be reported once");
    }
}

#[test]
fn an_anonymized_copy_has_no_names() {
    let embedded = embed(&trace("orders-1e-4-v2"), EmbedConfig { anonymize: Some(Keep::default()), ..UNBOUNDED });
    let (mut session, summary) = open(&embedded);
    assert_eq!((summary.info.executable.as_str(), summary.info.pid), ("", 0));
    assert!(table(&mut session).iter().all(|row| !row.name.contains("Orders")));
}

#[test]
fn a_copy_without_room_for_a_sample_is_an_error() {
    let config = EmbedConfig { max_bytes: 100, ..UNBOUNDED };
    let trace = trace("orders-1e-4-v2");
    assert!(embed_trace(&trace, &Selection::all(trace.columns.len()), config).is_err());
}

/// A report's author can write anything next to the trace.
#[test]
fn impossible_totals_are_ignored() {
    let trace = trace("orders-1e-4-v2");
    let all = embed(&trace, UNBOUNDED);
    let embedded = embed(&trace, EmbedConfig { max_bytes: all.base64.len() as u64 / 2, ..UNBOUNDED });
    let Whole { downsampled, alloc_samples, .. } = embedded.whole;
    let totals = || embedded.whole.clone();
    let wrong = [
        Whole { downsampled: 0, ..totals() },
        Whole { downsampled: 1, ..totals() },
        Whole { downsampled: u32::MAX, ..totals() },
        Whole { alloc_samples: SourceTotals { minor: 3, ..alloc_samples }, ..totals() },
        Whole { alloc_samples: SourceTotals { major: u64::MAX, ..alloc_samples }, ..totals() },
        Whole { alloc_events: SourceTotals::default(), ..totals() },
        Whole { n_collects: u64::MAX, ..totals() },
        Whole { end_us: 0, ..totals() },
        Whole { end_us: u64::MAX, ..totals() },
    ];
    for whole in wrong {
        let (_, summary) = open(&EmbeddedTrace { whole: whole.clone(), ..embedded.clone() });
        assert_eq!(summary.downsampled, None, "{whole:?}");
        assert!(summary.warnings.iter().any(|warning| warning.kind.as_str() == "unlikely-whole"), "{whole:?}");
    }
    let (session, summary) = open(&embedded);
    assert_eq!(summary.downsampled, Some(downsampled));
    check_invariants(session.trace(Slot::Main).expect("a trace"));
}

fn trace(name: &str) -> Trace {
    load(&fixture(name), usize::MAX, Budget::default()).expect("a trace")
}

fn embed(trace: &Trace, config: EmbedConfig) -> EmbeddedTrace {
    embed_trace(trace, &Selection::all(trace.columns.len()), config).expect("a copy")
}

/// Opens a copy the way the page does.
fn open(embedded: &EmbeddedTrace) -> (Session, Summary) {
    let bytes = BASE64_STANDARD.decode(&embedded.base64).expect("base64");
    let mut session = Session::new();
    session.begin_copy(Slot::Main, Some(bytes.len() as u64), Some(embedded.whole.clone()));
    session.push(&bytes).expect("a trace");
    let summary = session.finish().expect("a trace");
    (session, summary)
}

fn summary_of(bytes: &[u8]) -> Summary {
    open_in(&mut Session::new(), Slot::Main, bytes)
}

/// Removes what belongs to the file rather than the trace: version, sizes and warnings.
fn comparable(summary: Summary) -> Summary {
    Summary { version: 0, file_bytes: 0, decompressed_bytes: 0, warnings: Vec::new(), ..summary }
}

fn table(session: &mut Session) -> Vec<Row> {
    let order = Order { column: Column::TotalBytes, descending: true };
    let question = Question::Table(TableConfig { order, search: String::new(), rows: 0..usize::MAX });
    match session.handle(&Request { view: View::default(), question }) {
        Ok(Answer::Table(table)) => table.rows,
        other => panic!("{other:?}"),
    }
}
