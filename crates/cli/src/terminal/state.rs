//! The user's settings, and the reducer that changes them. A key or click and the responses on the screen produce the
//! next state. Nothing here draws, queries or waits.

use std::collections::BTreeSet;

use super::flame::FlameState;
use super::histogram::HistogramState;
use super::other_file::OtherFile;
use super::place::Place;
use super::source::SourceState;
use super::tab::Tab;
use super::timeline::TimelineState;
use crate::follow::Activity;
use camlscope_engine::protocol::{Progress, Slot, SoFar, View};
use camlscope_engine::query::filter::{Clause, DiesWithin, Filter, Span, When};
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::profile::ProfileSummary;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::query::table::{Column, Order};
use camlscope_engine::query::timeline::By;
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::format;
use camlscope_present::words::errors::{filter_error, parse_error};

#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The name of the file that is shown.
    pub name: String,
    /// Its place in the session.
    pub slot: Slot,
    /// `None` until it's read.
    pub summary: Option<Box<Summary>>,
    /// The file that isn't shown, if there are two.
    pub other: Option<OtherFile>,
    /// The current load.
    pub load: Option<Load>,
    pub follow: Option<FollowState>,
    pub tab: Tab,
    pub view: View,
    /// The line being typed.
    pub input: Option<Input>,
    /// The error in the last line typed.
    pub problem: Option<String>,
    pub is_help: bool,
    pub is_ended: bool,
    /// The selected row of each tab.
    pub selected: [usize; Tab::ALL.len()],
    pub order: Order,
    pub search: String,
    pub tree: TreeState,
    pub flame: FlameState,
    pub histogram: HistogramState,
    pub timeline: TimelineState,
    /// The source that is shown in place of the tab.
    pub source: Option<SourceState>,
    /// The source that will be opened in an editor.
    pub editing: Option<SourceState>,
    /// The two times to compare if there is only one file. By default, the middle and the end.
    pub marked: [Option<When>; 2],
    /// The places that the user came from, the latest last.
    pub history: Vec<Place>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    pub name: String,
    pub progress: Progress,
    pub so_far: Option<Box<SoFar>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub kind: InputKind,
    pub text: String,
    /// The completion that the arrow keys chose.
    pub chosen: Option<usize>,
}

