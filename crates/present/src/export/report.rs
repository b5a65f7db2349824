//! The contents of a report, and the queries they come from.

use super::report_file::Notes;
use crate::format::Units;
use crate::layout::timeline::Pin;
use crate::words;
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::findings::Finding;
use camlscope_engine::query::flame::{BoxSelector, Direction, Flame, FlameConfig};
use camlscope_engine::query::growth::Growth;
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::query::table::{Order, Table, TableConfig};
use camlscope_engine::query::timeline::{Graph, Timeline, TimelineConfig};

#[derive(Clone, Debug)]
pub struct Report {
    pub summary: Summary,
    pub findings: Vec<Finding>,
    /// A description of the contents, such as "live at the peak, objects larger than 256 words".
    pub about: String,
    /// The unit of the flame graph and the table.
    pub unit: Unit,
    pub timeline: Timeline,
    /// Notes on the timeline.
    pub pins: Vec<Pin>,
    pub flame: Flame,
    pub table: Table,
    pub growth: Growth,
    pub notes: Notes,
    pub units: Units,
}

/// The number of queries for a report.
pub const N_QUESTIONS: usize = 6;

impl Report {
    /// Returns the queries, in the order in which [`Report::new`] takes the responses. `end_us` is the end of the
    /// trace.
    pub fn questions(end_us: u64, order: Order) -> [Question; N_QUESTIONS] {
        let timeline =
            TimelineConfig { from_us: 0, to_us: end_us, n_steps: 500, by: None, top: 0, graph: Graph::LiveBytes };
        let flame = FlameConfig {
            direction: Direction::TopDown,
            root: BoxSelector::Top,
            x: 0.0..1.0,
            width_px: 1000.0,
            depths: 0..200,
        };
        [
            Question::Summary,
            Question::Findings,
            Question::Timeline(timeline),
            Question::Flame(flame),
            Question::Table(TableConfig { order, search: String::new(), rows: 0..100 }),
            Question::Growth,
        ]
    }

    /// Returns a report without notes, or `None` if these aren't the responses to [`Report::questions`].
    pub fn new(view: &View, answers: Vec<Answer>, units: Units) -> Option<Report> {
        let answers: [Answer; N_QUESTIONS] = answers.try_into().ok()?;
        let [
            Answer::Summary(summary),
            Answer::Findings(findings),
            Answer::Timeline(timeline),
            Answer::Flame(flame),
            Answer::Table(table),
            Answer::Growth(growth),
        ] = answers
        else {
            return None;
        };
        let about = format!("{} of {}", words::measure::counted(view.measure), words::filter::filter(&view.filter));
        let unit = view.measure.unit();
        Some(Report {
            summary: *summary,
            findings,
            about,
            unit,
            timeline,
            pins: Vec::new(),
            flame,
            table,
            growth: *growth,
            notes: Notes::default(),
            units,
        })
    }
}
