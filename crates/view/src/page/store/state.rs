//! The state of the page and its reducer.
//!
//! A load is kept next to the screen instead of being one. It is shown only after [`SHOW_LOAD_AFTER_MS`], so that small
//! files don't flicker. When it is canceled, the previous screen is still there.

mod loads;

use std::rc::Rc;

use super::action::Action;
use super::browser::Browser;
use super::follow_status::FollowStatus;
use super::notice::Notice;
use super::source::{DroppedFolder, FileHandle, SecondTrace, Sources, TraceSource};
use super::trace_id::TraceId;
use super::worker::{Retry, WorkerState};
use crate::compare::CompareAction;
use crate::page::platform::theme::Theme;
use crate::page::reducer::Reducer;
use crate::{Capabilities, ViewAction, ViewState};
use camlscope_engine::protocol::{LoadTiming, Progress, RequestId, Slot, SoFar};
use camlscope_engine::query::profile::ProfileSummary;
use camlscope_engine::query::prominent_names::ProminentNames;
use camlscope_engine::query::summary::Summary;
use camlscope_present::export::{Notes, ReportHeader};
use camlscope_present::format::Units;
use camlscope_present::words::errors::UserError;

/// Loads that are faster than this don't show the loading screen.
pub const SHOW_LOAD_AFTER_MS: u32 = 150;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct State<B: Browser> {
    pub worker: WorkerState,
    pub screen: Screen<B>,
    pub load: Option<Load<B>>,
    /// The ID of the most recent load, whether or not it is finished.
    pub newest_load: RequestId,
    pub notice: Option<Notice>,
    /// Whether to show that a new version of the page is available.
    pub has_newer_version: bool,
    /// A file that was dropped while a trace is open, until the user has chosen what to do with it.
    pub dropped: Option<DroppedFile<B>>,
    /// The second of two traces that are opened together, until the first one is open.
    pub second: Option<SecondTrace<B>>,
    pub theme: Theme,
    /// The files that the host shows figures of, or `None` if it shows none.
    pub annotated: Option<Rc<[String]>>,
    pub units: Units,
    /// The header, if this page is a report, until another trace is opened.
    pub report: Option<Rc<ReportHeader>>,
    /// The user's notes about the open trace.
    pub notes: Rc<Notes>,
    pub edits_notes: bool,
    pub is_palette_open: bool,
    /// The folder with the source code. It stays open with the next trace, often another run of the same program.
    pub sources: Option<Sources<B>>,
    /// A folder that was dropped, until it is searched.
    pub dropped_folder: Option<DroppedFolder<B>>,
    /// Whether the page asks which sources a report includes.
    pub is_source_report: bool,
    /// The number of traces opened so far.
    pub generation: u32,
    /// The user's settings in the workspace. They outlive the trace.
    pub view: Rc<ViewState>,
    /// The trace that the page's link was made for, until a trace is open.
    pub wanted: Option<TraceId>,
    /// The number of view actions so far that get a history entry.
    pub n_steps: u32,
    /// Whether the user has paused following a live trace.
    pub is_paused: bool,
    /// The number of times the view was changed by the URL.
    pub n_navigations: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Screen<B: Browser> {
    #[default]
    Empty,
    Loaded(Rc<Loaded<B>>),
    Failed(Rc<Failed<B>>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Loaded<B: Browser> {
    pub main: LoadedTrace<B>,
    /// The second trace, which the main trace is compared with.
    pub other: Option<LoadedTrace<B>>,
    /// Whether two files that were dropped together must be swapped, see
    /// [`crate::compare::CompareSettings::is_newer_first`].
    pub wants_swap: bool,
    /// Changes with each opened trace.
    pub generation: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LoadedTrace<B: Browser> {
    /// The file name.
    pub name: String,
    pub source: TraceSource<B>,
    /// The reason why the page reopened it automatically, or `None` if the user opened it.
    pub retry: Option<Retry>,
    pub summary: Summary,
    pub capabilities: Capabilities,
    /// Names that get a color, most prominent first.
    pub names: ProminentNames,
    /// The last preview from the loading screen.
    pub so_far: Option<Rc<SoFar>>,
    pub timing: LoadTiming,
    pub growth: FollowStatus,
    /// Whether the file may still grow and currently ends inside a packet.
    pub ends_inside_packet: bool,
}

impl<B: Browser> LoadedTrace<B> {
    /// Updates the status after the file was checked.
    fn see(&mut self, file: FileHandle<B>) {
        let bytes = B::bytes(&file);
        self.growth = self.growth.seen(bytes, self.summary.file_bytes);
        if bytes != self.summary.file_bytes {
            // Browsers can't read the old version of a file that has changed.
            self.source = TraceSource::File(file);
        }
    }
}

/// A file that may replace the open trace or be compared with it.
#[derive(Clone, Debug, PartialEq)]
pub struct DroppedFile<B: Browser> {
    pub file: B::File,
    /// Whether its first bytes, after decompression, are those of a profile.
    pub is_profile: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Failed<B: Browser> {
    pub name: String,
    pub error: UserError,
    /// The trace that was open before the failed load, for the user to go back to.
    pub before: Option<Rc<Loaded<B>>>,
}

/// A load in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct Load<B: Browser> {
    pub id: RequestId,
    pub slot: Slot,
    pub name: String,
    pub source: TraceSource<B>,
    /// Whether it is the second of two files that were dropped together.
    pub is_second: bool,
    /// The reason why the page reopens it automatically, or `None` if the user opened it.
    pub retry: Option<Retry>,
    /// `None` until the worker's first message.
    pub progress: Option<Progress>,
    /// The preview on the loading screen.
    pub so_far: Option<Rc<SoFar>>,
    /// Whether it has taken long enough to be shown.
    pub is_shown: bool,
}

impl<B: Browser> Load<B> {
    fn new(id: RequestId, slot: Slot, name: String, source: TraceSource<B>) -> Load<B> {
        Load { id, slot, name, source, is_second: false, retry: None, progress: None, so_far: None, is_shown: false }
    }
}

impl<B: Browser> State<B> {
    /// Returns the load if it is shown.
    pub fn visible_load(&self) -> Option<&Load<B>> {
        self.load.as_ref().filter(|load| load.is_shown)
    }

    /// Returns the value of `data-screen`.
    pub fn screen_name(&self) -> &'static str {
        match (self.visible_load(), &self.screen) {
            (Some(_), _) => "loading",
            (None, Screen::Empty) => "empty",
            (None, Screen::Loaded(_)) => "loaded",
            (None, Screen::Failed(_)) => "failed",
        }
    }

    /// Returns the open trace, even if a loading screen covers it.
    pub fn loaded(&self) -> Option<&Rc<Loaded<B>>> {
        match &self.screen {
            Screen::Loaded(loaded) => Some(loaded),
            Screen::Empty | Screen::Failed(_) => None,
        }
    }

    /// Whether a trace is open and nothing is loading.
    pub fn is_settled(&self) -> bool {
        self.loaded().is_some() && self.load.is_none()
    }
}

impl<B: Browser> Reducer for State<B> {
    type Action = Action<B>;

    fn apply(&mut self, action: Action<B>) {
        match action {
            Action::LoadStarted { slot, name, source, is_second } => {
                // A second file dropped on a loading screen must not hide that screen.
                let is_shown = self.visible_load().is_some();
                self.load = Some(Load { is_shown, is_second, ..self.new_load(slot, name, source) });
                self.notice = None;
                self.second = None;
            }
            Action::LoadAdopted { id, name, source } => {
                self.load = Some(Load { is_shown: true, ..Load::new(id, Slot::Main, name, source) });
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
            Action::SizeSeen(bytes) => {
                self.change_main(false, |main| main.growth = main.growth.seen(bytes, main.summary.file_bytes));
            }
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
            Action::FilesAnnotated(files) => self.annotated = Some(files),
            Action::UnitsChosen(units) => self.units = units,
            Action::NotesEdited(edits_notes) => self.edits_notes = edits_notes,
            Action::PaletteOpened(is_open) => self.is_palette_open = is_open,
            Action::FolderDropped(folder) => self.dropped_folder = folder,
            Action::SourcesOpened(sources) => self.sources = Some(sources),
            Action::SourceReport(is_open) => self.is_source_report = is_open,
            Action::TitleWritten(title) => Rc::make_mut(&mut self.notes).title = title,
            Action::RemarksWritten(remarks) => Rc::make_mut(&mut self.notes).remarks = remarks,
            Action::View(action) => {
                self.n_steps += u32::from(action.is_step(&self.view));
                self.view = self.fitting(Rc::clone(&self.view).reduce(action));
            }
            Action::Navigated { view, trace } => {
                self.on_link(trace);
                let view = self.fitting(Rc::from(view));
                // Browsers may report a navigation twice.
                if view != self.view {
                    self.n_navigations += 1;
                    self.view = view;
                }
            }
        }
    }
}

impl<B: Browser> State<B> {
    /// `is_new` means that earlier responses about the trace are outdated.
    fn change_main(&mut self, is_new: bool, change: impl FnOnce(&mut LoadedTrace<B>)) {
        if let Screen::Loaded(loaded) = &mut self.screen {
            let loaded = Rc::make_mut(loaded);
            change(&mut loaded.main);
            if is_new {
                self.generation += 1;
                loaded.generation = self.generation;
            }
        }
    }

    /// Returns the view without settings that the open profile doesn't support.
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

    /// Records the order in the view, so that a link opens the two files in the same order.
    fn note_order(&mut self, is_newer_first: bool) {
        self.apply(Action::View(ViewAction::Compare(CompareAction::NewerFirst(is_newer_first))));
    }
}

impl<B: Browser> Loaded<B> {
    /// Returns the profile's part of the summary, or `None` for a trace.
    pub fn profile(&self) -> Option<&ProfileSummary> {
        self.main.summary.profile.as_deref()
    }

    /// Whether the trace has no samples.
    pub fn is_empty(&self) -> bool {
        self.main.capabilities.has_objects && self.main.summary.events.alloc == 0
    }

    /// Whether the first of two traces was recorded later. `None` if there is only one.
    fn is_newer_first(&self) -> Option<bool> {
        let start_us = |open: &LoadedTrace<B>| open.summary.info.start_time_us;
        self.other.as_ref().map(|other| start_us(&self.main) > start_us(other))
    }
}

#[cfg(test)]
mod tests;
