//! The requests of each screen. They depend only on the state, so drawing code finds a response by building the same
//! request.

use super::size::Size;
use super::state::State;
use super::tab::Tab;
use camlscope_engine::protocol::{Question, Request, Versus, View};
use camlscope_engine::query::compare::{CompareConfig, Scale, Sum};
use camlscope_engine::query::filter::{Clause, Heap, When};
use camlscope_engine::query::flame::{BoxSelector, BranchConfig};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::TableConfig;
use camlscope_engine::query::timeline::point::PointConfig;
use camlscope_engine::query::timeline::{Graph, Timeline, TimelineConfig};
use camlscope_engine::query::tree::Label;

/// The maximum number of branches listed below one parent.
const MOST_BRANCHES: usize = 500;
/// The number of layers in addition to “others”.
const LAYERS: usize = 5;
/// The maximum number of rows in a comparison.
const MOST_CHANGES: usize = 500;

pub fn summary() -> Request {
    Request { view: View::default(), question: Question::Summary }
}

pub fn findings() -> Request {
    Request { view: View::default(), question: Question::Findings }
}

/// Requests how much passes the filter.
pub fn amounts(state: &State) -> Request {
    Request { view: state.view.clone(), question: Question::Amounts }
}

/// Requests two steps per character, because a braille character has two columns of dots.
pub fn timeline(state: &State, size: Size) -> Request {
    let [from_us, to_us] = state.timeline.window(state.end_us());
    let config = TimelineConfig {
        from_us,
        to_us,
        n_steps: 2 * size.plot_width(),
        by: Some(state.timeline.by),
        top: LAYERS,
        graph: Graph::LiveBytes,
    };
    Request { view: live(state), question: Question::Timeline(config) }
}

/// Requests the amounts of a timeline's layers at the cursor.
pub fn point(state: &State, timeline: &Timeline) -> Request {
    let series = timeline.series.iter().map(|series| series.of.clone()).collect();
    let config = PointConfig { at: state.cursor(), by: Some(state.timeline.by), series, graph: Graph::LiveBytes };
    Request { view: live(state), question: Question::Point(config) }
}

pub fn table(state: &State, size: Size) -> Request {
    let first = state.selected() / size.list_rows(Tab::Table) * size.list_rows(Tab::Table);
    let rows = first..first + size.list_rows(Tab::Table);
    let question = Question::Table(TableConfig { order: state.order, search: state.search.clone(), rows });
    Request { view: state.view.clone(), question }
}

/// Requests the branches below a path of the tree.
pub fn branches(state: &State, path: &[Label]) -> Request {
    let parent = if path.is_empty() { BoxSelector::Top } else { BoxSelector::Path(path.to_vec()) };
    let config = BranchConfig { direction: state.tree.direction.clone(), parent, rows: 0..MOST_BRANCHES };
    Request { view: state.view.clone(), question: Question::Branches(config) }
}

/// The same for objects that never left the minor heap.
pub fn minor_branches(state: &State, path: &[Label]) -> Request {
    let mut request = branches(state, path);
    request.view.filter.clauses.push(Clause::Heap(vec![Heap::Minor]));
    request
}

/// Returns the view with the default measure, for queries that ignore the measure.
pub fn live(state: &State) -> View {
    View { measure: Measure::default(), ..state.view.clone() }
}

pub fn growth(state: &State) -> Request {
    Request { view: live(state), question: Question::Growth }
}

pub fn comparison(state: &State) -> Request {
    let [before, after] = state.times();
    let (versus, measure) = match state.other_name {
        Some(_) => (Versus::Other { scale: Scale::AsIs }, state.view.measure),
        None => (Versus::Times { before, after }, Measure::Live(When::End)),
    };
    let config = CompareConfig { measure, sum: Sum::Total, scale: Scale::AsIs, limit: MOST_CHANGES, gate: None };
    Request { view: state.view.clone(), question: Question::Compare { versus, config } }
}
