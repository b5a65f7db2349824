//! Findings are true, and the views they link to show the same figures.

use camlscope_engine::query::filter::{Clause, Filter, NameMatcher, When};
use camlscope_engine::query::findings::{
    Finding, FindingSums, Kind, MAX_FINDINGS, MIN_PEAK_SHARE, MIN_PROMOTED_DEAD_SHARE, ShareOf, findings, library,
    shape,
};
use camlscope_engine::query::growth;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::tree::{Allocators, Shape};
use camlscope_engine::trace::{Budget, Trace};
use camlscope_present::format::Units;
use camlscope_present::layout::color::is_library;
use camlscope_present::words::findings::headline;
use expect_test::expect;
use proptest::prelude::*;

use super::reference::{counted, reading};
use super::support::{CODES, Case, random_trace};
use camlscope_testkit::fixtures::{fixture, load};

fn found(trace: &Trace) -> Vec<Finding> {
    let allocators = Allocators::new(&trace.calls, &shape()).expect("patterns");
    let heap = growth::heap_growth(trace, &Selection::all(trace.columns.len()), &allocators);
    findings(trace, &allocators, &FindingSums::new(trace, &allocators), &heap)
}

fn reported(name: &str) -> String {
    let trace = load(&fixture(name), 1 << 16, Budget::default()).expect("a trace");
    let line = |finding: &Finding| format!("{:?}: {}\n", finding.kind(), headline(finding, Units::Binary));
    found(&trace).iter().map(line).collect()
}

