//! What the user can do that needs more than the store: the worker, the clipboard, a file. Each command dispatches to the
//! store first and talks to the worker after that.

pub mod export;

use std::cell::Cell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, File, Response};
use yew::Callback;

use self::export::{Export, Job};
use crate::format::Units;
use crate::load;
use crate::protocol::{Channel, RequestId, Slot, UserError};
use crate::ui::platform::address;
use crate::ui::platform::clipboard::{self, NotCopied};
use crate::ui::platform::page_config;
use crate::ui::platform::storage;
use crate::ui::query::{QueryChannel, WorkerClient};
use crate::ui::store::action::Action;
use crate::ui::store::notice::{Notice, Tone};
use crate::ui::store::offer::Offer;
use crate::ui::store::source::{FileHandle, Source};
use crate::ui::store::state::{Loaded, SHOW_LOAD_AFTER_MS};
use crate::ui::store::view::ViewState;

/// What a file that was dropped beside an open trace is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferChoice {
    Replace,
    Compare,
    Cancel,
}

#[derive(Clone)]
pub struct Commands {
    dispatch: Callback<Action>,
    client: WorkerClient,
    /// The newest load. A file that arrives for an older one is dropped.
    newest: Rc<Cell<RequestId>>,
    /// The main trace was opened again with half the memory, so a second trace must keep to it too.
    is_halved: Rc<Cell<bool>>,
    exports: Channel,
}

/// There is one set of commands, which never changes.
impl PartialEq for Commands {
    fn eq(&self, other: &Commands) -> bool {
        self.client == other.client
    }
}

impl Commands {
    pub fn new(dispatch: Callback<Action>) -> Commands {
        let newest = Rc::new(Cell::new(RequestId(0)));
        let on_failure = Callback::from({
            let (dispatch, newest) = (dispatch.clone(), Rc::clone(&newest));
            move |failure| dispatch.emit(Action::WorkerFailed { failure, retry: next_id(&newest) })
        });
        let client = WorkerClient::new(dispatch.clone(), on_failure);
        let exports = client.new_channel();
        Commands { dispatch, client, newest, is_halved: Rc::default(), exports }
    }

    pub fn client(&self) -> &WorkerClient {
        &self.client
    }

    pub fn open(&self, file: &File) {
        self.is_halved.set(false);
        let id = self.start_load(Slot::Main, file.name(), Source::File(FileHandle::new(file.clone().into())), false);
        self.client.open(id, Slot::Main, file, false);
    }

    /// Opens two traces that were dropped at once, to compare them.
    pub fn open_both(&self, first: &File, second: File) {
        self.open(first);
        self.dispatch.emit(Action::SecondQueued(second));
    }

    /// Opens a second trace, to compare the first with. `is_second`: both were dropped at once.
    pub fn compare(&self, file: &File, is_second: bool) {
        let source = Source::File(FileHandle::new(file.clone().into()));
        let id = self.start_load(Slot::Other, file.name(), source, is_second);
        self.client.open(id, Slot::Other, file, self.is_halved.get());
    }

    /// The two traces change places.
    pub fn swap(&self) {
        self.client.swap();
        self.dispatch.emit(Action::Swapped);
    }

    pub fn close_other(&self) {
        self.client.close_other();
        self.dispatch.emit(Action::OtherClosed);
    }

    /// Opens a trace again whose worker failed. The store has started this load already.
    pub fn reopen(&self, id: RequestId, source: &Source, is_halved: bool) {
        self.is_halved.set(is_halved);
        match source {
            Source::File(file) => self.client.open(id, Slot::Main, file, is_halved),
            Source::Sample => self.fetch_sample(id),
        }
    }

    /// Asks what a file is for that was dropped beside an open trace.
    pub fn offer(&self, file: File) {
        let dispatch = self.dispatch.clone();
        spawn_local(async move {
            let is_profile = load::begins_a_profile(&first_bytes(&file).await);
            dispatch.emit(Action::FileOffered(Offer { file, is_profile }));
        });
    }

    pub fn close_offer(&self, file: &File, choice: OfferChoice) {
        self.dispatch.emit(Action::OfferClosed);
        match choice {
            OfferChoice::Replace => self.open(file),
            OfferChoice::Compare => self.compare(file, false),
            OfferChoice::Cancel => {}
        }
    }

