//! Checks tables against sums over all objects, and against the facts from memtrace's own reader.

use std::collections::BTreeMap;
use std::fs;
use std::rc::Rc;

use camlscope_engine::query::filter::{Filter, Heap, Plan, select};
use camlscope_engine::query::flame::{BoxSelector, Direction, FlameConfig, flame};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::table::{
    Column, Order, Row, SumsBuffer, Table, TableConfig, TableSums, TableSumsBuilder, table,
};
use camlscope_engine::query::tree::{CallTree, Grain, Label, Shape, ShapedTree, TreeIndex};
use camlscope_engine::trace::{Budget, Trace};
use expect_test::expect;
use proptest::prelude::*;
use serde_json::Value;

use super::filters::{random_case, random_measure, random_shape};
use super::flame::Asked;
use super::reference::{counted, heap, reading};
use super::support::{Case, Object};
use camlscope_testkit::fixtures::{fixture, fixture_path, load};

pub fn ask(trace: &Trace, selection: &Selection, shape: &Shape, config: &TableConfig) -> Table {
    let base = Rc::new(CallTree::new(&trace.calls, shape.grain));
    let tree = ShapedTree::new(&trace.calls, &base, shape).expect("patterns");
    let sums = TableSums::new(trace, &tree, selection);
    table(&trace.calls, trace.sampling(), 1.0, &tree, &TreeIndex::new(&trace.calls, &tree), &sums, config)
        .expect("a valid search")
}

fn all_rows(order: Order) -> TableConfig {
    TableConfig { order, search: String::new(), rows: 0..usize::MAX }
}

pub fn selection_of(trace: &Trace, filter: &Filter, measure: Measure) -> Option<Selection> {
    let selection = select(trace, filter).ok()?;
    match measure.narrowing() {
        None => Some(selection),
        Some(clause) => Some(Plan::new(trace, &[clause]).ok()?.narrow(trace, &selection)),
    }
}

/// The expected values of a row, from the objects that count for it.
fn slow_row(case: &Case, own: &[&Object], total: &[&Object]) -> [f64; 10] {
    let samples = |objects: &[&Object]| objects.iter().map(|object| object.samples as f64).sum::<f64>();
    let blocks = |objects: &[&Object]| {
        let blocks = objects.iter().map(|object| object.samples as f64 / (object.size_words + 1) as f64);
        blocks.sum::<f64>() / case.trace.rate()
    };
    let sample_us = total.iter().map(|object| object.samples as f64 * object.lifetime_us(case.end_us) as f64);
    let sample_us: f64 = sample_us.sum();
    let some = |passes: fn(&Object) -> bool| {
        let passing: Vec<&Object> = total.iter().copied().filter(|object| passes(object)).collect();
        samples(&passing) * case.trace.bytes_a_sample()
    };
    let bytes = case.trace.bytes_a_sample();
    [
        samples(own) * bytes,
        samples(total) * bytes,
        samples(own),
        samples(total),
        blocks(own),
        blocks(total),
        sample_us / samples(total),
        sample_us * bytes / 1e6,
        some(|object| heap(object) == Heap::Promoted),
        some(|object| object.end_us.is_none()),
    ]
}

fn fast_row(row: &Row) -> [f64; 10] {
    [
        row.self_bytes,
        row.total_bytes,
        row.self_samples as f64,
        row.total_samples as f64,
        row.self_blocks,
        row.blocks,
        row.mean_lifetime_us.expect("samples"),
        row.byte_seconds,
        row.promoted_bytes,
        row.end_bytes,
    ]
}

type Figure = fn(&Row) -> f64;

