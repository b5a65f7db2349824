//! Loads: the worker's messages about them, how they end, and which trace is reopened after a worker failure.

use std::mem;
use std::rc::Rc;

use super::{Failed, Load, Loaded, LoadedTrace, Screen, State};
use crate::page::reducer::Reducer;
use crate::page::store::action::Action;
use crate::page::store::browser::Browser;
use crate::page::store::follow_status::FollowStatus;
use crate::page::store::notice::Notice;
use crate::page::store::source::TraceSource;
use crate::page::store::trace_id::TraceId;
use crate::page::store::worker::{Retry, WorkerFailure, WorkerState};
use crate::{Capabilities, Tab, ViewAction};
use camlscope_engine::protocol::{FromWorker, RequestId, Slot};
use camlscope_present::words::errors::UserError;

impl<B: Browser> State<B> {
    pub(super) fn on_worker_message(&mut self, message: FromWorker) {
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
                    if let Some(retry) = &retry {
                        self.notice = Some(retry.notice(summary.downsampled.is_some()));
                    }
                    let opened = LoadedTrace {
                        name,
                        source,
                        retry,
                        capabilities: Capabilities::new(&summary),
                        summary: *summary,
                        names,
                        so_far,
                        timing,
                        growth: FollowStatus::default(),
                        ends_inside_packet,
                    };
                    self.open(slot, opened, is_second);
                }
            }
            FromWorker::Canceled { id, still_open } => {
                self.close_unless(still_open);
                self.drop_load(id);
            }
            FromWorker::Failed { id, error, still_open } => {
                self.close_unless(still_open);
                self.fail(id, UserError::of(error, self.units));
            }
            FromWorker::Followed { summary, names, ends_inside_packet, .. } => self.change_main(true, |main| {
                (main.summary, main.names, main.ends_inside_packet) = (*summary, names, ends_inside_packet);
            }),
            FromWorker::NotFollowed { is_another } => {
                self.change_main(false, |main| main.growth = FollowStatus::not_followed(is_another));
            }
            // The client delivers these to the components that sent the query.
            FromWorker::Working { .. }
            | FromWorker::Answered { .. }
            | FromWorker::Embedded { .. }
            | FromWorker::Peeked { .. } => {}
        }
    }

    fn open(&mut self, slot: Slot, opened: LoadedTrace<B>, is_second: bool) {
        self.generation += 1;
        let is_of_report = matches!(opened.source, TraceSource::Report(_));
        if slot == Slot::Main && opened.retry.is_none() && !is_of_report {
            (self.report, self.notes, self.edits_notes) = (None, Rc::default(), false);
            self.sources.take_if(|sources| B::is_of_report(sources));
        }
        if slot == Slot::Main && self.replaces_another(&opened) {
            Rc::make_mut(&mut self.view).leave_trace();
        }
        let generation = self.generation;
        let mut loaded = match (slot, self.loaded()) {
            (Slot::Other, Some(loaded)) => Loaded { other: Some(opened), generation, ..Loaded::clone(loaded) },
            _ => Loaded { main: opened, other: None, wants_swap: false, generation },
        };
        if let Some(is_newer_first) = loaded.is_newer_first() {
            // The user opened a second trace to compare it.
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

    /// Whether the view was about another trace. A link's view is about the trace that the link was made for, and a file
    /// that is opened again is the same trace.
    fn replaces_another(&self, opened: &LoadedTrace<B>) -> bool {
        let is_link = self.wanted.is_some() || self.generation == 1;
        let is_same = self.open_id().is_some_and(|open| open.is_same(&TraceId::new(&opened.summary, &opened.name)));
        !is_link && !is_same && opened.retry.is_none()
    }

    /// A large load may have needed the memory of the trace that was open before.
    fn close_unless(&mut self, still_open: bool) {
        if !still_open && self.loaded().is_some() {
            self.screen = Screen::Empty;
            let text = "The open trace was closed to free memory for the larger one. Open it again to continue.";
            self.notice = Some(Notice::info(text));
        }
    }

    /// Shows a notice once when the worker is late, and removes it when the worker is ready.
    pub(super) fn on_worker_changed(&mut self, worker: WorkerState) {
        self.worker = worker;
        if worker == (WorkerState::Starting { late: true }) {
            self.notice = Some(late());
        } else if self.notice == Some(late()) {
            self.notice = None;
        }
    }

    pub(super) fn fail(&mut self, id: RequestId, error: UserError) {
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

    /// The worker's data is lost. The trace is reopened once. After that, the page shows the start screen or the error
    /// without a way back, so that no view waits for responses of the dead worker.
    pub(super) fn on_worker_failed(&mut self, failure: WorkerFailure) {
        self.worker = WorkerState::Dead;
        let load = self.load.take();
        let screen = mem::take(&mut self.screen);
        let is_second_loading = load.as_ref().is_some_and(|load| load.slot == Slot::Other);
        let loading = load.filter(|load| load.slot == Slot::Main);
        let is_loading = loading.is_some();
        let (lost, has_closed_second) = match (loading, &screen) {
            (Some(load), _) => (Some((load.name, load.source, load.retry.is_some())), false),
            (None, Screen::Loaded(loaded)) => {
                let LoadedTrace { name, source, retry, .. } = &loaded.main;
                (Some((name.clone(), source.clone(), retry.is_some())), is_second_loading || loaded.other.is_some())
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
            self.load = Some(Load { retry: again, is_shown: true, ..self.new_load(Slot::Main, name, source) });
            self.notice = None;
        } else if is_loading {
            self.screen = Screen::Failed(Rc::new(Failed { name, error, before: None }));
        } else {
            self.notice = Some(problem(&error));
        }
    }

    pub(super) fn new_load(&mut self, slot: Slot, name: String, source: TraceSource<B>) -> Load<B> {
        self.newest_load = RequestId(self.newest_load.0.wrapping_add(1));
        Load::new(self.newest_load, slot, name, source)
    }

    pub(super) fn drop_load(&mut self, id: RequestId) {
        self.second = None;
        self.load.take_if(|load| load.id == id);
    }

    pub(super) fn current_load(&mut self, id: RequestId) -> Option<&mut Load<B>> {
        self.load.as_mut().filter(|load| load.id == id)
    }
}

fn problem(error: &UserError) -> Notice {
    Notice::problem(format!("{} {}", error.text, error.advice))
}

fn late() -> Notice {
    let text = "The decoder is slow to start, perhaps because of the network. Files open as soon as it's ready.";
    Notice::problem(text)
}