    pub fn open_sample(&self) {
        self.is_halved.set(false);
        let id = self.start_load(Slot::Main, "the sample".to_owned(), Source::Sample, false);
        self.fetch_sample(id);
    }

    fn fetch_sample(&self, id: RequestId) {
        let url = page_config::sample_url().unwrap_or_default();
        let commands = self.clone();
        spawn_local(async move {
            let fetched = fetch(&url).await;
            if commands.newest.get() != id {
                return;
            }
            match fetched {
                Ok(file) => commands.client.open(id, Slot::Main, &file, commands.is_halved.get()),
                Err(error) => commands.dispatch.emit(Action::LoadFailed { id, error }),
            }
        });
    }

    /// Stops the load under way.
    pub fn cancel(&self) {
        let id = self.newest.get();
        next_id(&self.newest);
        self.dispatch.emit(Action::LoadCancelled { id });
        self.client.cancel(id);
    }

    pub fn set_units(&self, units: Units) {
        self.client.set_units(units);
        storage::remember_units(units);
        self.dispatch.emit(Action::UnitsChosen(units));
    }

    /// Copies the address, which holds all that the user has set.
    pub fn copy_link(&self) {
        let commands = self.clone();
        clipboard::copy(&address::whole(), move |copied| {
            let (tone, text) = match copied {
                Ok(()) => (Tone::Info, "The link is copied. It opens this view once the same file is dropped."),
                Err(NotCopied::Insecure) => {
                    (Tone::Problem, "This page may not use the clipboard: copy the address from the browser's own bar.")
                }
                Err(NotCopied::Refused) => {
                    (Tone::Problem, "The browser did not let the page copy. Copy the address from its bar.")
                }
            };
            commands.show_notice(Notice { tone, text: text.to_owned() });
        });
    }

    /// Saves what is shown as a file.
    pub fn export(&self, export: Export, view_state: &ViewState, loaded: &Loaded) {
        let commands = self.clone();
        let report = Callback::from(move |notice| commands.show_notice(notice));
        let channel = QueryChannel::new(self.client.clone(), self.exports);
        Job::new(export, channel, view_state, loaded, report).run();
    }

    pub fn show_notice(&self, notice: Notice) {
        self.dispatch.emit(Action::NoticeShown(notice));
    }

    fn start_load(&self, slot: Slot, name: String, source: Source, is_second: bool) -> RequestId {
        let id = next_id(&self.newest);
        self.dispatch.emit(Action::LoadStarted { id, slot, name, source, is_second });
        let dispatch = self.dispatch.clone();
        Timeout::new(SHOW_LOAD_AFTER_MS, move || dispatch.emit(Action::LoadShown { id })).forget();
        id
    }
}

/// As many as tell a profile from a trace; none of a file that cannot be read.
async fn first_bytes(file: &File) -> Vec<u8> {
    let Ok(head) = file.slice_with_f64_and_f64(0.0, load::HEAD_BYTES as f64) else { return Vec::new() };
    let read = JsFuture::from(head.array_buffer()).await;
    read.map_or_else(|_| Vec::new(), |buffer| Uint8Array::new(&buffer).to_vec())
}

fn next_id(newest: &Cell<RequestId>) -> RequestId {
    let id = RequestId(newest.get().0.wrapping_add(1));
    newest.set(id);
    id
}

async fn fetch(url: &str) -> Result<Blob, UserError> {
    let answer =
        JsFuture::from(gloo::utils::window().fetch_with_str(url)).await.map_err(|_| fetch_error("no answer"))?;
    let response: Response = answer.unchecked_into();
    if !response.ok() {
        return Err(fetch_error(&format!("the server answered {}", response.status())));
    }
    let blob = match response.blob() {
        Ok(blob) => JsFuture::from(blob).await,
        Err(error) => Err(error),
    };
    blob.map(JsValue::unchecked_into).map_err(|_| fetch_error("the answer broke off"))
}

fn fetch_error(reason: &str) -> UserError {
    UserError {
        kind: "sample".to_owned(),
        text: format!("The sample could not be fetched: {reason}."),
        advice: "Check the connection and try again, or open a trace of your own: that needs no network.".to_owned(),
        offset: None,
    }
}