const COLUMNS: &[(Column, Figure)] = &[
    (Column::SelfBytes, |row| row.self_bytes),
    (Column::TotalBytes, |row| row.total_bytes),
    (Column::SelfSamples, |row| row.self_samples as f64),
    (Column::TotalSamples, |row| row.total_samples as f64),
    (Column::Error, |row| row.error.expect("samples")),
    (Column::SelfBlocks, |row| row.self_blocks),
    (Column::Blocks, |row| row.blocks),
    (Column::ByteSeconds, |row| row.byte_seconds),
    (Column::MeanLifetime, |row| row.mean_lifetime_us.expect("samples")),
    (Column::PromotedBytes, |row| row.promoted_bytes),
    (Column::EndBytes, |row| row.end_bytes),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn rows_count_each_object_with_the_frame_once(
        (case, filter) in random_case(),
        shape in random_shape(),
        measure in random_measure(),
    ) {
        let Some(selection) = selection_of(&case.trace, &filter, measure) else { return Ok(()) };
        let mut rows: BTreeMap<Label, (Vec<&Object>, Vec<&Object>)> = BTreeMap::new();
        let mut all_samples = 0;
        for object in counted(&case, &filter, measure) {
            let Some(stack) = reading(object, &shape) else { continue };
            all_samples += object.samples;
            if let Some(allocating) = stack.last() {
                rows.entry(allocating.clone()).or_default().0.push(object);
            }
            let mut distinct = stack;
            distinct.sort();
            distinct.dedup();
            for label in distinct {
                rows.entry(label).or_default().1.push(object);
            }
        }
        let answer = ask(&case.trace, &selection, &shape, &all_rows(Order { column: Column::Name, descending: false }));
        prop_assert_eq!(answer.all_samples, all_samples);
        prop_assert_eq!(answer.n_rows, rows.len());
        prop_assert_eq!(answer.rows.len(), rows.len());
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.sort_by_cached_key(|(label, _)| label.plain());
        for (row, (label, (own, total))) in answer.rows.iter().zip(&rows) {
            prop_assert_eq!(&row.label(), label);
            for (fast, slow) in fast_row(row).into_iter().zip(slow_row(&case, own, total)) {
                prop_assert!((fast - slow).abs() <= 1e-9 * slow.abs(), "{label:?}: {fast} is not {slow}");
            }
        }
    }

    #[test]
    fn every_column_sorts_and_pages_are_parts_of_the_table(
        (case, filter) in random_case(),
        shape in random_shape(),
        (column, value) in prop::sample::select(COLUMNS),
        descending in any::<bool>(),
        (from, n) in (0usize..12, 0usize..12),
    ) {
        let Some(selection) = selection_of(&case.trace, &filter, Measure::Allocated) else { return Ok(()) };
        let order = Order { column, descending };
        let whole = ask(&case.trace, &selection, &shape, &all_rows(order));
        for pair in whole.rows.windows(2) {
            let (one, two) = if descending { (&pair[1], &pair[0]) } else { (&pair[0], &pair[1]) };
            // Margins of billions of samples differ by less than a number's last digit.
            prop_assert!(value(one) <= value(two) * (1.0 + 1e-12), "{column:?}");
            if value(one) == value(two) && column != Column::Error {
                prop_assert!(pair[0].label() < pair[1].label(), "equal rows aren't sorted by name");
            }
        }
        let page = ask(&case.trace, &selection, &shape, &TableConfig { rows: from..from + n, ..all_rows(order) });
        prop_assert_eq!(page.n_rows, whole.rows.len());
        let expected: Vec<Row> = whole.rows.into_iter().skip(from).take(n).collect();
        prop_assert_eq!(page.rows, expected);
    }

    #[test]
    fn a_rows_total_matches_both_halves_of_its_sandwich((case, filter) in random_case(), shape in random_shape()) {
        let Some(asked) = Asked::new(&case, &filter, &shape, Measure::Allocated) else { return Ok(()) };
        let Some(selection) = selection_of(&case.trace, &filter, Measure::Allocated) else { return Ok(()) };
        for row in ask(&case.trace, &selection, &shape, &all_rows(Order::usual(shape.grain))).rows {
            for direction in [Direction::Callers(row.label()), Direction::Callees(row.label())] {
                let config =
                    FlameConfig { direction, root: BoxSelector::Top, x: 0.0..1.0, width_px: 1000.0, depths: 0..1 };
                let half = flame(&asked.of(&case), &config).expect("a row's function");
                prop_assert_eq!((half.total, half.samples), (row.total_bytes, row.total_samples));
            }
        }
    }
}

