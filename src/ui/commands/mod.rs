//! User commands that need more than the store, such as the worker, the clipboard or a file. Each command dispatches to
//! the store first and then messages the worker.

pub mod export;
pub mod following;
mod hosting;
mod report;

use gloo::timers::callback::Timeout;
use js_sys::Uint8Array;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::File;
use yew::{Callback, UseReducerHandle};

use self::export::Saving;
use crate::ui::platform::clipboard::{self, NotCopied};
use crate::ui::platform::delivery::StartRequest;
use crate::ui::platform::page_config;
use crate::ui::platform::source_folder::DroppedFolder;
use crate::ui::platform::{address, delivery, host, storage};
use crate::ui::query::{QueryChannel, WorkerClient};
use crate::ui::store::view::settings::SourceSettings;
use crate::ui::store::view::{Tab, ViewAction};
use crate::ui::store::{Action, DroppedFile, FileHandle, Screen, SecondTrace, Store, TraceSource};
use crate::wire::EARLY_LOAD;
use camlscope_engine::load;
use camlscope_engine::protocol::{Channel, RequestId, Slot, ToWorker, Whole};
use camlscope_present::export::ReportHeader;
use camlscope_present::format::Units;
use camlscope_present::words::errors::UserError;
use camlscope_view::page::platform::page_config::NamedTrace;
use camlscope_view::page::store::notice::{self, Notice};
use camlscope_view::page::store::source::SAMPLE_NAME;
use camlscope_view::page::store::state::SHOW_LOAD_AFTER_MS;
use camlscope_view::page::store::trace_id::TraceId;

/// The user's choice for a file that was dropped while a trace is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropChoice {
    Replace,
    Compare,
    Cancel,
}

/// A location in the program's source code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// The file's path in the trace.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
}

#[derive(Clone)]
pub struct Commands {
    store: UseReducerHandle<Store>,
    dispatch: Callback<Action>,
    pub client: WorkerClient,
    exports: Channel,
}

/// There is only one set of commands.
impl PartialEq for Commands {
    fn eq(&self, other: &Commands) -> bool {
        self.client == other.client
    }
}

impl Commands {
    pub fn new(store: UseReducerHandle<Store>) -> Commands {
        let dispatch = store.dispatcher().to_callback();
        let client = WorkerClient::new(dispatch.clone());
        let exports = client.new_channel();
        Commands { store, dispatch, client, exports }
    }

    /// Returns the current state. The handle is cloned for each read because it keeps alive every state that is read
    /// from it.
    fn state(&self) -> UseReducerHandle<Store> {
        self.store.clone()
    }

    pub fn open(&self, file: &File) {
        page_config::ABOUT_TRACE.into_iter().for_each(address::remove_parameter);
        let id = self.start_load(Slot::Main, file.name(), TraceSource::File(FileHandle::new(file.clone())), false);
        self.client.open(id, Slot::Main, file, None, false);
    }

    /// Opens what the user requested before the app started, and handles requests on the start screen from now on.
    pub fn take_over(&self) {
        let commands = self.clone();
        delivery::take_over(move |request| commands.open_requested(&request));
        // Only now, because the worker's earlier events may be about a load that had to be adopted first.
        self.client.start_if_none();
    }

    fn open_requested(&self, request: &StartRequest) {
        if request.is_sample {
            return self.open_sample();
        }
        if request.is_named {
            return self.open_named(request.is_opened);
        }
        let files = request.files();
        let notice = notice::of_drop(files.len(), request.folders);
        let mut files = files.into_iter();
        match files.next() {
            Some(first) => {
                if request.is_opened {
                    self.adopt(first.name(), TraceSource::File(FileHandle::new(first)));
                } else {
                    self.open(&first);
                }
                files
                    .next()
                    .into_iter()
                    .for_each(|second| self.dispatch.emit(Action::SecondQueued(SecondTrace::File(second))));
                notice.into_iter().for_each(|text| self.show_notice(Notice::info(text)));
            }
            None => self.show_notice(Notice::problem(notice.unwrap_or_default())),
        }
    }

    /// Shows a load that the worker has already started.
    fn adopt(&self, name: String, source: TraceSource) {
        self.dispatch.emit(Action::LoadAdopted { id: EARLY_LOAD, name, source });
    }

