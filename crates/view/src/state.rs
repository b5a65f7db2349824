//! The state of a view.

use super::capabilities::Capabilities;
use super::compare::CompareSettings;
use super::settings::{
    Chart, EventSettings, FlameSettings, FollowedFinding, HistogramSettings, LeakView, SourceSettings, TableSettings,
    TimelineSettings,
};
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::filter::presets::library;
use camlscope_engine::query::filter::{Clause, Filter, NameMatcher, Span, When};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::search::Search;
use camlscope_engine::query::table::{Column, Order, TableConfig};
use camlscope_engine::query::tree::{Grain, Label};

#[derive(Clone, Debug, PartialEq)]
pub struct ViewState {
    pub tab: Tab,
    pub measure: Measure,
    pub chips: Vec<Chip>,
    pub grain: Grain,
    pub fold_recursion: bool,
    /// The user's setting; see [`ViewState::counts_library_for_callers`].
    pub is_library_for_callers: bool,
    /// `None` if the user didn't come from a finding or has left it.
    pub finding: Option<FollowedFinding>,
    /// The search as typed, for flame graphs, tables and the comparison.
    pub search: String,
    /// The subject of the side panel.
    pub selected: Option<Label>,
    pub timeline: TimelineSettings,
    pub flame: FlameSettings,
    pub table: TableSettings,
    pub histograms: HistogramSettings,
    pub leak_view: LeakView,
    /// How the Leaks tab groups frames. By default by function, as findings do, whatever the other tabs show.
    pub leak_grain: Grain,
    pub events: EventSettings,
    pub source: SourceSettings,
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
    Source,
    Compare,
}

/// A filter clause that the user can turn off without losing it.
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
            leak_grain: Grain::default(),
            events: EventSettings::default(),
            source: SourceSettings::default(),
            compare: CompareSettings::default(),
        }
    }
}

impl ViewState {
    /// Returns the active clauses, including the one for the library code setting.
    pub fn filter(&self) -> Filter {
        let on = self.chips.iter().filter(|chip| chip.is_on).map(|chip| chip.clause.clone());
        Filter { clauses: on.chain(self.counts_library_for_callers().then(library)).collect() }
    }

    /// Returns matchers for the functions that the filter hides. Invalid patterns hide nothing.
    pub fn hidden_names(&self) -> Vec<NameMatcher> {
        let clauses = self.filter().clauses.into_iter();
        let hidden = clauses.filter_map(|clause| match clause {
            Clause::Hide(names) => NameMatcher::new(&names).ok(),
            _ => None,
        });
        hidden.collect()
    }

    /// Whether the filter hides the selected function, so that no chart or row shows it.
    pub fn hides_selected(&self) -> bool {
        let hidden = self.hidden_names();
        self.selected.as_ref().is_some_and(|label| hidden.iter().any(|names| names.is_match(&label.name)))
    }

    /// Forgets what names a part of one trace: the selection, the zoomed frames and time range, the position in the
    /// list of events, and the source file. All settings stay.
    pub(crate) fn leave_trace(&mut self) {
        self.leave_finding();
        self.leave_frames();
        self.compare.root.clear();
        self.selected = None;
        self.timeline.zoom = None;
        self.timeline.leave_pins();
        self.events.from = None;
        self.source = SourceSettings::default();
    }

    /// Returns the view without any name in the program, for an anonymized report.
    pub fn without_names(&self) -> ViewState {
        let mut view = self.clone();
        view.is_library_for_callers = self.counts_library_for_callers();
        view.leave_finding();
        view.leave_frames();
        view.timeline.leave_pins();
        view.compare.root.clear();
        view.selected = None;
        view.source = SourceSettings::default();
        view.search.clear();
        view.chips.retain(|chip| !has_names(&chip.clause));
        view
    }

    /// The part of the state that every query depends on.
    pub fn query_view(&self) -> View {
        View { filter: self.filter(), measure: self.measure, grain: self.grain, fold_recursion: self.fold_recursion }
    }

    /// The view of the timeline: all objects that pass the filter, regardless of the measure. The selected time range
    /// isn't applied but drawn. Library code is attributed to the calling module, because that's the code the user can
    /// change. In a profile, a click leads from the library to its callers instead.
    pub fn timeline_view(&self, capabilities: Capabilities) -> View {
        let mut clauses = self.filter().clauses;
        clauses.retain(|clause| !matches!(clause, Clause::Allocated(_)) && *clause != library());
        clauses.extend((!capabilities.has_snapshots).then(library));
        View { filter: Filter { clauses }, measure: Measure::Allocated, grain: Grain::default(), ..self.query_view() }
    }

    pub fn request(&self, question: Question) -> Request {
        Request { view: self.query_view(), question }
    }

    /// The user's choice. By default, call sites are sorted by what they allocate themselves and everything else by its
    /// total, in units of the measure.
    pub fn table_order(&self) -> Order {
        self.table.order.unwrap_or(match self.measure {
            Measure::Calls => Order { column: Column::SelfCalls, descending: true },
            Measure::Blocks if self.grain != Grain::Site => Order { column: Column::Blocks, descending: true },
            _ => Order::usual(self.grain),
        })
    }

    /// The first rows of the table as shown.
    pub fn table_config(&self, n_rows: usize) -> TableConfig {
        TableConfig { order: self.table_order(), search: self.valid_search().to_owned(), rows: 0..n_rows }
    }

    /// Returns the search, or an empty text while its pattern is invalid. So the table shows all rows, just like the
    /// flame graph shows all boxes.
    pub fn valid_search(&self) -> &str {
        if Search::parse(&self.search).is_ok() { self.search.trim() } else { "" }
    }

    /// The name of the chart in the open tab, or `None` for tabs with text.
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
            Tab::Summary | Tab::Table | Tab::Leaks | Tab::Events | Tab::Source => None,
        }
    }

    /// The time range selected on the timeline, which is the filter's range of allocation times.
    pub fn brush(&self) -> Option<Span> {
        self.filter().clauses.into_iter().find_map(|clause| match clause {
            Clause::Allocated(span) => Some(span),
            _ => None,
        })
    }
}

fn has_names(clause: &Clause) -> bool {
    matches!(clause, Clause::Frame(_) | Clause::Calls { .. } | Clause::Hide(_) | Clause::Focus(_))
}

impl Tab {
    /// Tabs from left to right.
    pub const ALL: [Tab; 8] =
        [Tab::Summary, Tab::Flame, Tab::Table, Tab::Histograms, Tab::Leaks, Tab::Events, Tab::Source, Tab::Compare];

    /// Tabs that don't show individual objects.
    pub const WITHOUT_OBJECTS: [Tab; 6] = [Tab::Summary, Tab::Flame, Tab::Table, Tab::Leaks, Tab::Source, Tab::Compare];

    pub fn as_str(self) -> &'static str {
        match self {
            Tab::Summary => "summary",
            Tab::Flame => "flame",
            Tab::Table => "table",
            Tab::Histograms => "histograms",
            Tab::Leaks => "leaks",
            Tab::Events => "events",
            Tab::Source => "source",
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
            Tab::Source => "Source",
            Tab::Compare => "Compare",
        }
    }

    /// Returns the tab `by` positions to the right in `tabs`, wrapping around.
    pub fn neighbor(self, by: isize, tabs: &[Tab]) -> Tab {
        let at = tabs.iter().position(|other| *other == self).unwrap_or_default() as isize;
        let next = (at + by).rem_euclid(tabs.len().max(1) as isize) as usize;
        tabs.get(next).copied().unwrap_or(self)
    }
}