#[test]
fn figures_of_real_traces_match_memtraces_reader() {
    let folder = fixture_path("tiny-1.0-v3");
    let folder = folder.parent().expect("a folder");
    let mut n_held = 0;
    for entry in fs::read_dir(folder).expect("fixtures").flatten() {
        let path = entry.path();
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let Some(name) = file.strip_suffix(".facts.json").filter(|name| fixture_path(name).exists()) else { continue };
        let facts: Value = serde_json::from_slice(&fs::read(&path).expect("facts")).expect("JSON");
        if !facts["error"].is_null() {
            // That reader stopped with an error.
            continue;
        }
        let trace = load(&fixture(name), 1 << 20, Budget::default()).expect("a trace");
        let selection = Selection::all(trace.columns.len());
        let by = |grain| {
            let shape = Shape { grain, ..Shape::default() };
            ask(&trace, &selection, &shape, &all_rows(Order::usual(grain))).rows
        };
        let sites: BTreeMap<String, u64> = by(Grain::Site)
            .iter()
            .filter_map(|row| {
                let (line, from, to) = (row.line?, row.start_char?, row.end_char?);
                Some((format!("{}@{}:{line}:{from}-{to}", row.name, row.file), row.self_samples))
            })
            .collect();
        for fact in facts["top_sites"].as_array().expect("sites") {
            let site = fact["site"].as_str().expect("a site");
            if !site.starts_with(['$', '<']) {
                assert_eq!(sites.get(site).copied(), fact["samples"].as_u64(), "{name}: {site}");
                n_held += 1;
            }
        }
        let functions: BTreeMap<(String, String), u64> =
            by(Grain::Function).into_iter().map(|row| ((row.name, row.file), row.total_samples)).collect();
        for fact in facts["top_functions_total"].as_array().expect("functions") {
            let text = |field: &str| fact[field].as_str().expect("text").to_owned();
            if !text("function").starts_with('$') {
                let total = functions.get(&(text("function"), text("file"))).copied();
                assert_eq!(total, fact["samples"].as_u64(), "{name}: {}", text("function"));
                n_held += 1;
            }
        }
    }
    assert!(n_held > 200, "only {n_held} facts");
}

const PROGRAM: &str = "
    main[main.ml:1];parse[parser.ml:10];token[lexer.ml:3] 10@0-1
    main[main.ml:2];parse[parser.ml:11];parse[parser.ml:12];token[lexer.ml:3] 20@0-3 words=1 promoted=1
    main[main.ml:3];print[printer.ml:5] 20@0- words=9
    main[main.ml:3];$31 2@0-0
";

fn rows(grain: Grain, config: &TableConfig) -> String {
    let case = Case::from_text(PROGRAM);
    let shape = Shape { grain, ..Shape::default() };
    let answer = ask(&case.trace, &Selection::all(case.objects.len()), &shape, config);
    let mut text = format!("{} rows\n", answer.n_rows);
    for row in &answer.rows {
        let place = row.line.map(|line| format!(":{line}")).unwrap_or_default();
        let Row { name, file, self_samples, total_samples, .. } = row;
        let lifetime_us = row.mean_lifetime_us.expect("samples");
        text += &format!("{name} {file}{place} self {self_samples} total {total_samples} lives {lifetime_us:.0} µs\n");
    }
    text
}