    /// Opens the trace given by `?trace=`, if any.
    fn open_named(&self, is_opened: bool) {
        let Some(named) = page_config::named_trace() else { return };
        let (name, source) = (named.name(), TraceSource::Address(named.address().to_owned()));
        if is_opened {
            self.adopt(name, source);
        } else {
            let id = self.start_load(Slot::Main, name, source, false);
            // There is no earlier screen to keep during a short load.
            self.dispatch.emit(Action::LoadShown { id });
            match &named {
                NamedTrace::SameHost(address) => self.client.open_address(id, Slot::Main, address, false),
                NamedTrace::Elsewhere(address) => {
                    let error = UserError::on_another_host(address);
                    return self.dispatch.emit(Action::LoadFailed { id, error });
                }
            }
        }
        match page_config::compared_trace() {
            Some(NamedTrace::Elsewhere(address)) => {
                self.show_notice(Notice::problem(UserError::on_another_host(&address).text));
            }
            Some(beside) => self.dispatch.emit(Action::SecondQueued(SecondTrace::Named(beside))),
            None => {}
        }
    }

    /// Opens two traces that were dropped together, to compare them.
    pub fn open_both(&self, first: &File, second: File) {
        self.open(first);
        self.dispatch.emit(Action::SecondQueued(SecondTrace::File(second)));
    }

    /// Opens a second trace to compare with the first. `is_second` means that both were dropped together.
    pub fn compare(&self, file: &File, is_second: bool) {
        let source = TraceSource::File(FileHandle::new(file.clone()));
        let id = self.start_load(Slot::Other, file.name(), source, is_second);
        self.client.open(id, Slot::Other, file, None, self.is_halved());
    }

    /// Opens a second trace, which was given together with the first.
    pub fn open_second(&self, second: &SecondTrace) {
        match second {
            SecondTrace::File(file) => self.compare(file, true),
            SecondTrace::Named(named) => {
                let source = TraceSource::Address(named.address().to_owned());
                let id = self.start_load(Slot::Other, named.name(), source, false);
                self.client.open_address(id, Slot::Other, named.address(), self.is_halved());
            }
        }
    }

    /// If the first trace was reopened with half the memory, the same limit applies to the second.
    fn is_halved(&self) -> bool {
        let state = self.state();
        let retry = state.loaded().and_then(|loaded| loaded.main.retry.as_ref());
        retry.is_some_and(|retry| retry.is_halved())
    }

    /// Swaps the two traces.
    pub fn swap(&self) {
        self.client.post(&ToWorker::Swap);
        self.dispatch.emit(Action::Swapped);
    }

    pub fn close_other(&self) {
        self.client.post(&ToWorker::CloseOther);
        self.dispatch.emit(Action::OtherClosed);
    }

    /// Reopens a trace whose worker failed. The store has already started this load.
    pub fn reopen(&self, id: RequestId, source: &TraceSource, is_halved: bool) {
        match source {
            TraceSource::File(file) => self.client.open(id, Slot::Main, file, None, is_halved),
            TraceSource::Address(address) => self.client.open_address(id, Slot::Main, address, is_halved),
            TraceSource::Host { size } => self.client.open_of_host(id, *size, is_halved),
            TraceSource::Sample => self.fetch_sample(id, is_halved),
            TraceSource::Report(whole) => self.read_report(id, whole.clone(), is_halved),
        }
    }

    /// Handles a dropped file. If a trace is open, the Compare tab compares the two, and other tabs ask the user what
    /// to do.
    pub fn take_dropped(&self, file: File) {
        let state = self.state();
        match state.is_settled() {
            true if state.view.tab == Tab::Compare => self.compare(&file, false),
            true => self.ask_about(file),
            false => self.open(&file),
        }
    }

    /// Handles a dropped folder. If a trace is open, it is searched for source code.
    pub fn take_folder(&self, folder: DroppedFolder, notice: Notice) {
        if self.state().is_settled() {
            self.dispatch.emit(Action::FolderDropped(Some(folder)));
        } else {
            self.show_notice(notice);
        }
    }

    fn ask_about(&self, file: File) {
        let commands = self.clone();
        spawn_local(async move {
            let head = first_bytes(&file).await;
            let on_kind = commands
                .dispatch
                .reform(move |is_profile| Action::FileDropped(DroppedFile { file: file.clone(), is_profile }));
            commands.client.peek(head, on_kind);
        });
    }

    pub fn answer_drop(&self, file: &File, choice: DropChoice) {
        self.dispatch.emit(Action::DropAnswered);
        match choice {
            DropChoice::Replace => self.open(file),
            DropChoice::Compare => self.compare(file, false),
            DropChoice::Cancel => {}
        }
    }

    pub fn open_sample(&self) {
        page_config::ABOUT_TRACE.into_iter().for_each(address::remove_parameter);
        let id = self.start_load(Slot::Main, SAMPLE_NAME.to_owned(), TraceSource::Sample, false);
        self.fetch_sample(id, false);
    }

