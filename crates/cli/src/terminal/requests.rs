//! The requests of each screen. They depend only on the state, so drawing code finds a response by building the same
//! request.

use super::answers::Answers;
use super::size::Size;
use super::state::State;
use super::tab::Tab;
use camlscope_engine::protocol::{Answer, Question, Request, Slot, Versus, View};
use camlscope_engine::query::compare::{CompareConfig, Scale, Sum};
use camlscope_engine::query::filter::{Clause, FrameField, Heap, When};
use camlscope_engine::query::flame::{BoxSelector, BranchConfig, FlameConfig};
use camlscope_engine::query::histogram::sites::Within;
use camlscope_engine::query::lines::LinesConfig;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::suggest::SuggestConfig;
use camlscope_engine::query::table::TableConfig;
use camlscope_engine::query::timeline::point::PointConfig;
use camlscope_engine::query::timeline::{Graph, Timeline, TimelineConfig};
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::histogram::columns;

/// The maximum number of branches listed below one parent.
const MOST_BRANCHES: usize = 500;
/// The number of layers in addition to “others”.
const LAYERS: usize = 5;
/// Stacks of the flame graph that are even deeper are recursion.
const MOST_LEVELS: u32 = 1024;
/// The number of sites named next to a histogram's bar.
const N_SITES: usize = 3;
/// More names don't fit above the line.
const MOST_SUGGESTIONS: usize = 8;
/// The maximum number of rows in a comparison.
const MOST_CHANGES: usize = 500;

/// Returns a request about the file that is shown.
fn request(state: &State, view: View, question: Question) -> Request {
    let question = match state.slot {
        Slot::Main => question,
        Slot::Other => Question::OfOther(Box::new(question)),
    };
    Request { view, question }
}

pub fn summary(state: &State) -> Request {
    request(state, View::default(), Question::Summary)
}

pub fn findings(state: &State) -> Request {
    request(state, View::default(), Question::Findings)
}

/// Requests names that contain what was typed.
pub fn suggestions(state: &State, part: FrameField, text: String) -> Request {
    request(state, View::default(), Question::Suggest(SuggestConfig { part, text, limit: MOST_SUGGESTIONS }))
}

/// Requests how much passes the filter.
pub fn amounts(state: &State) -> Request {
    request(state, state.view.clone(), Question::Amounts)
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
    request(state, live(state), Question::Timeline(config))
}

/// Requests the amounts of a timeline's layers at the cursor.
pub fn point(state: &State, timeline: &Timeline) -> Request {
    let series = timeline.series.iter().map(|series| series.of.clone()).collect();
    let config = PointConfig { at: state.cursor(), by: Some(state.timeline.by), series, graph: Graph::LiveBytes };
    request(state, live(state), Question::Point(config))
}

pub fn table(state: &State, size: Size) -> Request {
    let first = state.selected() / size.list_rows(Tab::Table) * size.list_rows(Tab::Table);
    let rows = first..first + size.list_rows(Tab::Table);
    let question = Question::Table(TableConfig { order: state.order, search: state.search.clone(), rows });
    request(state, state.view.clone(), question)
}

/// Requests all levels of the flame graph, with the boxes that are at least a character wide.
pub fn flame(state: &State, size: Size) -> Request {
    let root = &state.flame.root;
    let config = FlameConfig {
        direction: state.flame.direction.clone(),
        root: if root.is_empty() { BoxSelector::Top } else { BoxSelector::Path(root.clone()) },
        x: 0.0..1.0,
        width_px: f64::from(size.width),
        depths: 0..MOST_LEVELS,
    };
    request(state, state.view.clone(), Question::Flame(config))
}

/// Requests the functions that the search finds. `None` without a search.
pub fn find(state: &State) -> Option<Request> {
    let find = || Question::Find(state.search.clone());
    (!state.search.is_empty()).then(|| request(state, state.view.clone(), find()))
}

/// Requests the figures of a file's lines.
pub fn lines(state: &State, file: &str) -> Request {
    request(state, state.view.clone(), Question::Lines(LinesConfig { file: file.to_owned() }))
}

/// Requests the trace's files, whatever the filter.
pub fn source_files(state: &State) -> Request {
    request(state, View::default(), Question::SourceFiles)
}

pub fn histogram(state: &State) -> Request {
    request(state, state.view.clone(), Question::Histogram(state.histogram.config()))
}

/// Requests the sites that allocated the most of the selected bar.
pub fn sites_of_bar(state: &State, answers: &Answers) -> Option<Request> {
    let Some(Answer::Histogram(histogram)) = answers.ok(&self::histogram(state)) else { return None };
    let columns = columns(histogram, state.histogram.bins());
    let column = columns.get(state.selected().min(columns.len().saturating_sub(1)))?;
    let within = Within::bin(state.histogram.of, column.which);
    Some(request(state, state.view.clone(), Question::Sites { within, n: N_SITES }))
}

/// Requests the branches below a path of the tree.
pub fn branches(state: &State, path: &[Label]) -> Request {
    let parent = if path.is_empty() { BoxSelector::Top } else { BoxSelector::Path(path.to_vec()) };
    let config = BranchConfig { direction: state.tree.direction.clone(), parent, rows: 0..MOST_BRANCHES };
    request(state, state.view.clone(), Question::Branches(config))
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
    request(state, live(state), Question::Growth)
}

pub fn comparison(state: &State) -> Request {
    let [before, after] = state.times();
    let (versus, measure) = match state.other {
        Some(_) => (Versus::Other { scale: Scale::AsIs }, state.view.measure),
        None => (Versus::Times { before, after }, Measure::Live(When::End)),
    };
    let config = CompareConfig { measure, sum: Sum::Total, scale: Scale::AsIs, limit: MOST_CHANGES, gate: None };
    Request { view: state.view.clone(), question: Question::Compare { versus, config } }
}
