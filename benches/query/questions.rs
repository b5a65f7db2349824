//! The queries to measure. Each run uses a new query, so the session's cache helps as little as when a user changes the view.

use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::filter::{Clause, Filter, SizeUnit, Span, When};
use camlscope_engine::query::flame::{BoxSelector, Direction, FlameConfig};
use camlscope_engine::query::histogram::{Bins, Counted, HistogramConfig, Of};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::{Order, TableConfig};
use camlscope_engine::query::timeline::{By, Graph, TimelineConfig};
use camlscope_engine::query::tree::Grain;

pub struct Case {
    pub name: &'static str,
    /// The goal for native code, in ms. The goal for the browser is twice that.
    pub goal_ms: Option<f64>,
    pub requests: Vec<Request>,
}

const RUNS: u64 = 6;

pub fn cases(end_us: u64) -> Vec<Case> {
    let all = || View { measure: Measure::Allocated, ..View::default() };
    // A new limit in each run, which nearly all objects pass. No filter adds clauses to another, so no selection is narrowed.
    let smaller = |run: u64| {
        let clause = Clause::Size(Span { from: None, to: Some(250 + run) }, SizeUnit::Words);
        View { filter: Filter { clauses: vec![clause] }, ..all() }
    };
    let live = |run: u64| {
        let at = When::At(end_us / 4 + run * end_us / (2 * RUNS));
        View { measure: Measure::Live(at), ..View::default() }
    };
    let case = |name, goal_ms, first: u64, view: &dyn Fn(u64) -> View, question: Question| {
        let request = |run| Request { view: view(run), question: question.clone() };
        Case { name, goal_ms, requests: (first..first + RUNS).map(request).collect() }
    };
    let flame = |direction| {
        let depths = 0..48;
        Question::Flame(FlameConfig { direction, root: BoxSelector::Top, x: 0.0..1.0, width_px: 1440.0, depths })
    };
    let table =
        Question::Table(TableConfig { order: Order::usual(Grain::Function), search: String::new(), rows: 0..100 });
    let timeline = |by| {
        Question::Timeline(TimelineConfig {
            from_us: 0,
            to_us: end_us,
            n_steps: 720,
            by,
            top: 12,
            graph: Graph::LiveBytes,
        })
    };
    let histogram =
        |of| Question::Histogram(HistogramConfig { of, bins: Bins::Log2, split: None, weight: Counted::Samples });
    vec![
        Case {
            name: "the first flame graph, tree included",
            goal_ms: None,
            requests: vec![Request { view: all(), question: flame(Direction::TopDown) }],
        },
        case("new filter → flame graph", Some(100.0), 2, &smaller, flame(Direction::TopDown)),
        case("live at a moving t → flame graph", Some(50.0), 0, &live, flame(Direction::TopDown)),
        case("new filter → bottom-up", None, 12, &smaller, flame(Direction::Inverted)),
        case("new filter → table of functions", Some(300.0), 22, &smaller, table),
        case(
            "new filter → timeline by 12 functions",
            Some(200.0),
            32,
            &smaller,
            timeline(Some(By::Grain(Grain::Function))),
        ),
        case("new filter → timeline", None, 42, &smaller, timeline(None)),
        case("new filter → histogram of sizes", None, 52, &smaller, histogram(Of::Size)),
        case("new filter → histogram of lifetimes", None, 62, &smaller, histogram(Of::Lifetime)),
        case("new filter → leaks", None, 72, &smaller, Question::Growth),
    ]
}
