//! The copy of a trace in a report: it says what the whole says, however much it was thinned to fit.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use camlscope_engine::protocol::{Answer, Question, Request, Slot, View};
use camlscope_engine::query::filter::{Clause, Filter, Span, select};
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::query::table::{Column, Order, Row, TableConfig};
use camlscope_engine::session::Session;
use camlscope_engine::trace::{Budget, SourceTotals, Trace, Whole};
use camlscope_present::export::{Keep, PackConfig, Packed, pack_trace};
use camlscope_testkit::fixtures::{check_invariants, fixture, load};

const FIXTURES: [&str; 4] = ["orders-1e-4-v2", "leak-1e-4-v3", "typecore-1e-4-v2", "domains-multi-1e-3-o5-v3"];
const UNBOUNDED: PackConfig = PackConfig { max_bytes: u64::MAX, anonymise: None };

#[test]
fn a_copy_that_fits_whole_says_what_the_trace_says() {
    for name in FIXTURES {
        let trace = trace(name);
        let packed = pack(&trace, UNBOUNDED);
        assert_eq!(packed.whole.thinned, 1, "{name}");
        let (_, copy) = open(&packed);
        assert_eq!(comparable(copy), comparable(summary_of(&fixture(name))), "{name}");
    }
}

#[test]
fn a_thinned_copy_fits_and_its_totals_are_those_of_the_whole() {
    for name in FIXTURES {
        let trace = trace(name);
        let all = pack(&trace, UNBOUNDED).base64.len() as u64;
        for part in [2, 5] {
            let packed = pack(&trace, PackConfig { max_bytes: all / part, ..UNBOUNDED });
            assert!(packed.base64.len() as u64 <= all / part && packed.base64.len() as u64 > all / part / 2, "{name}");
            let whole = summary_of(&fixture(name));
            let (_, copy) = open(&packed);
            assert_eq!(copy.thinned, Some(packed.whole.thinned), "{name}");
            assert_eq!((copy.events, copy.allocs, copy.end_us), (whole.events, whole.allocs, whole.end_us), "{name}");
            let counted = |summary: &Summary| {
                let samples = &summary.samples;
                [samples.total, samples.minor, samples.major, samples.external]
            };
            assert_eq!(counted(&copy), counted(&whole), "{name}");
            assert!((copy.allocated_bytes / whole.allocated_bytes - 1.0).abs() < 1e-12, "{name}");
            let off = copy.peak.bytes / whole.peak.bytes - 1.0;
            let error = copy.kept_error(copy.peak.samples).expect("a peak");
            assert!(off.abs() < 4.5 * error, "{name}: the peak is {off} off, and ±{error} is said");
        }
    }
}

#[test]
fn the_table_of_a_thinned_copy_is_within_its_error_bars() {
    for name in FIXTURES {
        let trace = trace(name);
        let all = pack(&trace, UNBOUNDED).base64.len() as u64;
        let packed = pack(&trace, PackConfig { max_bytes: all / 3, ..UNBOUNDED });
        let (mut session, _) = open(&packed);
        let copy = table(&mut session);
        let mut whole = Session::new();
        whole.begin(Slot::Main, None);
        whole.push(&fixture(name)).expect("a trace");
        whole.finish().expect("a trace");
        let mut n_held = 0;
        for row in table(&mut whole).iter().filter(|row| row.total_samples > 100) {
            let same = copy.iter().find(|other| (&other.name, &other.file) == (&row.name, &row.file));
            let same = same.unwrap_or_else(|| panic!("{name}: {} is lost", row.name));
            let error = same.error.expect("it has samples");
            let off = (same.total_bytes - row.total_bytes) / same.total_bytes;
            assert!(off.abs() < 4.5 * error, "{name}: {} is {off} off, and ±{error} is said", row.name);
            n_held += 1;
        }
        assert!(n_held >= 5, "{name}: {n_held} rows");
    }
}

#[test]
fn a_cut_copy_has_the_totals_of_what_is_in_it() {
    let trace = trace("orders-1e-4-v2");
    let filter = Filter { clauses: vec![Clause::Allocated(Span::new(0, trace.end_us / 2))] };
    let selection = select(&trace, &filter).expect("a filter");
    let pack = |max_bytes| pack_trace(&trace, &selection, PackConfig { max_bytes, anonymise: None }).expect("a copy");
    let cut = pack(u64::MAX);
    let thinned = pack(cut.base64.len() as u64 / 2);
    assert!(thinned.whole.thinned > 1);
    assert_eq!(Whole { thinned: 1, ..thinned.whole.clone() }, cut.whole);
    let (_, summary) = open(&thinned);
    assert_eq!(summary.events.alloc, selection.len() as u64);
    assert_eq!(summary.end_us, trace.end_us);
}

