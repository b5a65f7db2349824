//! Growth: verdicts on programs with known behavior, growing or not, and figures that agree in every query.

use std::fmt::Write;

use camlscope_engine::protocol::{Answer, Question, Request, View};
use camlscope_engine::query::filter::{Clause, Filter, FrameField, FrameTest, Heap, NameTest, Span, WhichFrame};
use camlscope_engine::query::growth::{Growth, HeapGrowth, SiteGrowth, Undecided, Verdict};
use camlscope_engine::query::measure::{GrowthUnit, Measure};
use camlscope_engine::query::table::{Column, Order, Table, TableConfig};
use camlscope_engine::query::tree::Grain;
use camlscope_engine::session::Session;
use camlscope_present::format::Units;
use camlscope_present::words::growth as words;
use expect_test::expect;
use proptest::prelude::*;

use super::filters::random_case;
use super::reference::counted;
use super::support::Case;
use camlscope_testkit::fixtures::{fixture, opened};

#[test]
fn a_server_with_known_growth_gets_the_right_verdict_rate_and_time() {
    // The bytes that the server of `crates/testkit/fixtures/*.truth.json` kept, and the time range.
    for (name, verdict, since_s, until_s, kept_bytes, growing_s) in [
        ("leak-15", "growing", Some(0.0), None, 19_116_720.0, 60.0),
        ("leak-3-long", "growing", Some(0.0), None, 9_159_088.0, 60.0),
        ("leak-late", "growing", Some(30.0), None, 20_194_960.0, 30.0),
        ("fill-30", "stopped", Some(0.0), Some(30.0), 38_223_920.0, 30.0),
        ("cycle", "level", None, None, 0.0, 60.0),
        ("none", "level", None, None, 0.0, 60.0),
    ] {
        let heap = heap(&mut opened(&fixture(name)));
        let text = words::headline(&heap, Units::Binary);
        assert_eq!(heap.verdict.as_str(), verdict, "{name}: {text}");
        let rate = heap.grown_rate.expect("a rate");
        let expected = kept_bytes / growing_s;
        assert!((rate.low..=rate.high).contains(&expected), "{name}: {expected} B/s, but {text}");
        let is_near = |at_us: u64, seconds: f64| (at_us as f64 / 1e6 - seconds).abs() <= 1.0;
        if let Some(since_s) = since_s {
            assert!(is_near(heap.since.map_or(0, |since| since.at_us), since_s), "{name}: {text}");
        }
        assert_eq!(heap.until.is_some(), until_s.is_some(), "{name}: {text}");
        if let (Some(until), Some(until_s)) = (heap.until, until_s) {
            assert!(is_near(until.at_us, until_s), "{name}: {text}");
        }
    }
}

#[test]
fn a_leak_through_fifteen_functions_lists_their_shares_and_common_caller() {
    let mut session = opened(&fixture("leak-15"));
    let growth = ask(&mut session, Grain::Function, &Filter::default());
    let modules = [
        "Auth", "Parser", "Route", "Headers", "Json", "Session", "Query", "Row", "Cache", "Render", "Log", "Metric",
        "Token", "User", "Cart",
    ];
    let names: Vec<&str> = growth.heap.carriers.iter().map(|carrier| carrier.name.as_str()).collect();
    for module in modules {
        assert!(names.contains(&format!("Growth.{module}.make").as_str()), "{module} of {names:?}");
    }
    assert!(names.len() <= 16, "their caller has a share as well, for the array that holds them: {names:?}");
    let caller = growth.heap.caller.expect("a common caller");
    assert!(caller.name.starts_with("Dune__exe__Growth"), "{}", caller.name);
    let shares: f64 = growth.sites.iter().filter_map(|site| site.share).map(|share| share.value).sum();
    assert!((shares - 1.0).abs() < 1e-9, "shares don't add up: {shares}");
}