#[test]
fn a_leak_is_the_first_finding() {
    expect![[r#"
        Growing: The heap keeps growing: +2.08 MiB/s (1.54–2.74) since 558 ms (406–609 ms). Three functions account for it: Leak.make_session 69% (55–80%), Leak.register 16% (8.5–29%), Leak.handle_request 14% (7.1–27%).
        PeakHolder: “Leak.make_session” accounts for 45% ±9 of the peak: 3.74 MiB of 8.39 MiB at 2.96 s.
        Allocator: “Leak.handle_request.(fun)” allocates 60% ±1 of all memory: 305 MiB, 93.9 MiB/s.
    "#]]
    .assert_eq(&reported("leak-1e-4-v3"));
}

#[test]
fn findings_of_a_service() {
    expect![[r#"
        Growing: The heap keeps growing: +82.4 KiB/s (60.8–109) since the start. Four functions account for it: Orders.Session.start 44% (31–58%), Orders.Session.visit 42% (29–56%), Orders.Session.add 10% (4.5–22%) and one other.
        PeakHolder: “Orders.Server.handle” accounts for 27% ±4 of the peak: 8.77 MiB of 32.8 MiB at 50.7 s.
        Rush: Allocation burst at 45.0 s: 66.3 MiB in 235 ms, 18× the usual rate. “Orders.Report.run” allocates 81% of the burst. One more burst like this.
        PromotedDies: 5.7% ±0.4 of allocated memory (60.6 MiB) is promoted and then dies, mostly from “Orders.Server.handle” (67%). A larger minor heap (currently 2.00 MiB) may help.
    "#]]
    .assert_eq(&reported("orders-1e-4-v2"));
}

#[test]
fn findings_of_a_program_with_phases_include_its_pause() {
    expect![[r#"
        PeakHolder: “Phases.phase_steady” accounts for 96% ±6 of the peak: 6.26 MiB of 6.48 MiB at 53.3 s.
        PromotedDies: 32% ±1 of allocated memory (149 MiB) is promoted and then dies, mostly from “Phases.phase_steady” (99.7%). A larger minor heap (currently 2.00 MiB) may help.
        Allocator: “Phases.phase_steady” allocates 96% ±0.6 of all memory: 439 MiB, 5.70 MiB/s.
        Idle: Almost nothing is allocated from 10.2 s to 49.9 s (52% of the time).
    "#]]
    .assert_eq(&reported("phases-1e-4-v2"));
}

#[test]
fn findings_of_a_compiler() {
    expect![[r#"
        PeakHolder: “Interf.build_graph.add_interf” accounts for 24% ±3 of the peak: 12.7 MiB of 52.9 MiB at 4.89 s.
        NeverFreed: 40.8 MiB outside the minor heap is still live at the end. Can't tell yet: since 2.33 s, 10.2 MiB/s (7.91–13.1) of allocated memory has stayed live. Record for at least 20 seconds.
        PromotedDies: 9.0% ±0.7 of allocated memory (53.6 MiB) is promoted and then dies. A larger minor heap (currently 2.00 MiB) may help.
    "#]]
    .assert_eq(&reported("typecore-1e-4-v2"));
}

#[test]
fn findings_of_a_program_with_several_domains() {
    expect![[r#"
        PeakHolder: “Domains.worker_map” accounts for 61% ±3 of the peak: 4.42 MiB of 7.26 MiB at 145 ms.
        Allocator: “Domains.worker_map” allocates 77% ±0.8 of all memory: 69.3 MiB, 152 MiB/s.
    "#]]
    .assert_eq(&reported("domains-multi-1e-3-o5-v3"));
}

#[test]
fn findings_of_short_programs() {
    expect![[r#"
        PeakHolder: “Deep.insert” accounts for 66% ±5 of the peak: 1.56 MiB of 2.37 MiB at 41.4 ms.
        Burst: A short burst causes the peak: 2.37 MiB at 41.4 ms. The median is 805 KiB. “Deep.insert” allocates 99% of the burst.
        Rush: Allocation burst at 39.9 ms: 2.46 MiB in 2.32 ms, 13× the usual rate. “Deep.insert” allocates 99.1% of the burst.
        Allocator: “Deep.insert” allocates 49% ±4 of all memory: 2.63 MiB, 26.5 MiB/s.
    "#]]
    .assert_eq(&reported("deep-1e-3-v2"));
    expect![[r#"
        PeakHolder: “Tiny.g” accounts for 65% of the peak: 10.5 KiB of 16.1 KiB at 13.6 ms.
        Allocator: “Tiny.g” allocates 65% of all memory: 10.5 KiB, 726 KiB/s.
        Short: The trace covers only 14.5 ms, which is mostly startup.
        Idle: Almost nothing is allocated from 1.24 ms to 13.6 ms (85% of the time).
    "#]]
    .assert_eq(&reported("tiny-1.0-v3"));
}

#[test]
fn findings_report_bigarrays_as_outside_the_heap() {
    expect![[r#"
        PeakHolder: “Strings_v023.big_alloc” accounts for 58% ±0.5 of the peak: 18.5 MiB of 32.0 MiB at 119 ms.
        OutsideHeap: 86% ±0.1 of allocated memory (168 MiB) is outside the OCaml heap (such as Bigarrays), mostly from “Strings_v023.ext_alloc” (50%).
        Allocator: “Strings_v023.ext_alloc” allocates 43% ±0.2 of all memory: 84.2 MiB, 283 MiB/s.
    "#]]
    .assert_eq(&reported("strings-0.01-v2"));
}

#[test]
fn a_bigarray_is_neither_promoted_nor_in_the_major_heap() {
    // The runtime samples a Bigarray with the size of its memory. Memtrace writes where its small block is.
    let case = Case::from_text(
        "Main;Main.bigarray 9000@0.1-0.5 words=9000 promoted=0.2\nMain;Main.kept 9000@0.1- words=9000 promoted=0.2",
    );
    let reported = found(&case.trace);
    let kinds: Vec<Kind> = reported.iter().map(|finding| finding.kind()).collect();
    assert!(kinds.contains(&Kind::OutsideHeap), "{reported:#?}");
    assert!(!kinds.contains(&Kind::PromotedDies) && !kinds.contains(&Kind::LargeBlocks), "{reported:#?}");
    assert_eq!(case.trace.totals.promoted_samples, case.trace.totals.custom_promoted_samples);
    assert_eq!((case.trace.totals.custom_events, case.trace.totals.custom_samples), (2, 18_000));
}

#[test]
fn a_peak_that_lasts_is_not_a_burst() {
    for name in ["longline-1.0-v3", "longline-1.0-o5-v2"] {
        let trace = load(&fixture(name), 1 << 16, Budget::default()).expect("a trace");
        let reported = found(&trace);
        assert!(reported.iter().all(|finding| finding.kind() != Kind::Burst), "{name}: {reported:#?}");
    }
}

#[test]
fn a_burst_names_the_function_that_adds_most_to_the_usual_level() {
    // `Main.base` holds most of the peak, but it is always live.
    let steady = "Main;Main.base 600@0-10\n";
    let passing =
        |end: &str| format!("{steady}Main;Main.large 500@5-{end}\nMain;Main.small 300@5-{end}\nMain;Main.end 1@10-");
    let bursts = |text: &str| -> Vec<Finding> {
        found(&Case::from_text(text).trace).into_iter().filter(|finding| finding.kind() == Kind::Burst).collect()
    };
    let reported = bursts(&passing("5.5"));
    let [burst] = &reported[..] else { panic!("{reported:#?}") };
    let function = burst.function.as_ref().map(|function| function.name.as_str());
    assert_eq!(function, Some("Main.large"));
    let output = headline(burst, Units::Binary);
    assert!(output.contains("“Main.large” allocates 62% of the burst."), "{output}");
    assert_eq!((burst.figures.samples, burst.figures.share_of), (800, ShareOf::Peak));
    assert_eq!(bursts(&passing("")), [], "none of it is freed");
}

#[test]
fn growing_bytes_are_a_share_of_the_bytes_live_at_the_end() {
    let trace = load(&fixture("leak-1e-4-v3"), 1 << 16, Budget::default()).expect("a trace");
    let reported = found(&trace);
    let growing = reported.iter().find(|finding| finding.kind() == Kind::Growing).expect("it grows");
    let end = trace.totals.live_at_end_samples as f64;
    assert_eq!(growing.figures.share_of, ShareOf::End);
    assert_eq!(growing.figures.share, growing.figures.samples as f64 / end);
}

#[test]
fn too_few_samples_are_the_only_finding() {
    expect![[r#"
        TooFewSamples: Not enough samples (66): even the total is uncertain by ±27%. Record again with MEMTRACE_RATE=1e-4.
    "#]]
    .assert_eq(&reported("leak-1e-6-v3"));
    expect![[r#"
        TooFewSamples: Not enough samples (71): even the total is uncertain by ±26%. Record again with MEMTRACE_RATE=1e-3.
    "#]]
    .assert_eq(&reported("menhir-1e-5-v3"));
    expect![[r#"
        TooFewSamples: No samples: the program allocated less than about 7.63 MiB. Record again with MEMTRACE_RATE=1e-2.
    "#]]
    .assert_eq(&reported("empty-1e-6-v3"));
}

#[test]
fn the_library_filter_matches_the_code_colored_as_library() {
    let Clause::Hide(test) = library() else { panic!("{:?}", library()) };
    let matcher = NameMatcher::new(&test).expect("a pattern");
    let names = [
        "Stdlib",
        "Stdlib.failwith",
        "Stdlib__List.map",
        "Stdlib$x",
        "Stdlibs.f",
        "Memtrace.External.alloc",
        "Memtrace__Memprof_tracer.ext_alloc",
        "Memtraces.f",
        "CamlinternalFormat.f",
        "$47",
        "<lost frames>",
        "(fun)",
        "",
        "Main.run",
        "Orders",
        "Camlp4.f",
        "x",
    ];
    let occurring = CODES.iter().flat_map(|frames| frames.iter()).map(|frame| frame.0);
    for name in names.into_iter().chain(occurring) {
        assert_eq!(matcher.is_match(name), is_library(name), "{name}");
    }
}

#[test]
fn a_function_with_little_of_the_peak_is_not_a_finding() {
    let holders = |held: u32| {
        let others: String = (0..9).map(|n| format!("Main;Main.g{n} 100@0.1-0.2{n}\n")).collect();
        let case = Case::from_text(&format!("{others}Main;Main.f {held}@0.1-0.2"));
        found(&case.trace).into_iter().filter(|finding| finding.kind() == Kind::PeakHolder).count()
    };
    assert_eq!((holders(100), holders(2000)), (0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    #[test]
    fn findings_match_the_views_they_link_to(case in random_trace()) {
        let reported = found(&case.trace);
        prop_assert!(reported.len() <= MAX_FINDINGS);
        prop_assert!(reported.is_sorted_by_key(|finding| -finding.weight));
        for finding in &reported {
            prop_assert!(finding.weight.is_finite() && !headline(finding, Units::Binary).contains("NaN"), "{:?}", finding);
            // Which objects grow depends on the whole trace. The growth tests check that against a slow count.
            if matches!(finding.kind(), Kind::Idle | Kind::Growing) {
                continue;
            }
            let shape = Shape::new(shape().grain, false, &finding.filter);
            let objects = counted(&case, &finding.filter, finding.measure).into_iter();
            let samples: u64 = objects
                .filter(|object| match finding.function_of_figures() {
                    None => true,
                    Some(function) => reading(object, &shape).expect("no focus").last() == Some(function),
                })
                .map(|object| object.samples)
                .sum();
            prop_assert_eq!(finding.figures.samples, samples, "{:?}", finding);
            prop_assert_eq!(finding.figures.bytes, samples as f64 * case.trace.bytes_a_sample());
            let least = match finding.kind() {
                Kind::PeakHolder => MIN_PEAK_SHARE,
                Kind::PromotedDies => MIN_PROMOTED_DEAD_SHARE,
                _ => 0.0,
            };
            prop_assert!(finding.figures.share >= least);
            let whole = match finding.figures.share_of {
                ShareOf::Allocated => Measure::Allocated,
                ShareOf::Peak => Measure::Live(When::Peak),
                ShareOf::End => Measure::Live(When::End),
                ShareOf::Time => continue,
            };
            let whole = counted(&case, &Filter::default(), whole).into_iter();
            let whole: u64 = whole.map(|object| object.samples).sum();
            prop_assert!(samples <= whole, "{:?}", finding);
            prop_assert_eq!(finding.figures.share, samples as f64 / whole.max(1) as f64, "{:?}", finding);
        }
    }
}
