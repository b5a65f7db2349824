//! The state of the page and its reducer.
//!
//! A load is kept beside the screen, not as one: it is shown only after [`SHOW_LOAD_AFTER_MS`], so that small files do not
//! flicker, and when it is cancelled the screen below is still there.

use std::mem;
use std::rc::Rc;

use web_sys::File;
use yew::Reducible;

use super::action::Action;
use super::growth::Growth;
use super::notice::{Notice, Tone};
use super::offer::Offer;
use super::source::{FileHandle, Source};
use super::trace_id::TraceId;
use super::view::compare::CompareAction;
use super::view::{Tab, ViewAction, ViewState};
use super::worker::{Retry, WorkerFailure, WorkerState};
use crate::ui::platform::theme::Theme;
use camlscope_engine::protocol::{FromWorker, LoadTiming, Progress, RequestId, Slot, SoFar};
use camlscope_engine::query::profile::ProfileSummary;
use camlscope_engine::query::prominent_names::ProminentNames;
use camlscope_engine::query::summary::Summary;
use camlscope_present::export::{Notes, ReportHeader};
use camlscope_present::format::Units;
use camlscope_present::words::errors::UserError;

/// How long a load may take before the page shows it.
pub const SHOW_LOAD_AFTER_MS: u32 = 150;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    pub worker: WorkerState,
    pub screen: Screen,
    pub load: Option<Load>,
    pub notice: Option<Notice>,
    /// The page says that a newer version of it is there.
    pub has_newer_version: bool,
    /// A file that was dropped while a trace is open, until the user has said what it is for.
    pub offered: Option<Offer>,
    /// The second of two files that were dropped at once, until the first is open.
    pub second: Option<File>,
    pub theme: Theme,
    pub units: Units,
    /// What the report that this page is says of itself, until another trace is opened.
    pub report: Option<Rc<ReportHeader>>,
    /// What the user has written about the open trace.
    pub notes: Rc<Notes>,
    pub edits_notes: bool,
    /// The number of traces opened so far.
    pub generation: u32,
    /// What the user has set in the workspace; it outlives the trace.
    pub view: Rc<ViewState>,
    /// The trace that the link was made for with which the page was opened, until a trace is open.
    pub wanted: Option<TraceId>,
    /// The number of view actions so far that the user may want to go back from.
    pub n_steps: u32,
    /// The user does not want to see what the file has gained meanwhile.
    pub is_paused: bool,
    /// The number of times the view came from the address.
    pub n_navigations: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Screen {
    #[default]
    Empty,
    Loaded(Rc<Loaded>),
    Failed(Rc<Failed>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    pub main: OpenTrace,
    /// What the main trace is compared with.
    pub other: Option<OpenTrace>,
    /// Two files that were dropped at once are in the wrong order, see
    /// [`super::view::compare::CompareSettings::is_newer_first`].
    pub wants_swap: bool,
    /// Changes with each trace that is opened.
    pub generation: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct OpenTrace {
    /// The file's name.
    pub name: String,
    pub source: Source,
    /// The page has opened it again by itself, because a worker died.
    pub is_retry: bool,
    pub summary: Summary,
    /// What has a colour, the most prominent first.
    pub names: ProminentNames,
    /// What the loading screen showed last.
    pub so_far: Option<Rc<SoFar>>,
    pub timing: LoadTiming,
    pub growth: Growth,
    /// The file may grow, and ends inside a packet so far.
    pub ends_inside_packet: bool,
}

impl OpenTrace {
    /// The page has looked at the file that this came from.
    fn see(&mut self, file: FileHandle) {
        let bytes = file.size() as u64;
        self.growth = self.growth.seen(bytes, self.summary.file_bytes);
        if bytes != self.summary.file_bytes {
            // Browsers do not read what a file was before it changed.
            self.source = Source::File(file);
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    pub name: String,
    pub error: UserError,
    /// What was open when the load that failed began; the user can go back to it.
    pub before: Option<Rc<Loaded>>,
}

/// A load under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    pub id: RequestId,
    pub slot: Slot,
    pub name: String,
    pub source: Source,
    /// The second of two files that were dropped at once.
    pub is_second: bool,
    /// Why the page opens it again by itself; none where the user opened it.
    pub retry: Option<Retry>,
    /// None until the worker's first word about it.
    pub progress: Option<Progress>,
    /// What it shows already.
    pub so_far: Option<Rc<SoFar>>,
    /// It has taken long enough to be shown.
    pub is_shown: bool,
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<State>, action: Action) -> Rc<State> {
        let mut state = Rc::unwrap_or_clone(self);
        state.apply(action);
        Rc::new(state)
    }
}

impl State {
    /// The load, once it is to be seen.
    pub fn visible_load(&self) -> Option<&Load> {
        self.load.as_ref().filter(|load| load.is_shown)
    }

    /// For `data-screen`.
    pub fn screen_name(&self) -> &'static str {
        match (self.visible_load(), &self.screen) {
            (Some(_), _) => "loading",
            (None, Screen::Empty) => "empty",
            (None, Screen::Loaded(_)) => "loaded",
            (None, Screen::Failed(_)) => "failed",
        }
    }

    /// The trace whose name stands in the header: the one on the screen, or behind a load.
    pub fn loaded(&self) -> Option<&Rc<Loaded>> {
        match &self.screen {
            Screen::Loaded(loaded) => Some(loaded),
            Screen::Empty | Screen::Failed(_) => None,
        }
    }

    fn apply(&mut self, action: Action) {
        match action {
            Action::LoadStarted { id, slot, name, source, is_second } => {
                // A second file dropped on a loading screen must not take that screen away.
                let is_shown = self.visible_load().is_some();
                self.load = Some(Load { is_shown, is_second, ..Load::new(id, slot, name, source) });
                self.notice = None;
                self.second = None;
            }
            Action::LoadShown { id } => {
                if let Some(load) = self.current_load(id) {
                    load.is_shown = true;
                }
            }
            Action::LoadCancelled { id } => self.drop_load(id),
            Action::LoadFailed { id, error } => self.fail(id, error),
            Action::WorkerMessage(message) => self.on_worker_message(message),
            Action::WorkerChanged(worker) => self.on_worker_changed(worker),
            Action::WorkerFailed { failure, retry } => self.on_worker_failed(failure, retry),
            Action::FileSeen(file) => self.change_main(false, |main| main.see(file)),
            Action::FollowingPaused(is_paused) => self.is_paused = is_paused,
            Action::WentBack => {
                if let Screen::Failed(failed) = &self.screen {
                    self.screen = failed.before.clone().map_or(Screen::Empty, Screen::Loaded);
                }
            }
            Action::NoticeShown(notice) => self.notice = Some(notice),
            Action::FileOffered(offer) => self.offered = Some(offer),
            Action::OfferClosed => self.offered = None,
            Action::SecondQueued(file) => self.second = Some(file),
            Action::Swapped => self.swap(),
            Action::OtherClosed => self.close_other(),
            Action::NoticeDismissed => self.notice = None,
            Action::NewerVersion(is_there) => self.has_newer_version = is_there,
            Action::ThemeChosen(theme) => self.theme = theme,
            Action::UnitsChosen(units) => self.units = units,
            Action::NotesEdited(edits_notes) => self.edits_notes = edits_notes,
            Action::TitleWritten(title) => Rc::make_mut(&mut self.notes).title = title,
            Action::RemarksWritten(remarks) => Rc::make_mut(&mut self.notes).remarks = remarks,
            Action::View(action) => {
                self.n_steps += u32::from(action.is_step());
                self.view = self.fitting(Rc::clone(&self.view).reduce(action));
            }
            Action::Navigated { view, trace } => {
                self.on_link(trace);
                let view = self.fitting(Rc::from(view));
                // Browsers may report one navigation twice.
                if view != self.view {
                    self.n_navigations += 1;
                    self.view = view;
                }
            }
        }
    }

    fn on_worker_message(&mut self, message: FromWorker) {
        match message {
            FromWorker::Ready => self.on_worker_changed(WorkerState::Ready),
            FromWorker::Progress { id, progress } => {
                if let Some(load) = self.current_load(id) {
                    load.progress = Some(progress);
                }
            }
            FromWorker::SoFar { id, so_far } => {
                if let Some(load) = self.current_load(id) {
                    load.so_far = Some(Rc::new(so_far));
                }
            }
            FromWorker::Opened { id, slot, summary, names, timing, ends_inside_packet } => {
                if let Some(Load { name, source, retry, is_second, so_far, .. }) =
                    self.load.take_if(|load| load.id == id)
                {
                    let is_retry = retry.is_some();
                    if let Some(retry) = retry {
                        self.notice = Some(retry.notice(summary.downsampled.is_some()));
                    }
                    let opened = OpenTrace {
                        name,
                        source,
                        is_retry,
                        summary: *summary,
                        names,
                        so_far,
                        timing,
                        growth: Growth::default(),
                        ends_inside_packet,
                    };
                    self.open(slot, opened, is_second);
                }
            }
            FromWorker::Cancelled { id, still_open } => {
                self.close_unless(still_open);
                self.drop_load(id);
            }
            FromWorker::Failed { id, error, still_open } => {
                self.close_unless(still_open);
                self.fail(id, UserError::of(error, self.units));
            }
            FromWorker::Extended { summary, names, ends_inside_packet, .. } => self.change_main(true, |main| {
                (main.summary, main.names, main.ends_inside_packet) = (*summary, names, ends_inside_packet);
            }),
            FromWorker::NotExtended { is_another } => {
                self.change_main(false, |main| main.growth = Growth::not_extended(is_another));
            }
            // The client hands answers to whoever asked.
            FromWorker::Working { .. } | FromWorker::Answered { .. } | FromWorker::Embedded { .. } => {}
        }
    }

    fn open(&mut self, slot: Slot, opened: OpenTrace, is_second: bool) {
        self.generation += 1;
        let is_of_report = matches!(opened.source, Source::Report(_));
        if slot == Slot::Main && !opened.is_retry && !is_of_report {
            (self.report, self.notes, self.edits_notes) = (None, Rc::default(), false);
        }
        let generation = self.generation;
        let mut loaded = match (slot, self.loaded()) {
            (Slot::Other, Some(loaded)) => Loaded { other: Some(opened), generation, ..Loaded::clone(loaded) },
            _ => Loaded { main: opened, other: None, wants_swap: false, generation },
        };
        if let Some(is_newer_first) = loaded.is_newer_first() {
            // The user opened the second trace to compare it.
            self.apply(Action::View(ViewAction::Tab(Tab::Compare)));
            loaded.wants_swap = is_second && is_newer_first != self.view.compare.is_newer_first;
            if !is_second {
                self.note_order(is_newer_first);
            }
        }
        self.screen = Screen::Loaded(Rc::new(loaded));
        self.view = self.fitting(Rc::clone(&self.view));
        let wanted = self.wanted.take();
        self.on_link(wanted);
    }

    /// `is_new`: what was answered about it says nothing any more.
    fn change_main(&mut self, is_new: bool, change: impl FnOnce(&mut OpenTrace)) {
        if let Screen::Loaded(loaded) = &mut self.screen {
            let loaded = Rc::make_mut(loaded);
            change(&mut loaded.main);
            if is_new {
                self.generation += 1;
                loaded.generation = self.generation;
            }
        }
    }

    /// The view without what an open profile cannot answer.
    fn fitting(&self, mut view: Rc<ViewState>) -> Rc<ViewState> {
        if let Some(profile) = self.loaded().and_then(|loaded| loaded.profile()) {
            Rc::make_mut(&mut view).fit_to(profile);
        }
        view
    }

    fn swap(&mut self) {
        let Some(loaded) = self.loaded() else { return };
        let Loaded { main, other: Some(other), .. } = Loaded::clone(loaded) else { return };
        self.generation += 1;
        let loaded = Loaded { main: other, other: Some(main), wants_swap: false, generation: self.generation };
        if let Some(is_newer_first) = loaded.is_newer_first() {
            self.note_order(is_newer_first);
        }
        self.screen = Screen::Loaded(Rc::new(loaded));
    }

    fn close_other(&mut self) {
        if let Some(loaded) = self.loaded().cloned() {
            self.generation += 1;
            let loaded =
                Loaded { other: None, wants_swap: false, generation: self.generation, ..Loaded::clone(&loaded) };
            self.screen = Screen::Loaded(Rc::new(loaded));
        }
    }

    /// So that the address puts the same two files in the same order again.
    fn note_order(&mut self, is_newer_first: bool) {
        self.apply(Action::View(ViewAction::Compare(CompareAction::NewerFirst(is_newer_first))));
    }

    /// A large load may have needed the room of what was open before it.
    fn close_unless(&mut self, still_open: bool) {
        if !still_open && self.loaded().is_some() {
            self.screen = Screen::Empty;
            let text = "The trace that was open had to make room for the larger one. Open it again to go on.";
            self.notice = Some(Notice { tone: Tone::Info, text: text.to_owned() });
        }
    }

    /// Shows a notice once when the worker is late, and removes it when the worker is ready.
    fn on_worker_changed(&mut self, worker: WorkerState) {
        self.worker = worker;
        if worker == (WorkerState::Starting { late: true }) {
            self.notice = Some(late());
        } else if self.notice == Some(late()) {
            self.notice = None;
        }
    }

    fn fail(&mut self, id: RequestId, error: UserError) {
        self.second = None;
        if let Some(load) = self.load.take_if(|load| load.id == id) {
            let before = match &self.screen {
                Screen::Empty => None,
                Screen::Loaded(loaded) => Some(Rc::clone(loaded)),
                Screen::Failed(failed) => failed.before.clone(),
            };
            self.screen = Screen::Failed(Rc::new(Failed { name: load.name, error, before }));
        }
    }

    /// What the worker had is gone. The trace is opened again, once; else the page goes back to its start, or to a
    /// failure that nothing lies behind. No view is left to wait for the dead worker's answers.
    fn on_worker_failed(&mut self, failure: WorkerFailure, retry: RequestId) {
        self.worker = WorkerState::Dead;
        let load = self.load.take();
        let screen = mem::take(&mut self.screen);
        let is_second_loading = load.as_ref().is_some_and(|load| load.slot == Slot::Other);
        let loading = load.filter(|load| load.slot == Slot::Main);
        let is_loading = loading.is_some();
        let (lost, has_closed_second) = match (loading, &screen) {
            (Some(load), _) => (Some((load.name, load.source, load.retry.is_some())), false),
            (None, Screen::Loaded(loaded)) => {
                let OpenTrace { name, source, is_retry, .. } = &loaded.main;
                (Some((name.clone(), source.clone(), *is_retry)), is_second_loading || loaded.other.is_some())
            }
            (None, Screen::Empty | Screen::Failed(_)) => (None, false),
        };
        let Some((name, source, was_retry)) = lost else {
            if let Screen::Failed(failed) = screen {
                self.screen = Screen::Failed(Rc::new(Failed { before: None, ..Failed::clone(&failed) }));
            }
            self.notice = Some(problem(&failure.error(false)));
            return;
        };
        let error = failure.error(was_retry);
        if failure != WorkerFailure::NotStarted && !was_retry {
            let again = Some(Retry { failure, has_closed_second });
            self.load = Some(Load { retry: again, is_shown: true, ..Load::new(retry, Slot::Main, name, source) });
            self.notice = None;
        } else if is_loading {
            self.screen = Screen::Failed(Rc::new(Failed { name, error, before: None }));
        } else {
            self.notice = Some(problem(&error));
        }
    }

    fn drop_load(&mut self, id: RequestId) {
        self.second = None;
        self.load.take_if(|load| load.id == id);
    }

    fn current_load(&mut self, id: RequestId) -> Option<&mut Load> {
        self.load.as_mut().filter(|load| load.id == id)
    }
}

impl Loaded {
    /// What a profile has and a trace has not; `None` where a trace is open.
    pub fn profile(&self) -> Option<&ProfileSummary> {
        self.main.summary.profile.as_deref()
    }

    pub fn is_profile(&self) -> bool {
        self.profile().is_some()
    }

    /// The recording ended before anything was sampled.
    pub fn is_empty(&self) -> bool {
        !self.is_profile() && self.main.summary.events.alloc == 0
    }

    pub fn tabs(&self) -> &'static [Tab] {
        if self.is_profile() { &Tab::OF_PROFILE } else { &Tab::ALL }
    }

    /// Whether the trace that was recorded later is the first of the two. `None` where there are not two.
    fn is_newer_first(&self) -> Option<bool> {
        let start_us = |open: &OpenTrace| open.summary.info.start_time_us;
        self.other.as_ref().map(|other| start_us(&self.main) > start_us(other))
    }
}

impl Load {
    fn new(id: RequestId, slot: Slot, name: String, source: Source) -> Load {
        Load { id, slot, name, source, is_second: false, retry: None, progress: None, so_far: None, is_shown: false }
    }
}

fn problem(error: &UserError) -> Notice {
    Notice { tone: Tone::Problem, text: format!("{} {}", error.text, error.advice) }
}

fn late() -> Notice {
    let text =
        "The decoder is slow to start: the network is slow, or something blocks it. Files wait until it is ready.";
    Notice { tone: Tone::Problem, text: text.to_owned() }
}

#[cfg(test)]
mod tests;