#[test]
fn headlines_state_the_verdict() {
    let mut output = String::new();
    for name in ["leak-15", "leak-late", "fill-30", "none", "phases-1e-4-v2", "leak-1e-6-v3", "strings-0.01-v2"] {
        let _ = writeln!(output, "{name}: {}", words::headline(&heap(&mut opened(&fixture(name))), Units::Binary));
    }
    expect![[r#"
        leak-15: The heap keeps growing: +295 KiB/s (256–337) since the start. Sixteen functions account for it, all called from Growth: Growth.Metric.make 11% (7.7–16%), Growth.Headers.make 9.4% (6.2–14%), Growth.Query.make 9.0% (5.8–14%) and 13 others.
        leak-late: The heap keeps growing: +682 KiB/s (595–778) since 30.0 s (29.5–30.0 s). Nine functions account for it, all called from Growth: Growth.Row.make 17% (12–22%), Growth.Query.make 15% (11–20%), Growth.Headers.make 13% (9.3–18%) and 6 others.
        fill-30: The heap stopped growing at 30.0 s (30.0–30.5 s). Before that, it had grown by 1.27 MiB/s (1.16–1.39) since the start. Sixteen functions account for it, all called from Growth: Growth.Log.make 10% (7.7–13%), Growth.Metric.make 10% (7.7–13%), Growth.Headers.make 8.2% (6.1–11%) and 13 others. Any steady growth is now below 9.62 KiB/s.
        none: Any steady growth of the heap is below 4.10 KiB/s.
        phases-1e-4-v2: Can't tell yet: objects live for up to 70.6 s. Record for at least 4 minutes.
        leak-1e-6-v3: Can't tell: not enough samples to see growth below 5.81 MiB/s. Record for longer, or with a higher MEMTRACE_RATE.
        strings-0.01-v2: Can't tell yet: the trace covers only 298 ms. Record for at least 10 seconds.
    "#]].assert_eq(&output);
}

#[test]
fn a_time_range_does_not_hide_growth() {
    let mut session = opened(&fixture("leak-1e-4-v3"));
    let whole = heap(&mut session);
    assert_eq!(whole.verdict, Verdict::Growing);
    let range = Filter { clauses: vec![Clause::Allocated(Span::new(1_000_000, 2_000_000))] };
    let growth = ask(&mut session, Grain::Site, &range);
    assert_eq!(growth.heap, whole, "the verdict isn't about the whole trace");
    let rate = growth.passing.rate.expect("a rate");
    assert!(rate.low > 0.0, "the range doesn't grow: {rate:?}");
    let view = View { filter: range, measure: Measure::GROWTH, ..View::default() };
    let Ok(Answer::Amounts(amounts)) = session.handle(&Request { view, question: Question::Amounts }) else {
        panic!("amounts");
    };
    let measured = amounts.passing.value;
    assert!((measured / rate.bytes_per_s - 1.0).abs() < 1e-9, "the measure says {measured}, the verdict {rate:?}");
}

#[test]
fn objects_in_the_minor_heap_are_not_counted() {
    // More of them toward the end, as collections get rarer. None was promoted.
    let mut text = background();
    for n in 0..400 {
        let at = f64::from(n) * 0.25;
        let died = if at < 50.0 { format!("{}", at + 1.0) } else { String::new() };
        let _ = writeln!(text, "main;site 1@{at}-{died}");
    }
    let growth = ask(&mut opened_text(&text), Grain::Function, &Filter::default());
    let site = find(&growth, "site");
    assert_eq!((site.grown_samples, site.rate.map(|rate| rate.bytes_per_s)), (0, Some(0.0)));
    assert!(site.end_bytes > 0.0);
    assert_ne!(growth.heap.verdict, Verdict::Growing);
}

#[test]
fn one_huge_object_is_not_growth_and_does_not_hide_growth() {
    let mut text = background();
    Draws(1).objects(&mut text, "main;Server.handle", 3_000, WHOLE, |at| Some(at + 1.0));
    text += "main;Table.resize 20000@50- promoted=50\n";
    let once = heap(&mut opened_text(&text));
    assert_ne!(once.verdict, Verdict::Growing, "{}", words::headline(&once, Units::Binary));
    Draws(2).objects(&mut text, "main;Server.log", 60, WHOLE, |_| None);
    let leak = heap(&mut opened_text(&text));
    assert_eq!(leak.verdict, Verdict::Growing, "{}", words::headline(&leak, Units::Binary));
}

#[test]
fn a_long_lived_cache_is_judged_separately_from_short_requests() {
    // Entries live for 40 s, requests for 1 s. A leak that starts after a minute is found among the requests.
    let mut text = background();
    let mut draws = Draws(3);
    draws.objects(&mut text, "main;Cache.put", 2_000, WHOLE, |at| Some(at + 40.0));
    draws.objects(&mut text, "main;Server.handle", 3_000, WHOLE, |at| Some(at + 1.0));
    let level = heap(&mut opened_text(&text));
    assert!(matches!(level.verdict, Verdict::Level), "{}", words::headline(&level, Units::Binary));
    draws.objects(&mut text, "main;Server.handle", 80, (65.0, 100.0), |_| None);
    let growth = ask(&mut opened_text(&text), Grain::Function, &Filter::default());
    let output = words::headline(&growth.heap, Units::Binary);
    assert_eq!(growth.heap.verdict, Verdict::Growing, "{output}");
    let long_lived: Vec<&str> = growth.heap.long_lived.iter().map(|group| group.function.name.as_str()).collect();
    assert_eq!(long_lived, ["Cache.put"], "{output}");
    assert!(growth.heap.since.is_some_and(|since| (60_000_000..70_000_000).contains(&since.at_us)), "{output}");
    assert_eq!(find(&growth, "Cache.put").verdict, Verdict::Undecided(Undecided::LongLived));
    assert_eq!(find(&growth, "Server.handle").verdict, Verdict::Growing);
    // A rate that wasn't measured must not be shown as 0, at any grain.
    let cache = ask(&mut opened_text(&text), Grain::Module, &Filter::default());
    let cache = find(&cache, "Cache");
    assert_eq!((cache.verdict, cache.rate), (Verdict::Undecided(Undecided::LongLived), None));
}

#[test]
fn growth_in_bursts_continues_until_an_unusually_long_pause() {
    let bursts = |times: &[f64]| {
        let mut text = background();
        let mut draws = Draws(5);
        draws.objects(&mut text, "main;Server.handle", 3_000, WHOLE, |at| Some(at + 1.0));
        for &at in times {
            draws.objects(&mut text, "main;Job.run", 40, (at, at + 1.0), |_| None);
        }
        heap(&mut opened_text(&text))
    };
    let periodic = bursts(&[20.0, 40.0, 60.0, 80.0]);
    assert_eq!(periodic.verdict, Verdict::Growing, "{}", words::headline(&periodic, Units::Binary));
    let ended = bursts(&[15.0, 25.0, 35.0, 45.0]);
    assert_eq!(ended.verdict, Verdict::Stopped, "{}", words::headline(&ended, Units::Binary));
    let twice = bursts(&[30.0, 70.0]);
    assert!(matches!(twice.verdict, Verdict::Undecided(_)), "{}", words::headline(&twice, Units::Binary));
}

#[test]
fn a_site_that_stopped_growing_is_distinguished_from_growing_ones() {
    let mut text = background();
    let mut draws = Draws(4);
    draws.objects(&mut text, "main;Server.log", 200, WHOLE, |_| None);
    draws.objects(&mut text, "main;Cache.fill", 40, (0.0, 45.0), |_| None);
    let growth = ask(&mut opened_text(&text), Grain::Function, &Filter::default());
    assert_eq!(find(&growth, "Server.log").verdict, Verdict::Growing);
    assert_eq!(find(&growth, "Cache.fill").verdict, Verdict::Stopped);
    assert_eq!(find(&growth, "garbage").verdict, Verdict::Level);
}

/// A lack of samples applies to the heap as a whole. A function has its share of the growth, however few samples it
/// has.
#[test]
fn no_function_is_reported_with_too_few_samples() {
    // In the second trace, the heap has too few samples for a verdict.
    for name in ["strings-0.01-v2", "leak-1e-6-v3", "longline-1.0-v3", "orders-1e-4-v2"] {
        let growth = ask(&mut opened(&fixture(name)), Grain::Function, &Filter::default());
        assert!(!growth.sites.is_empty(), "{name}");
        for site in &growth.sites {
            let output = format!("{} {}", site.verdict.as_str(), words::reason(&growth.heap, site, Units::Binary));
            assert!(
                !output.contains("few samples") && !output.contains("enough samples"),
                "{name}, {}: {output}",
                site.name
            );
        }
    }
}

/// Ranks verdicts from calm to alarming.
fn alarm(heap: &HeapGrowth) -> u8 {
    match heap.verdict {
        Verdict::NothingAllocated | Verdict::Level => 0,
        Verdict::Stopped => 1,
        Verdict::Undecided(_) => 2,
        Verdict::Growing => 3,
    }
}

/// A server with growth in some functions. Objects are evenly spaced, so nothing is random.
fn even_program(n_functions: u32, n_each: u32, seconds: f64) -> HeapGrowth {
    let mut text = background_until(seconds);
    let mut even = |stack: String, n: u32, phase: f64, life: Option<f64>| {
        for i in 0..n {
            let at = seconds * (f64::from(i) + phase) / f64::from(n);
            let died = life.map(|life| at + life).filter(|&died| died < seconds);
            let died = died.map(|died| died.to_string()).unwrap_or_default();
            let _ = writeln!(text, "{stack} 1@{at}-{died} promoted={at}");
        }
    };
    even("main;Server.handle".to_owned(), (10.0 * seconds) as u32, 0.5, Some(1.5));
    (0..n_functions).for_each(|n| {
        let phase = (f64::from(n) + 0.5) / f64::from(n_functions);
        even(format!("main;FrameField{n}.make"), n_each, phase, None);
    });
    heap(&mut opened_text(&text))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn more_samples_never_make_the_verdict_calmer(n_functions in 1u32..6, n_each in 3u32..12) {
        let few = even_program(n_functions, n_each, 60.0);
        let more = even_program(n_functions, 2 * n_each, 60.0);
        prop_assert!(alarm(&more) >= alarm(&few), "{} / {}", words::headline(&few, Units::Binary), words::headline(&more, Units::Binary));
    }

    #[test]
    fn one_more_growing_function_never_makes_the_verdict_calmer(n_functions in 1u32..20, n_each in 2u32..10) {
        let few = even_program(n_functions, n_each, 60.0);
        let more = even_program(n_functions + 1, n_each, 60.0);
        prop_assert!(alarm(&more) >= alarm(&few), "{} / {}", words::headline(&few, Units::Binary), words::headline(&more, Units::Binary));
    }

    #[test]
    fn a_longer_trace_with_the_same_slope_never_makes_the_verdict_calmer(n_each in 3u32..12, times in 2u32..5) {
        let short = even_program(3, n_each, 30.0);
        let long = even_program(3, times * n_each, 30.0 * f64::from(times));
        prop_assert!(alarm(&long) >= alarm(&short), "{} / {}", words::headline(&short, Units::Binary), words::headline(&long, Units::Binary));
    }

    /// Growth as a measure matches a slow count in every unit, and its rows add up.
    #[test]
    fn growth_as_a_measure_matches_a_slow_count((case, filter) in random_case()) {
        prop_assume!(filter.check().is_ok());
        let mut session = opened(&case.bytes);
        let heap = heap(&mut session);
        let window = heap.window_in(&filter);
        let grows = counted(&case, &filter, Measure::Allocated).into_iter().filter(|object| {
            object.end_us.is_none()
                && super::reference::heap(object) != Heap::Minor
                && (window.from_us..window.to_us).contains(&object.alloc_us)
        });
        let (mut samples, mut blocks) = (0, 0.0);
        for object in grows {
            samples += object.samples;
            blocks += object.samples as f64 / (object.size_words + 1) as f64;
        }
        let seconds = window.seconds();
        let per_second = |value: f64| if seconds > 0.0 { value / seconds } else { 0.0 };
        let sampling = case.trace.sampling();
        let expected = [
            (GrowthUnit::Bytes, per_second(samples as f64 * sampling.bytes_a_sample)),
            (GrowthUnit::Blocks, per_second(blocks / sampling.rate)),
            (GrowthUnit::Samples, per_second(samples as f64)),
        ];
        for (unit, expected) in expected {
            let view = View { filter: filter.clone(), measure: Measure::Growth(unit), ..View::default() };
            let answer = session.handle(&Request { view, question: Question::Amounts });
            let Ok(Answer::Amounts(amounts)) = answer else {
                // Never freed and collected contradict each other.
                prop_assert_eq!(samples, 0);
                continue;
            };
            prop_assert!((amounts.passing.value - expected).abs() <= 1e-9 * expected.abs(), "{unit:?}");
            prop_assert_eq!(amounts.passing.samples, samples);
        }
    }

    #[test]
    fn every_site_has_its_samples_and_shares_add_up((case, filter) in random_case()) {
        prop_assume!(filter.check().is_ok());
        let growth = ask(&mut opened(&case.bytes), Grain::Site, &filter);
        let all: u64 = counted(&case, &filter, Measure::Allocated).iter().map(|object| object.samples).sum();
        prop_assert_eq!(growth.sites.iter().map(|site| site.samples).sum::<u64>(), all, "some samples don't belong to a site");
        let shares: f64 = growth.sites.iter().filter_map(|site| site.share).map(|share| share.value).sum();
        let passing = growth.passing.share.map_or(0.0, |share| share.value);
        prop_assert!((shares - passing).abs() < 1e-9 && passing <= 1.0 + 1e-9, "{shares} {passing}");
        for site in &growth.sites {
            let rate = site.rate.unwrap_or_default();
            prop_assert!(rate.low <= rate.bytes_per_s && rate.bytes_per_s <= rate.high && rate.high.is_finite());
        }
    }
}

#[test]
fn the_growth_table_adds_up_to_the_heap_for_self_and_total() {
    let mut session = opened(&fixture("leak-15"));
    let rate = heap(&mut session).rate.expect("a rate").bytes_per_s;
    let order = Order { column: Column::TotalBytes, descending: true };
    let config = TableConfig { order, search: String::new(), rows: 0..usize::MAX };
    let view = View { measure: Measure::GROWTH, ..View::default() };
    let Ok(Answer::Table(table)) = session.handle(&Request { view, question: Question::Table(config) }) else {
        panic!("a table");
    };
    let Table { all_bytes, rows, .. } = table;
    assert!((all_bytes - rate).abs() < 1e-6 * rate, "{all_bytes} {rate}");
    let own: f64 = rows.iter().map(|row| row.self_bytes).sum();
    assert!((own - rate).abs() < 1e-6 * rate, "{own} {rate}");
    assert!((rows[0].total_bytes - rate).abs() < 1e-6 * rate, "no function calls them all: {}", rows[0].name);
}

#[test]
fn a_filter_by_function_has_its_share_of_the_growth() {
    let mut session = opened(&fixture("leak-3-long"));
    let whole = ask(&mut session, Grain::Function, &Filter::default());
    let name = NameTest { how: camlscope_engine::query::filter::How::Contains, text: "Parser.make".to_owned() };
    let test = FrameTest { part: FrameField::Function, name, not: false, which: WhichFrame::Any };
    let part = ask(&mut session, Grain::Function, &Filter { clauses: vec![Clause::Frame(test)] });
    let of_rows: f64 = whole
        .sites
        .iter()
        .filter(|site| site.name.contains("Parser.make"))
        .filter_map(|site| site.share)
        .map(|share| share.value)
        .sum();
    let share = part.passing.share.expect("a share").value;
    assert!((share - of_rows).abs() < 1e-9 && share > 0.2, "{share} {of_rows}");
}

#[test]
fn a_downsampled_trace_gets_the_same_verdict_with_a_wider_interval() {
    let bytes = fixture("leak-15");
    let whole = heap(&mut opened(&bytes));
    let trace = camlscope_testkit::fixtures::load(&bytes, 1 << 16, camlscope_engine::trace::Budget::default())
        .expect("a trace");
    let all = camlscope_engine::query::selection::Selection::all(trace.columns.len());
    let config = camlscope_present::export::TraceConfig { one_in: 4, anonymize: None };
    let mut downsampled = Vec::new();
    camlscope_present::export::write_trace(&trace, &all, config, &mut downsampled).expect("a copy");
    let part = heap(&mut opened(&downsampled));
    assert_eq!(part.verdict, Verdict::Growing, "{}", words::headline(&part, Units::Binary));
    let width = |heap: &HeapGrowth| heap.rate.map_or(0.0, |rate| rate.high - rate.low);
    assert!(width(&part) > 1.5 * width(&whole), "{} {}", width(&part), width(&whole));
}

#[test]
fn a_truncated_trace_still_gets_a_verdict() {
    let bytes = fixture("leak-15");
    let heap = heap(&mut opened(&bytes[..bytes.len() * 2 / 3]));
    assert_eq!(heap.verdict, Verdict::Growing, "{}", words::headline(&heap, Units::Binary));
}

const WHOLE: (f64, f64) = (0.0, 100.0);

/// The name, the leaking function, if any, and the program's objects.
fn synthetic_programs() -> Vec<(&'static str, Option<&'static str>, String)> {
    let mut draws = Draws(7);
    let mut programs = Vec::new();
    let mut program = |name, truth, draw: &mut dyn FnMut(&mut Draws, &mut String)| {
        let mut text = background();
        draw(&mut draws, &mut text);
        programs.push((name, truth, text));
    };
    program("a slow leak next to large garbage", Some("Server.log"), &mut |draws, text| {
        draws.objects(text, "main;Server.log", 40, WHOLE, |_| None);
        draws.objects(text, "main;Server.handle", 10_000, WHOLE, |at| Some(at + 3.0));
    });
    program("30 samples of a leak", Some("Server.log"), &mut |draws, text| {
        draws.objects(text, "main;Server.log", 30, WHOLE, |_| None);
        draws.objects(text, "main;Server.handle", 2_000, WHOLE, |at| Some(at + 0.5));
    });
    program("a leak that starts late", Some("Server.log"), &mut |draws, text| {
        draws.objects(text, "main;Server.log", 60, (60.0, 100.0), |_| None);
        draws.objects(text, "main;Server.handle", 3_000, WHOLE, |at| Some(at + 2.0));
    });
    program("a leak of several parts", Some("Session.start"), &mut |draws, text| {
        for stack in
            ["main;Session.start", "main;Session.start;Stdlib__Bytes.sub", "main;Session.index", "main;Log.add"]
        {
            draws.objects(text, stack, 60, WHOLE, |_| None);
        }
        draws.objects(text, "main;Server.handle", 3_000, WHOLE, |at| Some(at + 2.0));
    });
    program("a cache that fills and levels off", None, &mut |draws, text| {
        draws.objects(text, "main;Cache.put", 3_000, WHOLE, |at| Some(at + 30.0));
    });
    program("a sawtooth", None, &mut |draws, text| {
        draws.objects(text, "main;Batch.add", 3_000, WHOLE, |at| Some((at / 17.0).floor() * 17.0 + 17.0));
    });
    program("tables of startup", None, &mut |draws, text| {
        draws.objects(text, "main;Tables.load", 500, (0.0, 4.0), |_| None);
        draws.objects(text, "main;Server.handle", 3_000, WHOLE, |at| Some(at + 1.0));
    });
    program("generations, each kept for two", None, &mut |draws, text| {
        draws.objects(text, "main;World.step", 4_000, WHOLE, |at| Some((at / 10.0).floor() * 10.0 + 20.0));
    });
    program("a level heap with bursts", None, &mut |draws, text| {
        draws.objects(text, "main;Server.handle", 3_000, WHOLE, |at| Some(at + 5.0));
        for at in [20.0, 45.0, 70.0, 95.0] {
            draws.objects(text, "main;Report.run", 300, (at, at + 1.0), |at| Some(at + 4.0));
        }
    });
    program("a program that runs once and keeps what it builds", None, &mut |draws, text| {
        for n in 0..15 {
            let stack = format!("main;Pass{n}.run");
            draws.objects(text, &stack, 120, WHOLE, |_| None);
            draws.objects(text, &stack, 400, WHOLE, |at| Some(at + 1.0));
        }
    });
    program("a program of passes that keep their results", None, &mut |draws, text| {
        for n in 0..8 {
            let from = f64::from(n) * 12.5;
            draws.objects(text, &format!("main;Pass{n}.run"), 200, (from, from + 12.5), |_| None);
        }
    });
    programs
}

/// A program that builds up its result and exits does grow, but isn't a leak. The headline has both.
#[test]
fn programs_known_to_leak_are_told_apart_from_others() {
    let mut table = String::new();
    let mut row = |name: &str, truth: Option<&str>, session: &mut Session| {
        let Growth { heap, .. } = ask(session, Grain::Function, &Filter::default());
        let truth_words = truth.map_or_else(|| "no leak".to_owned(), |function| format!("{function} leaks"));
        let output = words::headline(&heap, Units::Binary);
        if let Some(function) = truth {
            assert_eq!(heap.verdict, Verdict::Growing, "{name}: {output}");
            assert!(heap.carriers.iter().any(|carrier| carrier.name.starts_with(function)), "{name}: {output}");
        }
        let first = output.split(". ").next().unwrap_or_default().trim_end_matches('.');
        let _ = writeln!(table, "| {name} | {truth_words} | {} | {first} |", heap.verdict.as_str());
    };
    for (name, truth) in [
        ("leak-1e-4-v3", Some("Leak.")),
        ("orders-1e-4-v2", Some("Orders.Session.")),
        ("phases-1e-4-v2", None),
        ("typecore-1e-4-v2", None),
        ("menhir-1e-5-v3", None),
        ("deep-1e-3-v2", None),
        ("strings-0.01-v2", None),
        ("longline-1.0-v3", None),
    ] {
        row(name, truth, &mut opened(&fixture(name)));
    }
    for (name, truth, text) in synthetic_programs() {
        row(name, truth, &mut opened_text(&text));
    }
    expect![[r#"
        | leak-1e-4-v3 | Leak. leaks | growing | The heap keeps growing: +2.08 MiB/s (1.54–2.74) since 558 ms (406–609 ms) |
        | orders-1e-4-v2 | Orders.Session. leaks | growing | The heap keeps growing: +82.4 KiB/s (60.8–109) since the start |
        | phases-1e-4-v2 | no leak | undecided | Can't tell yet: objects live for up to 70.6 s |
        | typecore-1e-4-v2 | no leak | undecided | Can't tell yet: since 2.33 s, 10.2 MiB/s (7.91–13.1) of allocated memory has stayed live |
        | menhir-1e-5-v3 | no leak | undecided | Can't tell yet: the trace covers only 164 ms |
        | deep-1e-3-v2 | no leak | undecided | Can't tell yet: the trace covers only 99.2 ms |
        | strings-0.01-v2 | no leak | undecided | Can't tell yet: the trace covers only 298 ms |
        | longline-1.0-v3 | no leak | undecided | Can't tell yet: the trace covers only 9.92 ms |
        | a slow leak next to large garbage | Server.log leaks | growing | The heap keeps growing: +322 B/s (229–440) since the start |
        | 30 samples of a leak | Server.log leaks | growing | The heap keeps growing: +242 B/s (163–345) since the start |
        | a leak that starts late | Server.log leaks | growing | The heap keeps growing: +1.08 KiB/s (0.81–1.41) since 59.4 s (57.0–59.4 s) |
        | a leak of several parts | Session.start leaks | growing | The heap keeps growing: +1.87 KiB/s (1.64–2.13) since the start |
        | a cache that fills and levels off | no leak | level | Any steady growth of the heap is below 36 B/s |
        | a sawtooth | no leak | level | Any steady growth of the heap is below 29 B/s |
        | tables of startup | no leak | level | Any steady growth of the heap is below 27 B/s |
        | generations, each kept for two | no leak | level | Any steady growth of the heap is below 30 B/s |
        | a level heap with bursts | no leak | level | Any steady growth of the heap is below 25 B/s |
        | a program that runs once and keeps what it builds | no leak | growing | The heap keeps growing: +14.1 KiB/s (13.5–14.8) since the start |
        | a program of passes that keep their results | no leak | growing | The heap keeps growing: +12.5 KiB/s (11.9–13.1) since the start |
    "#]].assert_eq(&table);
}

fn opened_text(text: &str) -> Session {
    opened(&Case::from_text(text).bytes)
}

fn ask(session: &mut Session, grain: Grain, filter: &Filter) -> Growth {
    let view = View { filter: filter.clone(), grain, ..View::default() };
    match session.handle(&Request { view, question: Question::Growth }) {
        Ok(Answer::Growth(growth)) => *growth,
        other => panic!("{other:?}"),
    }
}

fn heap(session: &mut Session) -> HeapGrowth {
    ask(session, Grain::Function, &Filter::default()).heap
}

fn find<'a>(growth: &'a Growth, name: &str) -> &'a SiteGrowth {
    growth.sites.iter().find(|site| site.name == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Garbage for a trace of 100 s.
fn background() -> String {
    background_until(100.0)
}

fn background_until(seconds: f64) -> String {
    (0..=(2.0 * seconds) as u32).fold(String::new(), |mut text, n| {
        let at = f64::from(n) * 0.5;
        let _ = writeln!(text, "main;garbage 1@{at}-{at}");
        text
    })
}

/// Pseudo-random times, the same in each run.
struct Draws(u64);

impl Draws {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Objects at random times in a range, promoted at once and freed as given.
    fn objects(
        &mut self,
        text: &mut String,
        stack: &str,
        n: u32,
        range: (f64, f64),
        freed: impl Fn(f64) -> Option<f64>,
    ) {
        for _ in 0..n {
            let at = range.0 + (range.1 - range.0) * self.unit();
            let died = freed(at).filter(|&died| died <= 100.0).map(|died| format!("{died:.6}")).unwrap_or_default();
            let _ = writeln!(text, "{stack} 1@{at:.6}-{died} promoted={at:.6}");
        }
    }
}
