//! The state of the page and its reducer.
//!
//! A load is kept beside the screen, not as one: it is shown only after [`SHOW_LOAD_AFTER_MS`], so that small files do not
//! flicker, and when it is canceled the screen below is still there.

mod loads;

use std::rc::Rc;

use web_sys::File;
use yew::Reducible;

use super::action::Action;
use super::follow_status::FollowStatus;
use super::notice::Notice;
use super::source::{FileHandle, TraceSource};
use super::trace_id::TraceId;
use super::view::compare::CompareAction;
use super::view::{Capabilities, ViewAction, ViewState};
use super::worker::{Retry, WorkerState};
use crate::ui::platform::theme::Theme;
use crate::wire::EARLY_LOAD;
use camlscope_engine::protocol::{LoadTiming, Progress, RequestId, Slot, SoFar};
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
    /// The ID of the load that began last, whether it is still under way or not.
    pub newest_load: RequestId,
    pub notice: Option<Notice>,
    /// The page says that a newer version of it is there.
    pub has_newer_version: bool,
    /// A file that was dropped while a trace is open, until the user has said what it is for.
    pub dropped: Option<DroppedFile>,
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
    pub main: LoadedTrace,
    /// What the main trace is compared with.
    pub other: Option<LoadedTrace>,
    /// Two files that were dropped at once are in the wrong order, see
    /// [`super::view::compare::CompareSettings::is_newer_first`].
    pub wants_swap: bool,
    /// Changes with each trace that is opened.
    pub generation: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LoadedTrace {
    /// The file's name.
    pub name: String,
    pub source: TraceSource,
    /// Why the page has opened it again by itself; `None` if the user opened it.
    pub retry: Option<Retry>,
    pub summary: Summary,
    pub capabilities: Capabilities,
    /// Names that have a color, the most prominent first.
    pub names: ProminentNames,
    /// What the loading screen showed last.
    pub so_far: Option<Rc<SoFar>>,
    pub timing: LoadTiming,
    pub growth: FollowStatus,
    /// The file may grow, and ends inside a packet so far.
    pub ends_inside_packet: bool,
}

impl LoadedTrace {
    /// The page has looked at the file that this came from.
    fn see(&mut self, file: FileHandle) {
        let bytes = file.size() as u64;
        self.growth = self.growth.seen(bytes, self.summary.file_bytes);
        if bytes != self.summary.file_bytes {
            // Browsers do not read what a file was before it changed.
            self.source = TraceSource::File(file);
        }
    }
}

/// A file that may take the place of what is open, or be compared with it.
#[derive(Clone, Debug, PartialEq)]
pub struct DroppedFile {
    pub file: File,
    /// Its first bytes, once decompressed, are those of a profile.
    pub is_profile: bool,
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
    pub source: TraceSource,
    /// The second of two files that were dropped at once.
    pub is_second: bool,
    /// Why the page opens it again by itself; `None` if the user opened it.
    pub retry: Option<Retry>,
    /// None until the worker's first word about it.
    pub progress: Option<Progress>,
    /// What it shows already.
    pub so_far: Option<Rc<SoFar>>,
    /// It has taken long enough to be shown.
    pub is_shown: bool,
}

impl Load {
    fn new(id: RequestId, slot: Slot, name: String, source: TraceSource) -> Load {
        Load { id, slot, name, source, is_second: false, retry: None, progress: None, so_far: None, is_shown: false }
    }
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

    /// A trace is open, and no other is about to take its place.
    pub fn is_settled(&self) -> bool {
        self.loaded().is_some() && self.load.is_none()
    }

    fn apply(&mut self, action: Action) {
        match action {
            Action::LoadStarted { slot, name, source, is_second } => {
                // A second file dropped on a loading screen must not take that screen away.
                let is_shown = self.visible_load().is_some();
                self.load = Some(Load { is_shown, is_second, ..self.new_load(slot, name, source) });
                self.notice = None;
                self.second = None;
            }
            Action::LoadAdopted { name, source } => {
                self.load = Some(Load { is_shown: true, ..Load::new(EARLY_LOAD, Slot::Main, name, source) });
            }
            Action::LoadShown { id } => {
                if let Some(load) = self.current_load(id) {
                    load.is_shown = true;
                }
            }
            Action::LoadCanceled { id } => self.drop_load(id),
            Action::LoadFailed { id, error } => self.fail(id, error),
            Action::WorkerMessage(message) => self.on_worker_message(message),
            Action::WorkerChanged(worker) => self.on_worker_changed(worker),
            Action::WorkerFailed(failure) => self.on_worker_failed(failure),
            Action::FileSeen(file) => self.change_main(false, |main| main.see(file)),
            Action::FollowingPaused(is_paused) => self.is_paused = is_paused,
            Action::WentBack => {
                if let Screen::Failed(failed) = &self.screen {
                    self.screen = failed.before.clone().map_or(Screen::Empty, Screen::Loaded);
                }
            }
            Action::NoticeShown(notice) => self.notice = Some(notice),
            Action::FileDropped(offer) => self.dropped = Some(offer),
            Action::DropAnswered => self.dropped = None,
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

    /// `is_new`: what was answered about it says nothing any more.
    fn change_main(&mut self, is_new: bool, change: impl FnOnce(&mut LoadedTrace)) {
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
        if let Screen::Loaded(loaded) = &mut self.screen {
            self.generation += 1;
            let loaded = Rc::make_mut(loaded);
            (loaded.other, loaded.wants_swap, loaded.generation) = (None, false, self.generation);
        }
    }

    /// So that the address puts the same two files in the same order again.
    fn note_order(&mut self, is_newer_first: bool) {
        self.apply(Action::View(ViewAction::Compare(CompareAction::NewerFirst(is_newer_first))));
    }
}

impl Loaded {
    /// What a profile has and a trace has not; `None` where a trace is open.
    pub fn profile(&self) -> Option<&ProfileSummary> {
        self.main.summary.profile.as_deref()
    }

    /// The recording ended before anything was sampled.
    pub fn is_empty(&self) -> bool {
        self.main.capabilities.has_objects && self.main.summary.events.alloc == 0
    }

    /// Whether the trace that was recorded later is the first of the two. `None` where there are not two.
    fn is_newer_first(&self) -> Option<bool> {
        let start_us = |open: &LoadedTrace| open.summary.info.start_time_us;
        self.other.as_ref().map(|other| start_us(&self.main) > start_us(other))
    }
}

#[cfg(test)]
mod tests;
