//! Requests and responses, shared by the page, the command line and the tests. A request includes the objects it is
//! about and how their stacks are read ([`View`]), so a response never depends on earlier requests.

use serde::{Deserialize, Serialize};

use crate::query::amounts::Amounts;
use crate::query::compare::{CompareConfig, Comparison, DiffConfig, DiffFlame, Scale};
use crate::query::events::{EventsConfig, EventsPage};
use crate::query::filter::{Clause, Filter, When};
use crate::query::findings::Finding;
use crate::query::flame::{BoxSelector, BranchConfig, Branches, Detail, Direction, Flame, FlameConfig, Found};
use crate::query::growth;
use crate::query::histogram::heat::{Heat, HeatConfig};
use crate::query::histogram::sites::{BinSite, Within};
use crate::query::histogram::{Histogram, HistogramConfig};
use crate::query::lines::{FileLines, LinesConfig, SourceFiles};
use crate::query::measure::Measure;
use crate::query::name_search::{FoundName, NameSearchConfig};
use crate::query::stacks::{StackList, StacksConfig};
use crate::query::suggest::SuggestConfig;
use crate::query::summary::Summary;
use crate::query::table::{Table, TableConfig};
use crate::query::timeline::point::{PointConfig, TimelinePoint};
use crate::query::timeline::{Timeline, TimelineConfig};
use crate::query::tree::Grain;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub view: View,
    pub question: Question,
}

/// The settings that all views share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub filter: Filter,
    pub measure: Measure,
    pub grain: Grain,
    pub fold_recursion: bool,
}

impl View {
    /// Whether the figures describe a point in time, because of the measure or a clause. Dividing them by a time range
    /// makes no sense.
    pub fn is_stock(&self) -> bool {
        let is_time = |clause: &Clause| matches!(clause, Clause::LiveAt(_) | Clause::NeverCollected);
        self.measure.is_stock() || self.filter.clauses.iter().any(is_time)
    }
}

/// One of the two traces that can be open at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    #[default]
    Main,
    /// The trace that the main one is compared with.
    Other,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// Includes the figures that take longer to count than the trace took to load.
    Summary,
    Amounts,
    /// About the whole trace, regardless of the filter.
    Findings,
    Flame(FlameConfig),
    /// Searches the flame graph for a text as typed.
    Find(String),
    Detail {
        direction: Direction,
        selector: BoxSelector,
    },
    Branches(BranchConfig),
    Table(TableConfig),
    /// Figures by line of a source file.
    Lines(LinesConfig),
    /// The source files, largest total first.
    SourceFiles,
    /// The same as [`Question::Branches`] with the call sites of each line merged. The callers of a line are those of
    /// [`Direction::Callers`] with [`Label::of_line`](crate::query::tree::Label::of_line).
    LineBranches(BranchConfig),
    /// For exports to other programs.
    Stacks(StacksConfig),
    Timeline(TimelineConfig),
    /// The exact figures of a timeline at one point in time.
    Point(PointConfig),
    Histogram(HistogramConfig),
    Heat(HeatConfig),
    /// The `n` frames that allocated the most in a histogram's bin or a heat map's cell.
    Sites {
        within: Within,
        n: usize,
    },
    /// The verdict is about the whole trace, regardless of the filter. Rows are about the objects that pass it.
    Growth,
    Compare {
        versus: Versus,
        config: CompareConfig,
    },
    DiffFlame {
        versus: Versus,
        config: DiffConfig,
    },
    Events(EventsConfig),
    Suggest(SuggestConfig),
    /// All names of the trace, whatever the view.
    Names(NameSearchConfig),
    /// The same query about the other trace.
    OfOther(Box<Question>),
}

/// The two sides of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Versus {
    /// Two points in time of the main trace. The view's measure is ignored.
    Times { before: When, after: When },
    /// The main trace (before) and the other one (after).
    Other { scale: Scale },
}

/// One variant per kind of [`Question`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    Summary(Box<Summary>),
    Amounts(Amounts),
    Findings(Vec<Finding>),
    Flame(Flame),
    Find(Found),
    Detail(Detail),
    Branches(Branches),
    Table(Table),
    Lines(FileLines),
    SourceFiles(SourceFiles),
    Stacks(StackList),
    Timeline(Timeline),
    Point(TimelinePoint),
    Histogram(Histogram),
    Heat(Heat),
    Sites(Vec<BinSite>),
    Growth(Box<growth::Growth>),
    Compare(Comparison),
    DiffFlame(DiffFlame),
    Events(EventsPage),
    Suggest(Vec<String>),
    Names(Vec<FoundName>),
}
