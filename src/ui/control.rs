//! What the reader can do, in one place: each act tells the reducer and the worker, in that order.

use std::cell::Cell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, File, Response};
use yew::Callback;

use super::address;
use super::bridge::Bridge;
use super::clipboard::{self, NotCopied};
use super::look::Look;
use super::page;
use super::parts::exporting::Export;
use super::parts::second::Choice;
use super::source::{FileHandle, Source};
use super::state::{Action, LINGER_MS, Notice, Tone};
use crate::protocol::{RequestId, Slot, UserError};

#[derive(Clone)]
pub struct Control {
    tell: Callback<Action>,
    bridge: Bridge,
    /// The newest load; an older one that comes late is dropped.
    newest: Rc<Cell<RequestId>>,
    /// The main trace was opened again with half the memory; a second trace must keep to it too.
    is_halved: Rc<Cell<bool>>,
}

impl Control {
    pub fn new(tell: Callback<Action>) -> Control {
        let newest = Rc::new(Cell::new(RequestId(0)));
        let on_death = Callback::from({
            let (tell, newest) = (tell.clone(), Rc::clone(&newest));
            move |death| tell.emit(Action::WorkerDied { death, retry: number_next(&newest) })
        });
        let bridge = Bridge::new(tell.clone(), on_death);
        Control { tell, bridge, newest, is_halved: Rc::default() }
    }

    pub fn bridge(&self) -> &Bridge {
        &self.bridge
    }

    pub fn open(&self, file: &File) {
        self.is_halved.set(false);
        let id = self.begin(Slot::Main, file.name(), Source::File(FileHandle::new(file.clone().into())));
        self.bridge.open(id, Slot::Main, file, false);
    }

    /// Opens a second trace, to compare the first with.
    pub fn compare(&self, file: &File) {
        let id = self.begin(Slot::Other, file.name(), Source::File(FileHandle::new(file.clone().into())));
        self.bridge.open(id, Slot::Other, file, self.is_halved.get());
    }

    /// Opens a trace again whose worker died. The reducer has begun this load already.
    pub fn reopen(&self, id: RequestId, source: &Source, is_halved: bool) {
        self.is_halved.set(is_halved);
        match source {
            Source::File(file) => self.bridge.open(id, Slot::Main, file, is_halved),
            Source::Sample => self.fetch_sample(id),
        }
    }

    /// Asks what a file is for that was dropped beside an open trace.
    pub fn offer(&self, file: File) {
        self.tell.emit(Action::Offered(file));
    }

    /// What the offered file is for.
    pub fn decide(&self, file: &File, choice: Choice) {
        self.tell.emit(Action::Decided);
        match choice {
            Choice::Replace => self.open(file),
            Choice::Compare => self.compare(file),
            Choice::Neither => {}
        }
    }

    /// Opens one of several files and says so.
    pub fn open_with_notice(&self, file: &File, notice: Notice) {
        self.open(file);
        self.notice(notice);
    }

    pub fn open_sample(&self) {
        self.is_halved.set(false);
        let id = self.begin(Slot::Main, "the sample".to_owned(), Source::Sample);
        self.fetch_sample(id);
    }

    fn fetch_sample(&self, id: RequestId) {
        let url = page::sample_url().unwrap_or_default();
        let control = self.clone();
        spawn_local(async move {
            let fetched = fetch(&url).await;
            if control.newest.get() != id {
                return;
            }
            match fetched {
                Ok(file) => control.bridge.open(id, Slot::Main, &file, control.is_halved.get()),
                Err(error) => control.tell.emit(Action::Missed { id, error }),
            }
        });
    }

    /// Stops the load under way.
    pub fn cancel(&self) {
        let id = self.newest.get();
        number_next(&self.newest);
        self.tell.emit(Action::GaveUp { id });
        self.bridge.cancel(id);
    }

    pub fn go_back(&self) {
        self.tell.emit(Action::WentBack);
    }

    /// Puts the address, which says all that the reader has set, on the clipboard.
    pub fn copy_link(&self) {
        let control = self.clone();
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
            control.notice(Notice { tone, text: text.to_owned() });
        });
    }

    /// Saves what is shown as a file; what that is, the address says.
    pub fn export(&self, export: Export) {
        let control = self.clone();
        let look = Look::from_hash(&address::settled());
        export.save(&self.bridge, &look, move |tone, text| control.notice(Notice { tone, text }));
    }

    pub fn notice(&self, notice: Notice) {
        self.tell.emit(Action::Noticed(notice));
    }

    fn begin(&self, slot: Slot, name: String, source: Source) -> RequestId {
        let id = number_next(&self.newest);
        self.tell.emit(Action::Began { id, slot, name, source });
        let tell = self.tell.clone();
        Timeout::new(LINGER_MS, move || tell.emit(Action::Lingered { id })).forget();
        id
    }
}

fn number_next(newest: &Cell<RequestId>) -> RequestId {
    let id = RequestId(newest.get().0.wrapping_add(1));
    newest.set(id);
    id
}

async fn fetch(url: &str) -> Result<Blob, UserError> {
    let answer = JsFuture::from(gloo::utils::window().fetch_with_str(url)).await.map_err(|_| missed("no answer"))?;
    let response: Response = answer.unchecked_into();
    if !response.ok() {
        return Err(missed(&format!("the server answered {}", response.status())));
    }
    let blob = match response.blob() {
        Ok(blob) => JsFuture::from(blob).await,
        Err(error) => Err(error),
    };
    blob.map(JsValue::unchecked_into).map_err(|_| missed("the answer broke off"))
}

fn missed(reason: &str) -> UserError {
    UserError {
        kind: "sample".to_owned(),
        text: format!("The sample could not be fetched: {reason}."),
        advice: "Check the connection and try again, or open a trace of your own: that needs no network.".to_owned(),
        offset: None,
    }
}
