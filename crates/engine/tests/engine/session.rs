//! Uses the session as its clients do: a script of queries and their exact results. A result never depends on earlier
//! queries, canceled queries or the cache.

use camlscope_engine::protocol::{Answer, Question, Request, Slot, Versus, View};
use camlscope_engine::query::compare::{CompareConfig, Scale, Sum};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::flame::{BoxSelector, Direction, FlameConfig};
use camlscope_engine::query::histogram::{Bins, Counted, HistogramConfig, Of};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::{Order, TableConfig};
use camlscope_engine::query::timeline::{By, Graph, TimelineConfig};
use camlscope_engine::query::tree::Grain;
use camlscope_engine::session::{Session, Step};
use camlscope_engine::trace::Budget;
use camlscope_present::words::errors::UserError;
use camlscope_testkit::fixtures::{fixture, open_in, opened};
use camlscope_testkit::questions::{requests, view, views};
use camlscope_testkit::synth::{Extent, Options, Shape, generate};
use expect_test::expect;

#[test]
fn a_script_of_queries_has_these_results() {
    let mut session = opened(&fixture("leak-1e-4-v3"));
    let peak = view("", Measure::Live(When::Peak));
    assert_eq!(reported(&mut session, &peak, Question::Amounts), "8800000 of 8800000, 110 of 110 samples\n");
    expect![[r#"
        all 8800000 own 0, 110 samples
          Leak 8800000 own 0, 110 samples
            Leak.make_session 3920000 own 3520000, 49 samples
            Leak.handle_request 3840000 own 480000, 48 samples
            Leak.register 960000 own 0, 12 samples
            Leak.handle_request.(fun) 80000 own 80000, 1 samples
              Stdlib__Printf.ksprintf.k' 400000 own 0, 5 samples
              Stdlib__List.init_aux 2880000 own 0, 36 samples
              Stdlib__Printf.ksprintf.k' 400000 own 0, 5 samples
              (no debug info) 80000 own 0, 1 samples
              Stdlib__Hashtbl.replace 720000 own 720000, 9 samples
              Stdlib__Hashtbl.resize 160000 own 160000, 2 samples
              Stdlib__Hashtbl.insert_all_buckets 80000 own 80000, 1 samples
                Stdlib__Buffer.contents 400000 own 0, 5 samples
                Stdlib__List.init_aux 2880000 own 80000, 36 samples
                Stdlib__Buffer.contents 400000 own 0, 5 samples
                CamlinternalFormat.make_printf 80000 own 80000, 1 samples
                  Stdlib__Bytes.sub_string 400000 own 0, 5 samples
                  Stdlib__List.init_aux 2800000 own 0, 35 samples
                  Stdlib__Bytes.sub_string 400000 own 0, 5 samples
    "#]]
    .assert_eq(&reported(&mut session, &peak, flame(Direction::TopDown, 200.0)));
    expect![[r#"
        all 8800000 own 0, 110 samples
          Leak.make_session 3520000 own 0, 44 samples
          Leak.handle_request.(fun) 1360000 own 0, 17 samples
          Stdlib__List.init_aux 960000 own 0, 12 samples
          Stdlib__Bytes.sub 800000 own 0, 10 samples
          Stdlib__Hashtbl.replace 720000 own 0, 9 samples
          Stdlib.string_of_int 640000 own 0, 8 samples
          Leak.handle_request 480000 own 0, 6 samples
          (3 more) 320000 own 0, 4 samples
            Leak 3520000 own 3520000, 44 samples
            Stdlib__List.init_aux 1280000 own 0, 16 samples
            (1 more) 80000 own 0, 1 samples
            Stdlib__List.init_aux 960000 own 0, 12 samples
            Stdlib__Bytes.sub_string 800000 own 0, 10 samples
            Leak.register 720000 own 0, 9 samples
            Leak.handle_request.(fun) 640000 own 0, 8 samples
            Leak 480000 own 480000, 6 samples
              Stdlib__List.init_aux 1280000 own 0, 16 samples
              Stdlib__List.init_aux 880000 own 0, 11 samples
              (1 more) 80000 own 0, 1 samples
              Stdlib__Buffer.contents 800000 own 0, 10 samples
              Leak 720000 own 720000, 9 samples
              Stdlib__List.init_aux 640000 own 0, 8 samples
                Stdlib__List.init_aux 1280000 own 0, 16 samples
                Stdlib__List.init_aux 880000 own 0, 11 samples
                Stdlib__Printf.ksprintf.k' 800000 own 0, 10 samples
                Stdlib__List.init_aux 640000 own 0, 8 samples
                  Stdlib__List.init_aux 1200000 own 0, 15 samples
                  (1 more) 80000 own 0, 1 samples
                  Stdlib__List.init_aux 880000 own 0, 11 samples
                  Leak.handle_request 400000 own 0, 5 samples
                  Leak.make_session 400000 own 0, 5 samples
                  Stdlib__List.init_aux 640000 own 0, 8 samples
    "#]]
    .assert_eq(&reported(&mut session, &peak, flame(Direction::Inverted, 40.0)));
    let small = view("size=..3&function=handle_request", Measure::Allocated);
    assert_eq!(reported(&mut session, &small, Question::Amounts), "514880000 of 533360000, 6436 of 6667 samples\n");
    expect![[r#"
        13 rows, 6436 samples
        Leak self 0 total 6436 samples
        Leak.handle_request self 9 total 6355 samples
        Stdlib__List.init_aux self 2385 total 6302 samples
    "#]]
    .assert_eq(&reported(&mut session, &small, table(3)));
    expect![[r#"
        11 names, 4640000, 58 samples
    "#]]
    .assert_eq(&reported(&mut session, &peak, Question::Find("/^Stdlib/".to_owned())));
    expect![[r#"
        live 0..3760000, then 1440000: promoted 1440000 minor 0 major 0
        live 1440000..5680000, then 4960000: promoted 3040000 minor 1840000 major 80000
        live 2720000..6800000, then 5840000: promoted 4000000 minor 1760000 major 80000
        live 4080000..8800000, then 7200000: promoted 5760000 minor 1200000 major 240000
    "#]]
    .assert_eq(&reported(&mut session, &view("", Measure::Allocated), timeline(4)));
    expect![[r#"
        10..100: 95
        100..1000: 1685
        1000..10000: 2798
        10000..100000: 1971
        100000..1000000: 31
        1000000..10000000: 1
        never: 86
    "#]]
    .assert_eq(&reported(&mut session, &view("", Measure::Allocated), histogram()));
    let times = Versus::Times { before: When::At(500_000), after: When::End };
    expect![[r#"
        Leak.make_session 640000 → 3760000, grew
        Stdlib__Bytes.sub 80000 → 880000, grew
        Stdlib__Hashtbl.replace 0 → 800000, new
        Leak.handle_request 0 → 640000, grew
    "#]]
    .assert_eq(&reported(&mut session, &peak, compare(times)));
}

#[test]
fn unanswerable_queries_explain_why() {
    let mut session = Session::new();
    let all = view("", Measure::Allocated);
    assert_eq!(reported(&mut session, &all, Question::Amounts), "no-trace: No trace is loaded. Open a trace first.\n");
    open_in(&mut session, Slot::Main, &fixture("tiny-0.1-v2"));
    expect![[r#"
        impossible-filter: No object can match this filter: a range ends before it starts. Change or remove one of the filters.
    "#]]
    .assert_eq(&reported(&mut session, &view("size=9..3", Measure::Allocated), Question::Amounts));
    expect![[r#"
        bad-pattern: “(” isn't a valid regular expression: found open group without closing ')'. Fix the pattern, or search for plain text.
    "#]]
    .assert_eq(&reported(&mut session, &view("function=(", Measure::Allocated), Question::Amounts));
    expect![[r#"
        no-trace: No trace is loaded. Open a trace first.
    "#]]
    .assert_eq(&reported(&mut session, &all, compare(Versus::Other { scale: Scale::AsIs })));
    let nowhere = camlscope_engine::query::tree::Label { name: "No.where".to_owned(), ..Default::default() };
    let zoomed = FlameConfig { root: BoxSelector::Path(vec![nowhere]), ..flame_config(Direction::TopDown, 100.0) };
    expect![[r#"
        not-here: This stack isn't in the trace, or the filter excludes it. Relax the filter, or show all stacks.
    "#]]
    .assert_eq(&reported(&mut session, &all, Question::Flame(zoomed)));
    // Nothing passes, which isn't an error.
    assert_eq!(reported(&mut session, &view("size=1000000..", Measure::Allocated), table(3)), "0 rows, 0 samples\n");
}

#[test]
fn a_result_does_not_depend_on_earlier_queries() {
    let requests = requests(&views());
    let fresh: Vec<_> = requests.iter().map(|request| opened(&fixture("phases-1e-4-v2")).handle(request)).collect();
    let mut session = opened(&fixture("phases-1e-4-v2"));
    for round in 0..3 {
        // Forward, then backward, then in steps of seven, so that the caches hold something else each time.
        let order: Vec<usize> = match round {
            0 => (0..requests.len()).collect(),
            1 => (0..requests.len()).rev().collect(),
            _ => (0..requests.len()).map(|at| at * 7 % requests.len()).collect(),
        };
        for at in order {
            assert_eq!(session.handle(&requests[at]), fresh[at], "{:?}", requests[at]);
        }
    }
}

#[test]
fn a_canceled_query_does_not_affect_the_next_one() {
    let requests = requests(&views());
    let mut session = opened(&fixture("typecore-1e-4-v2"));
    let mut interrupted = opened(&fixture("typecore-1e-4-v2"));
    // Each kind of query is asked under one of the views, because the number of kinds isn't a multiple of 5.
    for (at, request) in requests.iter().enumerate().step_by(5) {
        // Another query is started and dropped.
        let _ = interrupted.advance(&requests[(at * 5 + 3) % requests.len()]);
        assert_eq!(interrupted.handle(request), session.handle(request), "{request:?}");
    }
}

#[test]
fn long_work_is_done_in_slices_with_progress() {
    // Large enough for several slices of its tree and its rows. A slice is 32 chunks of 65,536 rows.
    let extent = Extent::Objects(2_200_000);
    let options = Options { shape: Shape::Compiler, extent, rate: 0.1, domains: 1, seed: 1 };
    let mut bytes = Vec::new();
    generate(&options, &mut bytes).expect("in memory");
    let mut session = opened(&bytes);
    let request = Request { view: view("size=2..", Measure::Allocated), question: flame(Direction::TopDown, 100.0) };
    let mut shares = Vec::new();
    loop {
        match session.advance(&request) {
            Step::Working(share) => shares.push(share),
            Step::Done(Ok(answer)) => break assert!(matches!(*answer, Answer::Flame(_))),
            Step::Done(Err(error)) => panic!("{error:?}"),
        }
    }
    assert!(shares.len() >= 4, "{shares:?}");
    assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
    // A cached result is returned at once.
    assert!(matches!(session.advance(&request), Step::Done(Ok(_))));
}

#[test]
fn two_traces_can_be_compared_until_a_new_main_trace_is_opened() {
    let mut session = opened(&fixture("typecore-1e-4-v2"));
    open_in(&mut session, Slot::Other, &fixture("typecore-1e-4-v2"));
    let all = view("", Measure::Allocated);
    let question = || compare(Versus::Other { scale: Scale::AsIs });
    let Ok(Answer::Compare(same)) = session.handle(&Request { view: all.clone(), question: question() }) else {
        panic!("no comparison")
    };
    assert!(same.rows.iter().all(|row| row.change.change == 0.0), "a trace differs from itself");
    open_in(&mut session, Slot::Main, &fixture("phases-1e-4-v2"));
    assert!(session.trace(Slot::Other).is_none(), "the comparison with the old trace is still open");
    assert!(session.handle(&Request { view: all, question: question() }).is_err());
}

#[test]
fn queries_can_be_about_the_other_trace_and_the_two_can_be_swapped() {
    let all = view("", Measure::Allocated);
    let amounts = |session: &mut Session, question| {
        let Ok(Answer::Amounts(amounts)) = session.handle(&Request { view: all.clone(), question }) else {
            panic!("no amounts")
        };
        amounts.passing.objects
    };
    let [alone_a, alone_b] =
        ["typecore-1e-4-v2", "phases-1e-4-v2"].map(|name| amounts(&mut opened(&fixture(name)), Question::Amounts));
    assert_ne!(alone_a, alone_b);
    let of_other = || Question::OfOther(Box::new(Question::Amounts));
    let mut session = opened(&fixture("typecore-1e-4-v2"));
    session.swap();
    assert_eq!(amounts(&mut session, Question::Amounts), alone_a, "swapping a single trace changed something");
    open_in(&mut session, Slot::Other, &fixture("phases-1e-4-v2"));
    assert_eq!([amounts(&mut session, Question::Amounts), amounts(&mut session, of_other())], [alone_a, alone_b]);
    session.swap();
    assert_eq!([amounts(&mut session, Question::Amounts), amounts(&mut session, of_other())], [alone_b, alone_a]);
    session.close_other();
    assert_eq!(amounts(&mut session, Question::Amounts), alone_b);
    assert!(session.handle(&Request { view: all.clone(), question: of_other() }).is_err());
}

#[test]
fn a_failed_load_keeps_the_open_trace_unless_both_exceed_the_budget() {
    let mut session = opened(&fixture("phases-1e-4-v2"));
    session.begin(Slot::Main, None);
    assert!(session.push(b"no trace, but text enough to tell that").is_err() || session.finish().is_err());
    assert!(session.trace(Slot::Main).is_some());

    let bytes = fixture("typecore-1e-4-v2");
    let mut session = Session::with_budget(Budget { bytes: 1 << 20 });
    open_in(&mut session, Slot::Main, &fixture("phases-1e-4-v2"));
    session.begin(Slot::Main, None);
    session.push(&bytes).expect("a trace");
    assert!(session.trace(Slot::Main).is_none(), "both fit into the budget");
}

fn flame_config(direction: Direction, width_px: f64) -> FlameConfig {
    FlameConfig { direction, root: BoxSelector::Top, x: 0.0..1.0, width_px, depths: 0..6 }
}

fn flame(direction: Direction, width_px: f64) -> Question {
    Question::Flame(flame_config(direction, width_px))
}

fn table(n: usize) -> Question {
    let order = Order::usual(Grain::Function);
    Question::Table(TableConfig { order, search: String::new(), rows: 0..n })
}

fn timeline(n_steps: usize) -> Question {
    let by = Some(By::Heap);
    Question::Timeline(TimelineConfig { from_us: 0, to_us: 3_000_000, n_steps, by, top: 3, graph: Graph::LiveBytes })
}

fn histogram() -> Question {
    let config = HistogramConfig { of: Of::Lifetime, bins: Bins::Log10, split: None, weight: Counted::Samples };
    Question::Histogram(config)
}

fn compare(versus: Versus) -> Question {
    let config = CompareConfig { measure: Measure::Allocated, sum: Sum::Own, scale: Scale::AsIs, limit: 4, gate: None };
    Question::Compare { versus, config }
}

/// Returns the result as readable lines.
fn reported(session: &mut Session, view: &View, question: Question) -> String {
    let lines: Vec<String> = match session.handle(&Request { view: view.clone(), question }) {
        Err(error) => {
            let UserError { kind, text, advice, .. } = error.into();
            vec![format!("{kind}: {text} {advice}")]
        }
        Ok(Answer::Amounts(amounts)) => vec![format!(
            "{:.0} of {:.0}, {} of {} samples",
            amounts.passing.value, amounts.whole.value, amounts.passing.samples, amounts.whole.samples
        )],
        Ok(Answer::Flame(flame)) => flame
            .boxes
            .iter()
            .map(|drawn| {
                let name = match drawn.n_merged {
                    0 => flame.names[drawn.name as usize].label.name.clone(),
                    n => format!("({n} more)"),
                };
                let indent = "  ".repeat(drawn.depth as usize);
                format!("{indent}{name} {:.0} own {:.0}, {} samples", drawn.total, drawn.own, drawn.samples)
            })
            .collect(),
        Ok(Answer::Table(table)) => {
            let rows = table
                .rows
                .iter()
                .map(|row| format!("{} self {} total {} samples", row.name, row.self_samples, row.total_samples));
            std::iter::once(format!("{} rows, {} samples", table.n_rows, table.all_samples)).chain(rows).collect()
        }
        Ok(Answer::Find(found)) => {
            vec![format!("{} names, {:.0}, {} samples", found.keys.len(), found.total, found.samples)]
        }
        Ok(Answer::Timeline(timeline)) => (0..timeline.live_last.len())
            .map(|at| {
                let (min, max, last) = (timeline.live_min[at], timeline.live_max[at], timeline.live_last[at]);
                let parts =
                    timeline.series.iter().map(|series| format!(" {} {:.0}", series.name, series.live_last[at]));
                format!("live {min:.0}..{max:.0}, then {last:.0}:{}", parts.collect::<String>())
            })
            .collect(),
        Ok(Answer::Histogram(histogram)) => {
            let bins = histogram.bins.iter().map(|bin| format!("{}..{}: {}", bin.from, bin.to, bin.samples));
            bins.chain(histogram.never.map(|never| format!("never: {}", never.samples))).collect()
        }
        Ok(Answer::Compare(comparison)) => comparison
            .rows
            .iter()
            .map(|row| {
                let change = &row.change;
                format!("{} {:.0} → {:.0}, {}", row.label.name, change.before, change.after, change.verdict.as_str())
            })
            .collect(),
        Ok(other) => vec![format!("{other:?}")],
    };
    lines.iter().map(|line| format!("{line}\n")).collect()
}
