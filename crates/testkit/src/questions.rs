//! Queries of every kind, in views that have little in common.

use camlscope_engine::protocol::{Question, Request, Versus, View};
use camlscope_engine::query::compare::{CompareConfig, DiffConfig, Scale, Sum};
use camlscope_engine::query::events::{EventsConfig, Start};
use camlscope_engine::query::filter::{Filter, FrameField, When};
use camlscope_engine::query::flame::{BoxSelector, BranchConfig, Direction, FlameConfig};
use camlscope_engine::query::histogram::heat::{Across, HeatConfig};
use camlscope_engine::query::histogram::sites::Within;
use camlscope_engine::query::histogram::{Bins, Counted, HistogramConfig, Of};
use camlscope_engine::query::lines::LinesConfig;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::name_search::NameSearchConfig;
use camlscope_engine::query::stacks::StacksConfig;
use camlscope_engine::query::suggest::SuggestConfig;
use camlscope_engine::query::table::{Order, TableConfig};
use camlscope_engine::query::timeline::point::PointConfig;
use camlscope_engine::query::timeline::{By, Graph, SeriesOf, TimelineConfig};
use camlscope_engine::query::tree::Grain;

/// Views that have little in common.
pub fn views() -> [View; 5] {
    [
        view("", Measure::Allocated),
        view("", Measure::Live(When::Peak)),
        view("size=..4&lifetime=1ms..", Measure::ByteSeconds),
        View { grain: Grain::Site, ..view("hide=List", Measure::GROWTH) },
        View { grain: Grain::Module, fold_recursion: true, ..view("collected=never", Measure::Live(When::End)) },
    ]
}

/// Returns every kind of query that doesn't depend on the response to another, for each view.
pub fn requests(views: &[View]) -> Vec<Request> {
    let events = EventsConfig { start: Start::Event(1000), limit: 100, max_frames: 30, kind: None, lives: true };
    let suggest = SuggestConfig { part: FrameField::Function, text: "a".to_owned(), limit: 10 };
    let timeline = |by| {
        Question::Timeline(TimelineConfig {
            from_us: 0,
            to_us: 60_000_000,
            n_steps: 720,
            by,
            top: 12,
            graph: Graph::LiveBytes,
        })
    };
    let point = |at| {
        let (by, series) = (Some(By::Grain(Grain::Module)), vec![SeriesOf::Others { n: 1 }]);
        Question::Point(PointConfig { at, by, series, graph: Graph::LiveBytes })
    };
    let histogram =
        |of| Question::Histogram(HistogramConfig { of, bins: Bins::Log2, split: None, weight: Counted::Bytes });
    let heat = HeatConfig { across: Across::Size, across_bins: Bins::Log2, lifetime_bins: Bins::Log10 };
    let times = Versus::Times { before: When::Peak, after: When::End };
    let questions = [
        Question::Summary,
        Question::Amounts,
        Question::Findings,
        flame(Direction::TopDown),
        flame(Direction::Inverted),
        Question::Find("/^Stdlib/".to_owned()),
        Question::Detail { direction: Direction::TopDown, selector: BoxSelector::Top },
        Question::Branches(BranchConfig { direction: Direction::TopDown, parent: BoxSelector::Top, rows: 0..50 }),
        Question::Table(TableConfig { order: Order::usual(Grain::Function), search: String::new(), rows: 0..100 }),
        Question::SourceFiles,
        Question::Lines(LinesConfig { file: "phases.ml".to_owned() }),
        Question::LineBranches(BranchConfig { direction: Direction::TopDown, parent: BoxSelector::Top, rows: 0..50 }),
        Question::Stacks(StacksConfig::VISIBLE),
        Question::Stacks(StacksConfig { is_inverted: true, ..StacksConfig::VISIBLE }),
        timeline(None),
        timeline(Some(By::Grain(Grain::Module))),
        point(When::Peak),
        point(When::At(1_000_000)),
        histogram(Of::Size),
        histogram(Of::Lifetime),
        Question::Heat(heat),
        Question::Sites { within: Within::default(), n: 5 },
        Question::Growth,
        compare(times),
        diff(times),
        Question::Events(events),
        Question::Suggest(suggest),
        Question::Names(NameSearchConfig { text: "a".to_owned(), limit: 10 }),
    ];
    let with = |view: &View| questions.clone().map(|question| Request { view: view.clone(), question });
    views.iter().flat_map(with).collect()
}

pub fn view(filter: &str, measure: Measure) -> View {
    let filter = if filter.is_empty() { Filter::default() } else { Filter::parse(filter).expect("a filter") };
    View { filter, measure, ..View::default() }
}

pub fn flame(direction: Direction) -> Question {
    Question::Flame(FlameConfig { direction, root: BoxSelector::Top, x: 0.0..1.0, width_px: 1440.0, depths: 0..48 })
}

pub fn compare(versus: Versus) -> Question {
    let config =
        CompareConfig { measure: Measure::Allocated, sum: Sum::Own, scale: Scale::AsIs, limit: 200, gate: None };
    Question::Compare { versus, config }
}

pub fn diff(versus: Versus) -> Question {
    Question::DiffFlame {
        versus,
        config: DiffConfig { root: Vec::new(), width_px: 1440.0, max_levels: 48, x: 0.0..1.0, x_of: 1 },
    }
}
