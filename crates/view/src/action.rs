//! User actions on the view, and their reducer.

use std::mem;
use std::rc::Rc;

use super::compare::CompareAction;
use super::finding::FindingLink;
use super::settings::{Chart, EventTarget, Layers, LeakView, SourceSettings};
use super::state::{Chip, Tab, ViewState};
use camlscope_engine::query::events::Kind;
use camlscope_engine::query::filter::presets::library;
use camlscope_engine::query::filter::{Clause, Filter, Span, When};
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::histogram::{Bins, Counted, Split};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::Order;
use camlscope_engine::query::timeline::Graph;
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::layout::timeline::Pin;

#[derive(Clone, Debug, PartialEq)]
pub enum ViewAction {
    Tab(Tab),
    /// Opens the tab `by` positions to the right of the current one in `tabs`. It's relative because keys may be
    /// pressed faster than the page is drawn.
    TabBeside {
        by: isize,
        tabs: &'static [Tab],
    },
    Measure(Measure),
    /// Shows another graph of a profile and keeps the time.
    Graph(Graph),
    /// Moves the time in the current graph of a profile.
    MoveTime(When),
    /// Goes from a layer of a profile's timeline to the callers of that line.
    Descend(String),
    /// Adds a clause. It replaces a clause of the same kind if the two would contradict each other.
    AddClause(Clause),
    /// Shows what is live at a time that was chosen on the timeline. It ends the selection of a time range, because the
    /// newest gesture wins.
    ChooseTime(When),
    /// Selects a time range. Shows allocations in that range instead of live bytes, because that's what a selection is
    /// for.
    SelectTimeRange(Span),
    SetChip(usize, Clause),
    SwitchChip(usize),
    RemoveChip(usize),
    ClearChips,
    /// Applies a preset query.
    Show {
        filter: Filter,
        measure: Measure,
        tab: Option<Tab>,
    },
    Follow(FindingLink),
    /// Sets a measure and the chips that go with it.
    Count {
        measure: Measure,
        chips: Vec<Chip>,
    },
    Grain(Grain),
    FoldRecursion(bool),
    CountLibraryForCallers(bool),
    Direction(Direction),
    /// Zooms the flame graph to a path. The path starts below the root.
    Zoom(Vec<Label>),
    Search(String),
    Select(Option<Label>),
    Order(Option<Order>),
    StackBy(Layers),
    WallClock(bool),
    TimeZoom(Option<Span>),
    /// Pins a note, or removes the one at its time if it has no text.
    Pin(Pin),
    /// Edits the note at this time, or a new one. `None` stops editing.
    EditPin(Option<u64>),
    HistogramChart(Chart),
    HistogramWeight(Counted),
    HistogramSplit(Option<Split>),
    HistogramBins(Option<Bins>),
    HistogramLogHeight(bool),
    LeakView(LeakView),
    LeakGrain(Grain),
    EventKind(Option<Kind>),
    EventTarget(Option<EventTarget>),
    /// Chooses a source file or a line of it.
    Source(SourceSettings),
    Compare(CompareAction),
}

impl ViewAction {
    /// Whether the user may want to undo it, so it needs an entry in the browser's history.
    pub(crate) fn is_step(&self, view: &ViewState) -> bool {
        match self {
            // Going back restores the time range.
            ViewAction::ChooseTime(When::At(_)) => view.brush().is_some(),
            ViewAction::Compare(action) => action.is_step(),
            // Another line of the same file is like another selection.
            ViewAction::Source(source) => source.file != view.source.file,
            ViewAction::Search(_) | ViewAction::Select(_) | ViewAction::MoveTime(_) | ViewAction::EditPin(_) => false,
            // Each letter that the user types changes the note.
            ViewAction::Pin(pin) => pin.text.is_empty(),
            _ => true,
        }
    }
}

impl ViewState {
    pub fn reduce(self: Rc<ViewState>, action: ViewAction) -> Rc<ViewState> {
        let mut view = Rc::unwrap_or_clone(self);
        view.apply(action);
        Rc::new(view)
    }

