//! The view state itself.

use super::capabilities::Capabilities;
use super::compare::CompareSettings;
use super::settings::{
    Chart, EventSettings, FlameSettings, FollowedFinding, HistogramSettings, LeakView, TableSettings, TimelineSettings,
};
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::filter::presets::library;
use camlscope_engine::query::filter::{Clause, Filter, NameMatcher, Span, When};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::{Column, Order, TableConfig};
use camlscope_engine::query::tree::{Grain, Label};

#[derive(Clone, Debug, PartialEq)]
pub struct ViewState {
    pub tab: Tab,
    pub measure: Measure,
    pub chips: Vec<Chip>,
    pub grain: Grain,
    pub fold_recursion: bool,
    /// The user's switch; see [`ViewState::counts_library_for_callers`].
    pub is_library_for_callers: bool,
    /// `None`: the user came from no finding, or has left it.
    pub finding: Option<FollowedFinding>,
    /// The regular expression that flame graphs and the comparison are searched for; the table has its own search.
    pub search: String,
    /// What the side panel is about.
    pub selected: Option<Label>,
    pub timeline: TimelineSettings,
    pub flame: FlameSettings,
    pub table: TableSettings,
    pub histograms: HistogramSettings,
    pub leak_view: LeakView,
    pub events: EventSettings,
    pub compare: CompareSettings,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    #[default]
    Summary,
    Flame,
    Table,
    Histograms,
    Leaks,
    Events,
    Compare,
}

/// A clause of the filter that the user can switch off without losing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chip {
    pub clause: Clause,
    pub is_on: bool,
}

impl Default for ViewState {
    fn default() -> ViewState {
        ViewState {
            tab: Tab::default(),
            measure: Measure::Live(When::Peak),
            chips: Vec::new(),
            grain: Grain::default(),
            fold_recursion: false,
            is_library_for_callers: false,
            finding: None,
            search: String::new(),
            selected: None,
            timeline: TimelineSettings::default(),
            flame: FlameSettings::default(),
            table: TableSettings::default(),
            histograms: HistogramSettings::default(),
            leak_view: LeakView::default(),
            events: EventSettings::default(),
            compare: CompareSettings::default(),
        }
    }
}

impl ViewState {
    /// The clauses that are switched on, and the one that the switch for library code stands for.
    pub fn filter(&self) -> Filter {
        let on = self.chips.iter().filter(|chip| chip.is_on).map(|chip| chip.clause.clone());
        Filter { clauses: on.chain(self.counts_library_for_callers().then(library)).collect() }
    }

    /// What tells the functions that the filter hides. A pattern that cannot be read hides none.
    pub fn hidden_names(&self) -> Vec<NameMatcher> {
        let clauses = self.filter().clauses.into_iter();
        let hidden = clauses.filter_map(|clause| match clause {
            Clause::Hide(names) => NameMatcher::new(&names).ok(),
            _ => None,
        });
        hidden.collect()
    }

    /// Whether the filter hides the selected function, so that it is in no picture and in no row.
    pub fn hides_selected(&self) -> bool {
        let hidden = self.hidden_names();
        self.selected.as_ref().is_some_and(|label| hidden.iter().any(|names| names.is_match(&label.name)))
    }

    /// The part of the state that every answer depends on.
    pub fn query_view(&self) -> View {
        View { filter: self.filter(), measure: self.measure, grain: self.grain, fold_recursion: self.fold_recursion }
    }

    /// What the timeline is of: all objects of the filter, whatever the measure, but for the marked stretch, which is drawn
    /// instead. What the library allocates counts for the program's module that called it: that is who can do something
    /// about it. Of snapshots a click leads from the library to its callers.
    pub fn timeline_view(&self, capabilities: Capabilities) -> View {
        let mut clauses = self.filter().clauses;
        clauses.retain(|clause| !matches!(clause, Clause::Allocated(_)) && *clause != library());
        clauses.extend((!capabilities.has_snapshots).then(library));
        View { filter: Filter { clauses }, measure: Measure::Allocated, grain: Grain::default(), ..self.query_view() }
    }

    pub fn request(&self, question: Question) -> Request {
        Request { view: self.query_view(), question }
    }

    /// Unless the user has chosen otherwise: call sites by what they allocate themselves, all others by their total, in
    /// what the measure counts.
    pub fn table_order(&self) -> Order {
        self.table.order.unwrap_or(match self.measure {
            Measure::Calls => Order { column: Column::SelfCalls, descending: true },
            Measure::Blocks if self.grain != Grain::Site => Order { column: Column::Blocks, descending: true },
            _ => Order::usual(self.grain),
        })
    }

    /// The first rows of the table as it is shown.
    pub fn table_config(&self, n_rows: usize) -> TableConfig {
        TableConfig { order: self.table_order(), search: self.table.search.clone(), rows: 0..n_rows }
    }

    /// What the open tab draws; `None` for those that are text.
    pub fn picture_name(&self) -> Option<&'static str> {
        match self.tab {
            Tab::Flame => Some("Flame graph"),
            Tab::Histograms => Some(match self.histograms.chart {
                Chart::Sizes => "Histogram of sizes",
                Chart::Lifetimes => "Histogram of lifetimes",
                Chart::SizeAndLifetime => "Heat map of size and lifetime",
                Chart::TimeAndLifetime => "Heat map of allocation time and lifetime",
            }),
            Tab::Compare => Some("Difference"),
            Tab::Summary | Tab::Table | Tab::Leaks | Tab::Events => None,
        }
    }

    /// The stretch of time that is marked on the timeline: the filter's window of allocation.
    pub fn brush(&self) -> Option<Span> {
        self.filter().clauses.into_iter().find_map(|clause| match clause {
            Clause::Allocated(span) => Some(span),
            _ => None,
        })
    }
}

impl Tab {
    /// From left to right.
    pub const ALL: [Tab; 7] =
        [Tab::Summary, Tab::Flame, Tab::Table, Tab::Histograms, Tab::Leaks, Tab::Events, Tab::Compare];

    /// Those that show no single objects.
    pub const WITHOUT_OBJECTS: [Tab; 5] = [Tab::Summary, Tab::Flame, Tab::Table, Tab::Leaks, Tab::Compare];

    pub fn as_str(self) -> &'static str {
        match self {
            Tab::Summary => "summary",
            Tab::Flame => "flame",
            Tab::Table => "table",
            Tab::Histograms => "histograms",
            Tab::Leaks => "leaks",
            Tab::Events => "events",
            Tab::Compare => "compare",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Tab::Summary => "Summary",
            Tab::Flame => "Flame graph",
            Tab::Table => "Table",
            Tab::Histograms => "Histograms",
            Tab::Leaks => "Leaks",
            Tab::Events => "Events",
            Tab::Compare => "Compare",
        }
    }

    /// Of these tabs the one `by` places to the right; after the last comes the first.
    pub fn neighbor(self, by: isize, tabs: &[Tab]) -> Tab {
        let at = tabs.iter().position(|other| *other == self).unwrap_or_default() as isize;
        let next = (at + by).rem_euclid(tabs.len().max(1) as isize) as usize;
        tabs.get(next).copied().unwrap_or(self)
    }
}