    /// Opens the sample for a link to it, unless the user has already opened something else.
    pub fn open_linked_sample(&self) {
        let state = self.state();
        if state.wanted.as_ref().is_some_and(TraceId::is_sample)
            && state.load.is_none()
            && state.screen == Screen::Empty
            && !host::is_there()
        {
            self.open_sample();
        }
    }

    /// Opens the trace embedded in this report.
    pub fn open_report(&self, header: &ReportHeader) {
        let name = if header.name.is_empty() { "the trace of this report" } else { &header.name };
        let id = self.start_load(Slot::Main, name.to_owned(), TraceSource::Report(header.whole.clone()), false);
        self.read_report(id, header.whole.clone(), false);
    }

    fn read_report(&self, id: RequestId, whole: Option<Whole>, is_halved: bool) {
        match delivery::report_trace() {
            Some(file) => self.client.open(id, Slot::Main, &file, whole, is_halved),
            None => self.dispatch.emit(Action::LoadFailed { id, error: UserError::damaged_report() }),
        }
    }

    fn fetch_sample(&self, id: RequestId, is_halved: bool) {
        let commands = self.clone();
        spawn_local(async move {
            let fetched = delivery::sample().await.map_err(|reason| fetch_error(&reason));
            // The user may have opened something else in the meantime.
            if commands.state().load.as_ref().is_none_or(|load| load.id != id) {
                return;
            }
            match fetched {
                Ok(file) => commands.client.open(id, Slot::Main, &file, None, is_halved),
                Err(error) => commands.dispatch.emit(Action::LoadFailed { id, error }),
            }
        });
    }

    /// Cancels the current load.
    pub fn cancel(&self) {
        let id = self.state().newest_load;
        self.dispatch.emit(Action::LoadCanceled { id });
        self.client.post(&ToWorker::Cancel { id });
    }

    /// Shows a location in the editor that contains the page, or else in the Source tab.
    pub fn show_source(&self, location: SourceLocation) {
        let SourceLocation { file, line } = location;
        if host::is_there() {
            return host::show_source(&file, line.unwrap_or(1), None);
        }
        self.dispatch.emit(Action::View(ViewAction::Source(SourceSettings { file: Some(file), line })));
        self.dispatch.emit(Action::View(ViewAction::Tab(Tab::Source)));
    }

    pub fn set_units(&self, units: Units) {
        storage::remember_units(units);
        self.dispatch.emit(Action::UnitsChosen(units));
    }

    /// Copies the page's address, which contains the view.
    pub fn copy_link(&self) {
        let commands = self.clone();
        let opens_sample = self.state().loaded().is_some_and(|loaded| loaded.main.source == TraceSource::Sample);
        clipboard::copy(&address::whole(), move |copied| {
            commands.show_notice(match copied {
                Ok(()) if opens_sample || page_config::named_trace().is_some() => {
                    Notice::info("Link copied. It opens this trace and view.")
                }
                Ok(()) => Notice::info("Link copied. It restores this view after the same file is opened."),
                Err(NotCopied::Insecure) => {
                    Notice::problem("This page can't use the clipboard. Copy the URL from the address bar.")
                }
                Err(NotCopied::Refused) => {
                    Notice::problem("The browser blocked copying. Copy the URL from the address bar.")
                }
            });
        });
    }

    /// Returns what an export needs to query the worker and report its outcome.
    pub fn saving(&self) -> Saving {
        let commands = self.clone();
        let report = Callback::from(move |notice| commands.show_notice(notice));
        Saving { channel: QueryChannel { client: self.client.clone(), id: self.exports }, report }
    }

    pub fn show_notice(&self, notice: Notice) {
        self.dispatch.emit(Action::NoticeShown(notice));
    }

    fn start_load(&self, slot: Slot, name: String, source: TraceSource, is_second: bool) -> RequestId {
        self.dispatch.emit(Action::LoadStarted { slot, name, source, is_second });
        let id = self.state().newest_load;
        let dispatch = self.dispatch.clone();
        Timeout::new(SHOW_LOAD_AFTER_MS, move || dispatch.emit(Action::LoadShown { id })).forget();
        id
    }
}

/// Reads enough bytes to distinguish a profile from a trace, or none if the file can't be read.
async fn first_bytes(file: &File) -> Vec<u8> {
    let Ok(head) = file.slice_with_f64_and_f64(0.0, load::HEAD_BYTES as f64) else { return Vec::new() };
    let read = JsFuture::from(head.array_buffer()).await;
    read.map_or_else(|_| Vec::new(), |buffer| Uint8Array::new(&buffer).to_vec())
}

fn fetch_error(reason: &str) -> UserError {
    UserError {
        kind: "sample".to_owned(),
        text: format!("Can't download the sample: {reason}."),
        advice: "Check your connection and try again. Opening your own trace needs no network.".to_owned(),
        offset: None,
    }
}