    pub(super) fn apply(&mut self, action: ViewAction) {
        match &action {
            ViewAction::Tab(tab) if *tab == self.tab => {}
            ViewAction::Tab(_)
            | ViewAction::TabBeside { .. }
            | ViewAction::Show { .. }
            | ViewAction::ClearChips
            | ViewAction::CountLibraryForCallers(_) => self.leave_finding(),
            ViewAction::Measure(_)
            | ViewAction::Count { .. }
            | ViewAction::Graph(_)
            | ViewAction::MoveTime(_)
            | ViewAction::Descend(_)
            | ViewAction::AddClause(_)
            | ViewAction::ChooseTime(_)
            | ViewAction::SelectTimeRange(_)
            | ViewAction::SetChip(..)
            | ViewAction::SwitchChip(_)
            | ViewAction::RemoveChip(_)
            | ViewAction::Grain(_)
            | ViewAction::LeakGrain(_) => self.change_figure(),
            _ => {}
        }
        self.change(action);
    }

    fn change(&mut self, action: ViewAction) {
        match action {
            ViewAction::Tab(tab) => self.open_tab(tab),
            ViewAction::TabBeside { by, tabs } => self.open_tab(self.tab.neighbor(by, tabs)),
            ViewAction::Measure(measure) => self.measure = measure,
            ViewAction::Graph(graph) => self.show_graph(graph),
            ViewAction::MoveTime(time) => self.move_time(time),
            ViewAction::Descend(name) => self.descend(&name),
            ViewAction::AddClause(clause) => {
                // Focus and hide change the stacks, which may no longer contain the frame that the flame graph is
                // zoomed to.
                if matches!(clause, Clause::Focus(_) | Clause::Hide(_)) {
                    self.clear_roots();
                }
                self.add_clause(clause);
            }
            ViewAction::ChooseTime(time) => self.choose_time(time),
            ViewAction::SelectTimeRange(span) => self.select_time_range(span),
            ViewAction::SetChip(at, clause) => {
                if let Some(chip) = self.chips.get_mut(at) {
                    *chip = Chip { clause, is_on: true };
                }
            }
            ViewAction::SwitchChip(at) => {
                if let Some(chip) = self.chips.get_mut(at) {
                    chip.is_on = !chip.is_on;
                }
            }
            ViewAction::RemoveChip(at) => {
                if at < self.chips.len() {
                    self.chips.remove(at);
                }
            }
            ViewAction::ClearChips => self.chips.clear(),
            ViewAction::Show { filter, measure, tab } => {
                self.chips = filter.clauses.into_iter().map(|clause| Chip { clause, is_on: true }).collect();
                self.measure = measure;
                self.tab = tab.unwrap_or(self.tab);
                self.clear_roots();
            }
            ViewAction::Follow(link) => self.follow(link),
            ViewAction::Count { measure, chips } => {
                self.measure = measure;
                self.chips = chips;
            }
            ViewAction::Grain(grain) => {
                self.grain = grain;
                self.leave_frames();
                self.compare.root.clear();
            }
            ViewAction::FoldRecursion(folds) => {
                self.fold_recursion = folds;
                self.clear_roots();
            }
            ViewAction::CountLibraryForCallers(is_on) => {
                self.is_library_for_callers = is_on;
                self.clear_roots();
            }
            ViewAction::Direction(direction) => {
                self.flame.direction = direction;
                self.flame.root.clear();
            }
            ViewAction::Zoom(root) => self.flame.root = root,
            ViewAction::Search(text) => self.search = text,
            ViewAction::Select(label) => self.selected = label,
            ViewAction::Order(order) => self.table.order = order,
            ViewAction::StackBy(layers) => {
                self.timeline.layers = layers;
            }
            ViewAction::WallClock(wall_clock) => self.timeline.wall_clock = wall_clock,
            ViewAction::TimeZoom(zoom) => self.timeline.zoom = zoom,
            ViewAction::Pin(pin) => self.timeline.put_pin(pin),
            ViewAction::EditPin(at_us) => self.timeline.edited_pin = at_us,
            ViewAction::HistogramChart(chart) => {
                self.histograms.chart = chart;
                // Only a few objects are live at one time, so the map would be nearly empty.
                if chart.is_heat_map() {
                    self.change_figure();
                    self.count_allocations();
                }
            }
            ViewAction::HistogramWeight(weight) => self.histograms.weight = weight,
            ViewAction::HistogramSplit(split) => self.histograms.split = split,
            ViewAction::HistogramBins(bins) => self.histograms.bins = bins,
            ViewAction::HistogramLogHeight(is_log) => self.histograms.is_log = is_log,
            ViewAction::LeakView(view) => self.leak_view = view,
            ViewAction::LeakGrain(grain) => {
                self.leak_grain = grain;
                self.leave_frames();
            }
            ViewAction::EventKind(kind) => self.events.kind = kind,
            ViewAction::EventTarget(target) => self.events.from = target,
            ViewAction::Source(source) => self.source = source,
            ViewAction::Compare(action) => self.compare.apply(action),
        }
    }

