//! What each screen asks, from the state alone: whoever draws finds the answer by asking the same.

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

/// So many branches of one parent are listed.
const MOST_BRANCHES: usize = 500;
/// So many layers besides “others”.
const LAYERS: usize = 5;
/// So many rows of a comparison.
const MOST_CHANGES: usize = 500;

pub fn summary() -> Request {
    Request { view: View::default(), question: Question::Summary }
}

pub fn findings() -> Request {
    Request { view: View::default(), question: Question::Findings }
}

/// How much the filter leaves.
pub fn amounts(state: &State) -> Request {
    Request { view: state.view.clone(), question: Question::Amounts }
}

/// Two steps a character, as braille has two dots beside each other.
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

/// The amounts of a timeline's layers at the cursor.
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

/// The branches below a path of the tree.
pub fn branches(state: &State, path: &[Label]) -> Request {
    let parent = if path.is_empty() { BoxSelector::Top } else { BoxSelector::Path(path.to_vec()) };
    let config = BranchConfig { direction: state.tree.direction.clone(), parent, rows: 0..MOST_BRANCHES };
    Request { view: state.view.clone(), question: Question::Branches(config) }
}

/// The same, of what spent its life in the minor heap.
pub fn minor_branches(state: &State, path: &[Label]) -> Request {
    let mut request = branches(state, path);
    request.view.filter.clauses.push(Clause::Heap(vec![Heap::Minor]));
    request
}

/// The view as it is for questions that take no measure: what the measure leaves out, the filter does.
pub fn live(state: &State) -> View {
    View { measure: Measure::default(), ..state.view.clone() }
}

pub fn growth(state: &State) -> Request {
    Request { view: live(state), question: Question::Growth }
}

pub fn comparison(state: &State) -> Request {
    let [before, after] = state.moments();
    let (versus, measure) = match state.other_name {
        Some(_) => (Versus::Other { scale: Scale::AsIs }, state.view.measure),
        None => (Versus::Moments { before, after }, Measure::Live(When::End)),
    };
    let config = CompareConfig { measure, sum: Sum::Total, scale: Scale::AsIs, limit: MOST_CHANGES, gate: None };
    Request { view: state.view.clone(), question: Question::Compare { versus, config } }
}