#[test]
fn functions_are_sorted_by_total_then_name() {
    expect![[r#"
        5 rows
        main main.ml self 0 total 52 lives 2500000 µs
        parse parser.ml self 0 total 30 lives 2333333 µs
        token lexer.ml self 30 total 30 lives 2333333 µs
        print printer.ml self 20 total 20 lives 3000000 µs
        (no debug info)  self 2 total 2 lives 0 µs
    "#]]
    .assert_eq(&rows(Grain::Function, &all_rows(Order::usual(Grain::Function))));
}

#[test]
fn sites_are_sorted_by_what_they_allocate() {
    expect![[r#"
        9 rows
        token lexer.ml:3 self 30 total 30 lives 2333333 µs
        print printer.ml:5 self 20 total 20 lives 3000000 µs
        (no debug info)  self 2 total 2 lives 0 µs
        main main.ml:1 self 0 total 10 lives 1000000 µs
        main main.ml:2 self 0 total 20 lives 3000000 µs
        main main.ml:3 self 0 total 22 lives 2727273 µs
        parse parser.ml:10 self 0 total 10 lives 1000000 µs
        parse parser.ml:11 self 0 total 20 lives 3000000 µs
        parse parser.ml:12 self 0 total 20 lives 3000000 µs
    "#]]
    .assert_eq(&rows(Grain::Site, &all_rows(Order::usual(Grain::Site))));
}

#[test]
fn a_search_ignores_case_in_names_and_files() {
    let config = TableConfig { search: "LEXER".to_owned(), ..all_rows(Order::usual(Grain::Function)) };
    expect![[r#"
        1 rows
        token lexer.ml self 30 total 30 lives 2333333 µs
    "#]]
    .assert_eq(&rows(Grain::Function, &config));
    let config = TableConfig { search: "pri".to_owned(), ..all_rows(Order { column: Column::File, descending: true }) };
    expect![[r#"
        1 rows
        print printer.ml self 20 total 20 lives 3000000 µs
    "#]]
    .assert_eq(&rows(Grain::Function, &config));
}

#[test]
fn sums_can_be_computed_in_slices() {
    let trace = load(&fixture("typecore-1e-4-v2"), 1 << 20, Budget::default()).expect("a trace");
    let base = Rc::new(CallTree::new(&trace.calls, Grain::Function));
    let tree = ShapedTree::new(&trace.calls, &base, &Shape::default()).expect("no patterns");
    let selection = Selection::all(trace.columns.len());
    let mut builder = TableSumsBuilder::new(&trace, &tree, SumsBuffer::default());
    for chunk in 0..trace.columns.n_chunks() {
        builder.add(&trace, &tree, &selection, chunk..chunk + 1);
    }
    assert_eq!(builder.finish(&tree).0, TableSums::new(&trace, &tree, &selection));
}

#[test]
fn a_reused_buffer_does_not_affect_the_next_table() {
    let trace = load(&fixture("typecore-1e-4-v2"), 1 << 20, Budget::default()).expect("a trace");
    let base = Rc::new(CallTree::new(&trace.calls, Grain::Function));
    let mut room = SumsBuffer::default();
    for (grain, size) in [(Grain::Function, "size=2.."), (Grain::Module, "size=..3"), (Grain::Function, "size=4..")] {
        let shape = Shape { grain, ..Shape::default() };
        let tree = ShapedTree::new(&trace.calls, &base, &shape).expect("no patterns");
        let selection = select(&trace, &size.parse().expect("a filter")).expect("no patterns");
        let mut builder = TableSumsBuilder::new(&trace, &tree, room);
        builder.add(&trace, &tree, &selection, 0..trace.columns.n_chunks());
        let (sums, left) = builder.finish(&tree);
        assert_eq!(sums, TableSums::new(&trace, &tree, &selection), "{grain:?}, {size}");
        room = left;
    }
}

#[test]
fn sample_counts_beyond_a_groups_bits_are_exact() {
    let case = Case::from_text(
        "main;parse;token 2000000@0-1 words=1
         main;parse;parse;token 2000000@0-2 promoted=1
         main;parse;token 1500000@0- words=3
         main;print 4294967295@0.5-1
         main;print 7@0-",
    );
    let sums = ask(&case.trace, &Selection::all(5), &Shape::default(), &all_rows(Order::usual(Grain::Function)));
    let figures: Vec<_> =
        sums.rows.iter().map(|row| (row.name.as_str(), row.self_samples, row.total_samples)).collect();
    let expected = [
        ("main", 0, 4_300_467_302),
        ("print", 4_294_967_302, 4_294_967_302),
        ("parse", 0, 5_500_000),
        ("token", 5_500_000, 5_500_000),
    ];
    assert_eq!(figures, expected);
    let kept: f64 = sums.rows[0].end_bytes / case.trace.bytes_a_sample();
    assert_eq!((sums.all_samples, kept.round()), (4_300_467_302, 1_500_007.0));
}