    fn open_tab(&mut self, tab: Tab) {
        // The Leaks tab always attributes library code to its callers, so a frame from another tab may not exist there.
        if (self.tab == Tab::Leaks) != (tab == Tab::Leaks) {
            if self.grain != self.leak_grain {
                self.leave_frames();
            } else if !self.is_library_for_callers {
                self.flame.root.clear();
            }
        }
        self.tab = tab;
    }

    /// Shows the entire flame graph. Paths and names of one grain mean nothing in another.
    pub(super) fn leave_frames(&mut self) {
        self.flame.root.clear();
        if self.flame.direction.function().is_some() {
            self.flame.direction = Direction::TopDown;
        }
    }

    /// Resets the zoom, for actions that change the stacks.
    pub(super) fn clear_roots(&mut self) {
        self.flame.root.clear();
        self.compare.root.clear();
    }

    fn choose_time(&mut self, time: When) {
        self.forget_counted_time();
        self.chips.retain(|chip| !(chip.is_on && matches!(chip.clause, Clause::Allocated(_))));
        self.measure = Measure::Live(time);
    }

    /// Counts what was allocated instead of what is live at one time.
    fn count_allocations(&mut self) {
        self.forget_counted_time();
        if matches!(self.measure, Measure::Live(_)) {
            self.measure = Measure::Allocated;
        }
    }

    /// With blocks or samples, "live at" is a clause, not part of the measure.
    fn forget_counted_time(&mut self) {
        if matches!(self.measure, Measure::Blocks | Measure::Samples) {
            self.chips.retain(|chip| !(chip.is_on && matches!(chip.clause, Clause::LiveAt(_))));
        }
    }

    fn select_time_range(&mut self, span: Span) {
        self.count_allocations();
        self.add_clause(Clause::Allocated(span));
    }

    pub(super) fn add_clause(&mut self, clause: Clause) {
        if clause == library() {
            self.is_library_for_callers = true;
            return;
        }
        let kind = mem::discriminant(&clause);
        let is_single = matches!(
            clause,
            Clause::Allocated(_)
                | Clause::Collected(_)
                | Clause::LiveAt(_)
                | Clause::LiveWithin(_)
                | Clause::LiveThrough(_)
                | Clause::Size(..)
                | Clause::Lifetime(_)
                | Clause::Temporary(_)
                | Clause::Heap(_)
                | Clause::Domain(_)
                | Clause::Focus(_)
        );
        let is_same = |chip: &Chip| chip.clause == clause || is_single && mem::discriminant(&chip.clause) == kind;
        match self.chips.iter_mut().find(|chip| is_same(chip)) {
            Some(chip) => *chip = Chip { clause, is_on: true },
            None => self.chips.push(Chip { clause, is_on: true }),
        }
    }
}
