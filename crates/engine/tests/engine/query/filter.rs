//! Which objects pass, how their stacks are read, and the text form of filters.

use std::collections::BTreeMap;
use std::rc::Rc;

use camlscope_engine::query::filter::{Clause, Filter, FilterError, NameTest, Plan, SizeUnit, Span, When, select};
use camlscope_engine::query::measure::{Measure, Weight};
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::tree::{
    Allocators, CallTree, Grain, GroupId, Keys, Label, Shape, ShapedTree, TreeWeights,
};
use camlscope_engine::trace::{Budget, ObjectRow};
use camlscope_present::words;
use camlscope_present::words::presets::presets;
use expect_test::expect;
use proptest::prelude::*;

use super::filters::{random_case, random_case_of, random_shape, random_tree_shape};
use super::reference::{reading, selected};
use super::support::{Case, random_trace};
use camlscope_testkit::fixtures::{check_invariants, fixture, load};

fn rows(case: &Case, selection: &Selection) -> Vec<bool> {
    (0..case.objects.len() as u32).map(|row| selection.contains(ObjectRow(row))).collect()
}

fn samples(case: &Case, clause: Clause) -> u64 {
    let selection = select(&case.trace, &Filter { clauses: vec![clause] }).expect("possible");
    let chosen = case.objects.iter().zip(rows(case, &selection)).filter(|(_, is_chosen)| *is_chosen);
    chosen.map(|(object, _)| object.samples).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(80) })]

    #[test]
    fn the_slow_list_of_objects_matches_the_model(case in random_trace()) {
        let trace = &case.trace;
        check_invariants(trace);
        prop_assert_eq!(trace.columns.len(), case.objects.len());
        prop_assert_eq!(trace.totals.peak.samples, case.peak_samples);
        for ((row, read), object) in trace.columns.iter().zip(&case.objects) {
            prop_assert_eq!(read.alloc_us, object.alloc_us);
            prop_assert_eq!(trace.gc_times.end_us(read.end), object.end_us);
            prop_assert_eq!(read.promoted, object.is_promoted());
            prop_assert_eq!((read.size_words, read.n_samples), (object.size_words, object.samples));
            prop_assert_eq!((read.source, trace.columns.domain(row)), (object.source, object.domain));
        }
    }

    #[test]
    fn each_clause_matches_the_slow_version((case, filter) in random_case_of(1..2)) {
        if let Ok(selection) = select(&case.trace, &filter) {
            prop_assert_eq!(rows(&case, &selection), selected(&case, &filter));
        }
    }

    #[test]
    fn a_filter_passes_objects_that_pass_all_clauses((case, filter) in random_case_of(2..5)) {
        if let Ok(selection) = select(&case.trace, &filter) {
            prop_assert_eq!(rows(&case, &selection), selected(&case, &filter));
        }
    }

    #[test]
    fn an_impossible_filter_passes_nothing((case, filter) in random_case()) {
        if let Err(FilterError::Impossible(why)) = select(&case.trace, &filter) {
            prop_assert!(!selected(&case, &filter).contains(&true), "{why:?}: {filter}");
        }
    }

    #[test]
    fn narrowing_a_selection_equals_selecting_from_scratch((case, filter) in random_case_of(2..5)) {
        if let Ok(whole) = select(&case.trace, &filter) {
            for kept in 0..filter.clauses.len() {
                let (known, more) = filter.clauses.split_at(kept);
                let base = select(&case.trace, &Filter { clauses: known.to_vec() }).expect("part of what is possible");
                let narrowed = Plan::new(&case.trace, more).expect("patterns").narrow(&case.trace, &base);
                prop_assert_eq!(&narrowed, &whole);
            }
        }
    }

    #[test]
    fn stacks_follow_the_shape(case in random_trace(), shape in random_tree_shape()) {
        let base = Rc::new(CallTree::new(&case.trace.calls, shape.grain));
        let tree = ShapedTree::new(&case.trace.calls, &base, &shape).expect("patterns");
        let all = Selection::all(case.objects.len());
        let weights = TreeWeights::of(&case.trace, &tree, &all, Weight::Samples);

        let mut slow: BTreeMap<Vec<Label>, f64> = BTreeMap::new();
        for (row, object) in case.objects.iter().enumerate() {
            let expected = reading(object, &shape);
            let group = tree.of_stack(case.trace.columns.stack(ObjectRow(row as u32)).0 as usize);
            prop_assert_eq!(group.map(|group| path(&case, &tree, group)), expected.clone());
            if let Some(labels) = expected {
                *slow.entry(labels).or_default() += object.samples as f64;
            }
        }
        let mut fast: BTreeMap<Vec<Label>, f64> = BTreeMap::new();
        for group in std::iter::once(GroupId::ROOT).chain(tree.groups().iter()) {
            let is_new = fast.insert(path(&case, &tree, group), weights.own(tree.groups(), group)).is_none();
            prop_assert!(is_new, "one group per path");
        }
        fast.retain(|_, weight| *weight != 0.0);
        prop_assert_eq!(fast, slow);
    }

    #[test]
    fn the_allocating_frame_is_the_last_one_that_the_shape_keeps(case in random_trace(), shape in random_shape()) {
        let allocators = Allocators::new(&case.trace.calls, &shape).expect("patterns");
        let keys = allocators.values(&case.trace.calls, |key| key);
        let no_frame = allocators.label(&case.trace.calls, Keys::ROOT);
        for (row, object) in case.objects.iter().enumerate() {
            // Objects outside a focus are never selected.
            if let Some(mut labels) = reading(object, &shape) {
                let key = keys.of_stack(case.trace.columns.stack(ObjectRow(row as u32)).0 as usize);
                let expected = labels.pop().unwrap_or_else(|| no_frame.clone());
                prop_assert_eq!(allocators.label(&case.trace.calls, key), expected);
            }
        }
    }

    #[test]
    fn a_group_counts_in_totals_unless_an_ancestor_has_its_key(case in random_trace(), shape in random_tree_shape()) {
        let base = Rc::new(CallTree::new(&case.trace.calls, shape.grain));
        let tree = ShapedTree::new(&case.trace.calls, &base, &shape).expect("patterns");
        for group in tree.groups().iter() {
            let mut path = path(&case, &tree, group);
            let own = path.pop();
            prop_assert_eq!(tree.groups().is_outermost(group), !path.iter().any(|label| Some(label) == own.as_ref()));
        }
    }

    #[test]
    fn a_filter_round_trips_through_its_text((_case, filter) in random_case_of(0..6)) {
        let text = filter.to_string();
        let is_unsure = |clause: &Clause| matches!(clause, Clause::Size(Span::ANY, SizeUnit::Bytes));
        if !filter.clauses.iter().any(is_unsure) {
            prop_assert_eq!(Filter::parse(&text), Ok(filter.clone()), "{}", text);
        }
        for clause in filter.clauses.iter().filter(|clause| !is_unsure(clause)) {
            prop_assert_eq!(Clause::parse(&clause.key(), &clause.value()), Ok(clause.clone()));
        }
        let stands_in_an_address = |c: char| c.is_ascii_graphic() && !"\"#<>[\\]^`{|}+".contains(c);
        prop_assert!(text.chars().all(stands_in_an_address), "{}", text);
    }

    #[test]
    fn names_with_any_characters_round_trip(name in ".{0,12}", other in r"[\\>~*%&=+#a]{0,6}", how in 0..3usize) {
        for suffix in ["-is", "-contains", "-matches"] {
            for key in ["function", "not-allocating-file", "module", "hide", "focus"] {
                let clause = Clause::parse(&format!("{key}{suffix}"), &name).expect("any text");
                prop_assert_eq!(Filter::parse(&clause.to_string()).expect("a filter").clauses, vec![clause]);
            }
        }
        let mark = ["", "~", "*"][how];
        let escaped = other.replace('\\', r"\\").replace('>', r"\>").replace('~', r"\~").replace('*', r"\*");
        let clause = Clause::parse("calls", &format!("{mark}{escaped}>{mark}{escaped}")).expect("two names");
        let Clause::Calls { caller, callee } = &clause else { panic!("{clause:?}") };
        prop_assert_eq!((&caller.text, &callee.text), (&other, &other));
        prop_assert_eq!(Filter::parse(&clause.to_string()).expect("a filter").clauses, vec![clause]);
    }
}

