//! Questions and answers: the same for page, command line and tests. A question says which objects it is about and how
//! their stacks are read ([`View`]), so an answer never depends on what was asked before.

use serde::{Deserialize, Serialize};

use crate::query::amounts::Amounts;
use crate::query::compare::{CompareConfig, Comparison, DiffConfig, DiffFlame, Scale};
use crate::query::events::{EventsConfig, EventsPage};
use crate::query::filter::{Clause, Filter, NameTest, When};
use crate::query::findings::Finding;
use crate::query::flame::{BoxSelector, BranchConfig, Branches, Detail, Direction, Flame, FlameConfig, Found};
use crate::query::growth;
use crate::query::histogram::heat::{Heat, HeatConfig};
use crate::query::histogram::sites::{BinSite, Within};
use crate::query::histogram::{Histogram, HistogramConfig};
use crate::query::measure::Measure;
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

/// What all views show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub filter: Filter,
    pub measure: Measure,
    pub grain: Grain,
    pub fold_recursion: bool,
}

impl View {
    /// Whether its figures tell what is there at a moment, by the measure or by a clause: it makes no sense to divide that
    /// by a time.
    pub fn is_stock(&self) -> bool {
        let is_moment = |clause: &Clause| matches!(clause, Clause::LiveAt(_) | Clause::NeverCollected);
        self.measure.is_stock() || self.filter.clauses.iter().any(is_moment)
    }
}

/// One of the two traces that can be open at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    #[default]
    Main,
    /// The one that the main trace is compared with.
    Other,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// With the figures that take longer to count than the trace took to load.
    Summary,
    Amounts,
    /// Of the whole trace, whatever the filter.
    Findings,
    Flame(FlameConfig),
    /// Search in the flame graph.
    Find(NameTest),
    Detail {
        direction: Direction,
        selector: BoxSelector,
    },
    Branches(BranchConfig),
    Table(TableConfig),
    /// For files that other programs read.
    Stacks(StacksConfig),
    Timeline(TimelineConfig),
    /// The exact figures of a timeline at one time.
    Point(PointConfig),
    Histogram(HistogramConfig),
    Heat(HeatConfig),
    /// The `n` frames that allocated most of a histogram's bin or of a heat map's cell.
    Sites {
        within: Within,
        n: usize,
    },
    /// The verdict is on the whole trace, whatever the filter; rows are of the objects that pass it.
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
    /// The same about the other trace.
    OfOther(Box<Question>),
}

/// What is compared with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Versus {
    /// Two moments of the main trace; the view's measure does not count.
    Moments { before: When, after: When },
    /// The main trace, before, with the other, after.
    Other { scale: Scale },
}

/// One for each kind of question.
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
}