/// A copy is written anew, so nothing in it shows that the file was cut or that parts of it could not be read.
#[test]
fn a_copy_of_a_damaged_trace_says_what_was_wrong_with_it() {
    let mut bytes = fixture("typecore-1e-4-v2");
    let (middle, end) = (bytes.len() / 2, bytes.len() - 1_000);
    bytes[middle..middle + 64].fill(0xff);
    bytes.truncate(end);
    let damaged = load(&bytes, usize::MAX, Budget::default()).expect("a trace");
    let told = summary_of(&bytes).warnings;
    assert!(told.len() >= 2, "{told:?}");
    let all = pack(&damaged, UNBOUNDED);
    let thinned = pack(&damaged, PackConfig { max_bytes: all.base64.len() as u64 / 2, ..UNBOUNDED });
    for packed in [all, thinned] {
        let (_, copy) = open(&packed);
        assert!(told.iter().all(|warning| copy.warnings.contains(warning)), "{told:?} became {:?}", copy.warnings);
        let doubly = Packed {
            whole: Whole { warnings: [&packed.whole.warnings[..]; 2].concat(), ..packed.whole.clone() },
            ..packed
        };
        assert_eq!(open(&doubly).1.warnings, copy.warnings, "each kind is told once");
    }
}

#[test]
fn an_anonymised_copy_has_no_name_of_the_program() {
    let packed = pack(&trace("orders-1e-4-v2"), PackConfig { anonymise: Some(Keep::default()), ..UNBOUNDED });
    let (mut session, summary) = open(&packed);
    assert_eq!((summary.info.executable.as_str(), summary.info.pid), ("", 0));
    assert!(table(&mut session).iter().all(|row| !row.name.contains("Orders")));
}

#[test]
fn a_copy_that_nothing_fits_into_is_an_error() {
    let config = PackConfig { max_bytes: 100, ..UNBOUNDED };
    let trace = trace("orders-1e-4-v2");
    assert!(pack_trace(&trace, &Selection::all(trace.columns.len()), config).is_err());
}

/// Whoever makes a report can write anything beside the trace.
#[test]
fn what_cannot_be_said_of_a_whole_is_not_believed() {
    let trace = trace("orders-1e-4-v2");
    let all = pack(&trace, UNBOUNDED);
    let packed = pack(&trace, PackConfig { max_bytes: all.base64.len() as u64 / 2, ..UNBOUNDED });
    let Whole { thinned, alloc_samples, .. } = packed.whole;
    let told = || packed.whole.clone();
    let wrong = [
        Whole { thinned: 0, ..told() },
        Whole { thinned: 1, ..told() },
        Whole { thinned: u32::MAX, ..told() },
        Whole { alloc_samples: SourceTotals { minor: 3, ..alloc_samples }, ..told() },
        Whole { alloc_samples: SourceTotals { major: u64::MAX, ..alloc_samples }, ..told() },
        Whole { alloc_events: SourceTotals::default(), ..told() },
        Whole { n_collects: u64::MAX, ..told() },
        Whole { end_us: 0, ..told() },
        Whole { end_us: u64::MAX, ..told() },
    ];
    for whole in wrong {
        let (_, summary) = open(&Packed { whole: whole.clone(), ..packed.clone() });
        assert_eq!(summary.thinned, None, "{whole:?}");
        assert!(summary.warnings.iter().any(|warning| warning.kind.as_str() == "unlikely-whole"), "{whole:?}");
    }
    let (session, summary) = open(&packed);
    assert_eq!(summary.thinned, Some(thinned));
    check_invariants(session.trace(Slot::Main).expect("a trace"));
}

fn trace(name: &str) -> Trace {
    load(&fixture(name), usize::MAX, Budget::default()).expect("a trace")
}

fn pack(trace: &Trace, config: PackConfig) -> Packed {
    pack_trace(trace, &Selection::all(trace.columns.len()), config).expect("a copy")
}

/// Opens a copy as the page does.
fn open(packed: &Packed) -> (Session, Summary) {
    let bytes = BASE64_STANDARD.decode(&packed.base64).expect("base64");
    let mut session = Session::new();
    session.begin_copy(Slot::Main, Some(bytes.len() as u64), Some(packed.whole.clone()));
    session.push(&bytes).expect("a trace");
    let summary = session.finish().expect("a trace");
    (session, summary)
}

fn summary_of(bytes: &[u8]) -> Summary {
    let mut session = Session::new();
    session.begin(Slot::Main, Some(bytes.len() as u64));
    session.push(bytes).expect("a trace");
    session.finish().expect("a trace")
}

/// Without what is of the file and not of the trace: its sizes, its flaws, and codes that no stack uses.
fn comparable(summary: Summary) -> Summary {
    Summary { version: 0, file_bytes: 0, unpacked_bytes: 0, warnings: Vec::new(), ..summary }
}

fn table(session: &mut Session) -> Vec<Row> {
    let order = Order { column: Column::TotalBytes, descending: true };
    let question = Question::Table(TableConfig { order, search: String::new(), rows: 0..usize::MAX });
    match session.handle(&Request { view: View::default(), question }) {
        Ok(Answer::Table(table)) => table.rows,
        other => panic!("{other:?}"),
    }
}