impl Input {
    pub fn new(kind: InputKind, text: String) -> Input {
        Input { kind, text, chosen: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    Filter,
    Search,
    /// The minimum number of samples for branches of the tree.
    Threshold,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TreeState {
    pub direction: Direction,
    /// The paths of open branches, from the top.
    pub open: BTreeSet<Vec<Label>>,
    /// Branches with fewer samples are not listed.
    pub min_samples: u64,
}

/// The state of a live trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FollowState {
    pub activity: Activity,
    /// While paused, the file isn't checked, so that the figures don't change.
    pub is_paused: bool,
    /// How often another run has replaced the file, and how the last replacement was detected.
    pub n_restarts: usize,
    pub restarted_because: &'static str,
}

impl State {
    pub fn new(name: String, other_name: Option<String>) -> State {
        State {
            name,
            slot: Slot::Main,
            summary: None,
            other: other_name.map(|name| OtherFile { name, summary: None, timeline: TimelineState::default() }),
            load: None,
            follow: None,
            tab: Tab::Summary,
            view: View::default(),
            input: None,
            problem: None,
            is_help: false,
            is_ended: false,
            selected: [0; Tab::ALL.len()],
            order: Order { column: Column::SelfBytes, descending: true },
            search: String::new(),
            tree: TreeState { direction: Direction::Inverted, open: BTreeSet::new(), min_samples: 1 },
            flame: FlameState::default(),
            histogram: HistogramState::default(),
            timeline: TimelineState::default(),
            source: None,
            editing: None,
            marked: [None; 2],
            history: Vec::new(),
        }
    }

    /// Called when a file was read or has grown.
    pub fn opened(&mut self, summary: Summary) {
        if self.summary.is_none() && summary.profile.is_some() {
            self.view.measure = Measure::Live(When::End);
        }
        self.summary = Some(Box::new(summary));
    }

    /// Called when another run has replaced the file. Times are reset, other settings stay.
    pub fn begin_again(&mut self, why: &'static str) {
        (self.summary, self.load, self.marked) = (None, None, [None; 2]);
        self.timeline.forget_times();
        if let Some(follow) = &mut self.follow {
            follow.n_restarts += 1;
            follow.restarted_because = why;
        }
    }

    /// Whether there may be more data, so that verdicts may change.
    pub fn is_provisional(&self) -> bool {
        self.follow.as_ref().is_some_and(|follow| follow.activity != Activity::Ended)
    }

    /// Returns the two times to compare.
    pub fn times(&self) -> [When; 2] {
        let [before, after] = self.marked;
        [before.unwrap_or(self.fit_when(When::At(self.end_us() / 2))), after.unwrap_or(When::End)]
    }

    pub fn is_profile(&self) -> bool {
        self.profile().is_some()
    }

    fn profile(&self) -> Option<&ProfileSummary> {
        self.summary.as_ref().and_then(|summary| summary.profile.as_deref())
    }

    /// In a profile, returns the snapshot for a time.
    pub(super) fn fit_when(&self, when: When) -> When {
        self.profile().map_or(when, |profile| profile.fit_when(when))
    }

    pub fn end_us(&self) -> u64 {
        self.summary.as_ref().map_or(0, |summary| summary.end_us)
    }

    pub fn selected(&self) -> usize {
        self.selected[self.tab as usize]
    }

    pub fn select(&mut self, row: usize) {
        self.selected[self.tab as usize] = row;
    }

    /// Returns the time of the timeline's cursor, or the peak.
    pub fn cursor(&self) -> When {
        self.fit_when(self.timeline.cursor_us.map_or(When::Peak, When::At))
    }

    /// Returns the cursor in µs.
    pub fn cursor_us(&self) -> u64 {
        match self.cursor() {
            When::At(us) => us,
            When::Peak => self.summary.as_ref().map_or(0, |summary| summary.peak.at_us),
            When::End => self.end_us(),
        }
    }

    /// Moves the cursor by a step. In a profile, moves it to the next or previous snapshot.
    pub fn move_cursor(&mut self, is_forward: bool, step_us: u64) {
        let cursor_us = self.cursor_us();
        let moved_us = match (self.profile(), is_forward) {
            (Some(profile), true) => {
                let next = profile.snapshots.iter().find(|snapshot| snapshot.at_us > cursor_us);
                next.map_or(cursor_us, |snapshot| snapshot.at_us)
            }
            (Some(_), false) => cursor_us.saturating_sub(1),
            (None, true) => cursor_us.saturating_add(step_us),
            (None, false) => cursor_us.saturating_sub(step_us),
        };
        self.timeline.put_cursor(moved_us, self.end_us());
    }

    /// Moves the cursor to the peak, and the window with it.
    pub fn show_peak(&mut self) {
        self.timeline.cursor_us = None;
        let peak_us = self.cursor_us();
        self.timeline.put_cursor(peak_us, self.end_us());
        self.timeline.cursor_us = None;
    }

    /// Changes the figures, which resets the selected rows.
    pub fn change_view(&mut self, change: impl FnOnce(&mut View)) {
        change(&mut self.view);
        self.selected = [0; Tab::ALL.len()];
        self.problem = None;
    }

    pub(super) fn measures(&self) -> &'static [Measure] {
        match self.profile() {
            Some(profile) if profile.has_call_counts => &OF_PROFILE,
            Some(_) => &OF_PROFILE[..OF_PROFILE.len() - 1],
            None => &OF_TRACE,
        }
    }

    pub fn set_search(&mut self, search: String) {
        if self.search != search {
            self.search = search;
            self.selected[Tab::Table as usize] = 0;
        }
    }

    pub fn next_measure(&mut self) {
        let measures = self.measures();
        let now = measures.iter().position(|measure| *measure == self.view.measure);
        let next = measures[now.map_or(0, |now| (now + 1) % measures.len())];
        self.change_view(|view| view.measure = next);
    }

    pub fn next_grain(&mut self) {
        let now = Grain::ALL.iter().position(|grain| *grain == self.view.grain).unwrap_or(0);
        self.change_view(|view| view.grain = Grain::ALL[(now + 1) % Grain::ALL.len()]);
        self.tree.open.clear();
        self.flame.forget_paths();
    }

    pub fn next_layers(&mut self) {
        let now = By::ALL.iter().position(|by| *by == self.timeline.by).unwrap_or(0);
        self.timeline.by = By::ALL[(now + 1) % By::ALL.len()];
    }

    pub fn next_column(&mut self) {
        let now = COLUMNS.iter().position(|column| *column == self.order.column).unwrap_or(0);
        let column = COLUMNS[(now + 1) % COLUMNS.len()];
        self.order = Order { column, descending: column != Column::Name };
        self.select(0);
    }

    /// Applies the line that was typed. An invalid line stays, with its error.
    pub fn take_input(&mut self) {
        let Some(Input { kind, text, .. }) = self.input.take() else { return };
        self.problem = None;
        match kind {
            InputKind::Search => self.set_search(text.trim().to_owned()),
            InputKind::Threshold => match text.trim().parse() {
                Ok(samples) => self.tree.min_samples = samples,
                Err(_) => self.problem = Some(format!("“{text}” isn't a number of samples")),
            },
            InputKind::Filter => match parse_filter(&text) {
                Ok(mut filter) => {
                    if let Some(profile) = self.profile() {
                        filter.clauses.iter_mut().for_each(|clause| profile.fit_clause(clause));
                    }
                    self.change_view(|view| view.filter = filter);
                }
                Err(problem) => {
                    self.problem = Some(problem);
                    self.input = Some(Input::new(kind, text));
                }
            },
        }
    }

    /// Filters by allocation in the selected range.
    pub fn filter_by_range(&mut self) {
        let Some([from, to]) = self.timeline.range else { return };
        let mut clause = Clause::Allocated(Span::new(from.min(to), from.max(to)));
        if let Some(profile) = self.profile() {
            profile.fit_clause(&mut clause);
        }
        self.change_view(|view| {
            view.filter.clauses.retain(|clause| !matches!(clause, Clause::Allocated(_)));
            view.filter.clauses.push(clause);
        });
    }

    /// Sets one end of the range to the cursor.
    pub fn mark(&mut self, end: usize) {
        let cursor_us = self.cursor_us();
        let mut range = self.timeline.range.unwrap_or([0, self.end_us()]);
        range[end] = cursor_us;
        self.timeline.range = Some(range);
    }

    /// Describes the two times to compare.
    pub fn time_words(&self) -> [String; 2] {
        self.times().map(|when| match when {
            When::At(us) => format::elapsed_us(us),
            When::Peak => "the peak".to_owned(),
            When::End => "the end".to_owned(),
        })
    }
}

fn parse_filter(text: &str) -> Result<Filter, String> {
    let filter = Filter::parse(text.trim()).map_err(|error| parse_error(&error))?;
    filter.check().map_err(|error| filter_error(&error))?;
    Ok(filter)
}

static OF_TRACE: [Measure; 9] = [
    Measure::Allocated,
    Measure::Live(When::Peak),
    Measure::Live(When::End),
    Measure::GROWTH,
    Measure::Promoted,
    Measure::Temporary(DiesWithin::Bytes(4 << 20)),
    Measure::Blocks,
    Measure::ByteSeconds,
    Measure::Samples,
];
/// Call counts come last, because not all profiles have them.
static OF_PROFILE: [Measure; 6] = [
    Measure::Live(When::End),
    Measure::Live(When::Peak),
    Measure::GROWTH,
    Measure::Allocated,
    Measure::Blocks,
    Measure::Calls,
];
/// The columns that the table can be sorted by, in order.
const COLUMNS: [Column; 4] = [Column::SelfBytes, Column::TotalBytes, Column::EndBytes, Column::Name];