fn path(case: &Case, tree: &ShapedTree, mut group: GroupId) -> Vec<Label> {
    let mut labels = Vec::new();
    while group != GroupId::ROOT {
        labels.push(tree.keys().label(&case.trace.calls, tree.groups().key(group)));
        group = tree.groups().parent(group);
    }
    labels.reverse();
    labels
}

#[test]
fn live_at_peak_is_not_empty_when_the_peak_is_the_last_event() {
    let case = Case::from_text("main;a 1@0.1-0.2\nmain;b 2@0.3-\nmain;c 3@0.4-");
    assert_eq!(samples(&case, Clause::LiveAt(When::Peak)), 5);
    assert_eq!(case.trace.totals.peak.samples, 5);
}

#[test]
fn the_peak_can_be_between_events_at_the_same_time() {
    // At equal times, the text format puts allocations first.
    let case = Case::from_text("main;a 4@0.1-0.2\nmain;b 3@0.2-0.3\nmain;c 1@0.2-");
    assert_eq!(case.trace.totals.peak.samples, 8);
    assert_eq!(samples(&case, Clause::LiveAt(When::Peak)), 8);
    // A time is after all of its events.
    assert_eq!(samples(&case, Clause::LiveAt(When::At(200_000))), 4);
}

#[test]
fn an_impossible_range_is_an_error() {
    let case = Case::from_text("main;a 1@0.1-0.2\nmain;b 2@0.3-");
    for text in ["collected=2s..1s", "allocated=2s..1s", "size=9..8", "lifetime=2s..1s", "live-within=2s..1s"] {
        let error = select(&case.trace, &Filter::parse(text).expect("a filter")).expect_err("impossible");
        assert_eq!(
            words::errors::filter_error(&error),
            "No object can match this filter: a range ends before it starts.",
            "{text}"
        );
    }
    let told = |text: &str| match select(&case.trace, &Filter::parse(text).expect("a filter")) {
        Ok(selection) => format!("{} objects", selection.len()),
        Err(error) => words::errors::filter_error(&error),
    };
    let answers = [
        "collected=never&collected=1s..2s",
        "live-at=end&collected=..",
        "allocated=1s..2s&allocated=3s..4s",
        "heap=minor&heap=major",
        "domain=0&domain=1",
        "function=(",
        "collected=5s..6s",
        "collected=never",
    ]
    .map(|text| format!("{text}: {}\n", told(text)));
    expect![[r#"
        collected=never&collected=1s..2s: No object can match this filter: objects that were never collected have no collection time.
        live-at=end&collected=..: No object can match this filter: objects that were never collected have no collection time.
        allocated=1s..2s&allocated=3s..4s: No object can match this filter: its allocation time ranges don't overlap.
        heap=minor&heap=major: No object can match this filter: it excludes every heap.
        domain=0&domain=1: No object can match this filter: it excludes every domain.
        function=(: “(” isn't a valid regular expression: found open group without closing ')'.
        collected=5s..6s: 0 objects
        collected=never: 1 objects
    "#]]
    .assert_eq(&answers.concat());
}

#[test]
fn samples_live_at_the_peak_of_real_traces_equal_the_peak() {
    for name in [
        "deep-1e-3-v2",
        "domains-multi-1e-3-o5-v3",
        "leak-1e-4-v3",
        "leak-1e-6-v3",
        "longline-1.0-v3",
        "menhir-1e-5-v3",
        "phases-1e-4-v2",
        "tiny-0.01-o5-v3",
        "tiny-0.1-v2",
        "tiny-1.0-v3",
        "typecore-1e-4-v2",
        "empty-1e-6-v3",
        "domains-negpromote-1e-3-o5-v3",
    ] {
        let trace = load(&fixture(name), 1 << 16, Budget::default()).expect("a trace");
        let live = |when| {
            let mut sum = 0;
            let selection = select(&trace, &Filter { clauses: vec![Clause::LiveAt(when)] }).expect("possible");
            selection.for_each(&trace.columns, |rows, place| sum += rows.n_samples(place));
            sum
        };
        assert_eq!(live(When::Peak), trace.totals.peak.samples, "{name}");
        assert_eq!(live(When::End), trace.totals.live_at_end_samples, "{name}");
    }
}

#[test]
fn errors_explain_what_is_wrong_with_a_clause() {
    let answers = [
        "allocated=soon",
        "collected=1..2 fortnights",
        "live-at=top",
        "size=4w..1KiB",
        "heap=minor,huge",
        "domain=a",
        "calls=f",
        "color=red",
        "function-was=f",
        "line=orders.ml",
        "not-allocating-line-is=:88",
        "allocated",
        "function=%ff",
    ]
    .map(|text| format!("{}\n", words::errors::parse_error(&Filter::parse(text).expect_err(text))));
    expect![[r#"
        invalid value “soon” for allocated: expected a time range such as 1s..2s, 500ms.. or ..3min
        invalid value “1..2 fortnights” for collected: expected never, or a time range such as 1s..2s
        invalid value “top” for live-at: expected a time such as 3.5s, peak or end
        invalid value “4w..1KiB” for size: expected a number of words such as 257.., or of bytes such as 1KiB..2MiB
        invalid value “minor,huge” for heap: expected a comma-separated list of minor, promoted, major and external
        invalid value “a” for domain: expected a comma-separated list of domains such as 0,1
        invalid value “f” for calls: expected a caller and a callee such as f>g; write \> for any other >
        unknown filter “color”; the filters are allocated, collected, live-at, live-within, live-through, size, lifetime, temporary, heap, domain, function, file, module, line (with not-, allocating- or responsible- before, -is, -contains or -matches after), calls, hide, focus
        unknown filter “function-was”; the filters are allocated, collected, live-at, live-within, live-through, size, lifetime, temporary, heap, domain, function, file, module, line (with not-, allocating- or responsible- before, -is, -contains or -matches after), calls, hide, focus
        invalid value “orders.ml” for line: expected a file and a line such as orders.ml:88
        invalid value “:88” for not-allocating-line-is: expected a file and a line such as orders.ml:88
        “allocated” isn't a filter: write key=value, such as size=257..
        “%ff” has invalid percent-encoding
    "#]].assert_eq(&answers.concat());
}

#[test]
fn a_filter_prints_as_it_is_typed() {
    let typed = [
        "allocated=1s..2s&size=257..",
        "allocated=500ms..&collected=never",
        "temporary=10ms&temporary=4MiB",
        "lifetime=..10ms&heap=minor,promoted&domain=0,1",
        "live-at=peak&live-within=1.5s..2.000001s&live-through=850us..",
        "size=..2KiB&size=4",
        "function=%5EStdlib&not-function-is=List.map&allocating-file-contains=.ml",
        "calls=f%3Eg&hide=Stdlib&focus=Main.run",
        "line=src/orders.ml:88&not-allocating-line=orders.ml:9&line-matches=ml:8.$&responsible-line-contains=src/",
    ];
    for text in typed {
        assert_eq!(Filter::parse(text).expect("a filter").to_string(), text);
    }
}

#[test]
fn a_filter_reads_as_english() {
    let read = [
        "",
        "allocated=1s..2s&size=257..",
        "allocated=500ms..&collected=never",
        "collected=..3min&collected=..",
        "live-at=3.5s&live-at=peak&live-at=end",
        "live-within=1s..2s&live-through=1s..2s&live-through=..2s&live-through=1s..",
        "size=4..16&size=1&size=..2KiB&size=100B..&size=2..",
        "lifetime=10ms..&lifetime=..1s&lifetime=1s..2s",
        "temporary=10ms&temporary=4MiB",
        "heap=minor,promoted,major&heap=external&domain=0&domain=0,1",
        "function=^Stdlib&function-is=List.map&not-function=x&not-function-is=f",
        "allocating-function-is=f&allocating-file=ml$&not-allocating-module-contains=Std&module-is=M&file-is=a.ml",
        "line=orders.ml:88&not-line=orders.ml:88&allocating-line=a.ml:1&not-allocating-line-matches=ml:8.$",
        "calls=f%3Eg&calls=~^f%3E*g",
        "hide=^Stdlib&hide-is=f&focus=Main.run&focus-matches=run",
    ]
    .map(|text| format!("{}\n", words::filter::filter(&Filter::parse(text).expect("a filter"))));
    expect![[r#"
        all objects
        objects allocated between 1 s and 2 s, larger than 256 words
        objects allocated at 500 ms or later, never collected
        objects collected at 180 s or earlier, collected at any time
        objects live at 3.5 s, live at the peak, live at the end
        objects live at some time between 1 s and 2 s, live the entire time from 1 s to 2 s, live the entire time from the start to 2 s, live the entire time from 1 s to the end
        objects of 4 to 16 words, of 1 word, of 2 KiB or less, of 100 B or more, larger than 1 word
        objects that lived 10 ms or longer, that lived 1 s or less, that lived 1 s to 2 s
        objects collected within 10 ms, collected within 4 MiB of further allocation
        objects that never left the minor heap, promoted to the major heap or allocated in the major heap, allocated outside the heap, allocated by domain 0, allocated by domain 0 or 1
        objects with a function that matches “^Stdlib” on the stack, with “List.map” on the stack, without a function that matches “x” on the stack, without “f” on the stack
        objects allocated by “f”, allocated in a file that matches “ml$”, not allocated in a module that contains “Std”, with module “M” on the stack, with file “a.ml” on the stack
        objects with line “orders.ml:88” on the stack, without line “orders.ml:88” on the stack, allocated on line “a.ml:1”, not allocated on a line that matches “ml:8.$”
        objects where “f” calls “g”, where a function that matches “^f” calls a function that contains “g”
        objects with functions matching “^Stdlib” hidden, with “f” hidden, focused on “Main.run”, focused on a function that matches “run”
    "#]].assert_eq(&read.concat());
}

#[test]
fn an_object_that_is_not_seen_to_die_is_not_temporary() {
    // A sample stands for 800 bytes.
    let case = Case::from_text(
        "main;young 1@0.1-0.3
         main;next 2@0.2-0.9
         main;old 4@0.4-0.8
         main;last 8@0.9-",
    );
    let temporary = |value| samples(&case, Clause::parse("temporary", value).expect("a threshold"));
    assert_eq!(temporary("0B"), 4, "nothing was allocated while `old` was live");
    assert_eq!(temporary("1599B"), 4);
    assert_eq!(temporary("1600B"), 1 + 4);
    assert_eq!(temporary("1GiB"), 1 + 2 + 4, "nobody knows when `last` dies");
    assert_eq!(temporary("200ms"), 1);
    assert_eq!(temporary("1h"), 1 + 2 + 4);
}

#[test]
fn presets_select_the_right_objects() {
    let case = Case::from_text(
        "main;young 1@0.1-0.2
         main;alive 2@0.1-
         main;promoted 4@0.1-0.5 promoted=0.2
         main;large 8@0.3-0.4 words=300 major
         main;late 16@0.45-",
    );
    let told = presets(Some(Span::new(0, 200_000))).into_iter().map(|preset| {
        let clauses = preset.filter.clauses.iter().cloned().chain(preset.measure.narrowing()).collect();
        let selection = select(&case.trace, &Filter { clauses }).expect("possible");
        let chosen = case.objects.iter().zip(rows(&case, &selection)).filter(|(_, is_chosen)| *is_chosen);
        let names: Vec<&str> = chosen.map(|(object, _)| object.frames[1].name.as_str()).collect();
        format!("{} {}, {}\n", preset.question, preset.measure.name(), names.join(" "))
    });
    expect![[r#"
        What is live at the peak? peak, alive promoted late
        What is never freed? end, alive late
        What was allocated in this time range and is still live? end, alive
        What dies young? allocated, young
        What gets promoted and then dies? promoted, promoted
        Which blocks are large? allocated, large
    "#]]
    .assert_eq(&told.collect::<String>());
    assert_eq!(presets(None).len(), 5);
    assert_eq!(presets(None)[0].measure, Measure::Live(When::Peak));
}

#[test]
fn hidden_frames_count_toward_callers_and_recursion_folds_onto_the_outermost_frame() {
    let case = Case::from_text("a;b;a;c 1@0.1-\na;x+b;b 1@0.2-\nb;$31 1@0.3-\na;b;a 1@0.4-");
    let read = |shape: &Shape| {
        let base = Rc::new(CallTree::new(&case.trace.calls, shape.grain));
        let tree = ShapedTree::new(&case.trace.calls, &base, shape).expect("patterns");
        let told = (0..4u32).map(|row| {
            let group = tree.of_stack(case.trace.columns.stack(ObjectRow(row)).0 as usize);
            let names = group.map(|group| path(&case, &tree, group).into_iter().map(|label| label.name));
            names.map_or("outside".to_owned(), |names| names.collect::<Vec<_>>().join(";"))
        });
        told.collect::<Vec<_>>().join(" ")
    };
    let plain = Shape::default();
    assert_eq!(read(&plain), "a;b;a;c a;x;b;b b;(no debug info) a;b;a");
    assert_eq!(read(&Shape { fold_recursion: true, ..plain.clone() }), "a;b;c a;x;b b;(no debug info) a;b;a");
    assert_eq!(
        read(&Shape { hide: vec![NameTest::is("b"), NameTest::is("(no debug info)")], ..plain.clone() }),
        "a;a;c a;x  a;a"
    );
    assert_eq!(read(&Shape { focus: vec![NameTest::is("b")], ..plain.clone() }), "b;a;c b;b b;(no debug info) b;a");
    let twice = vec![NameTest::is("b"), NameTest::matches("^(a|b)$")];
    assert_eq!(read(&Shape { focus: twice, ..plain.clone() }), "a;c b outside a");
    assert_eq!(
        read(&Shape { grain: Grain::File, ..plain }),
        "main.ml;main.ml;main.ml;main.ml \
         main.ml;main.ml;main.ml;main.ml main.ml;(no debug info) main.ml;main.ml;main.ml"
    );
}
