//! Owns the worker. Messages wait here until it is ready; when it dies the page is told, and another takes its place, so
//! that the next file can be opened.
//!
//! A worker that dies before it was ready is not replaced at once, since its successor would die of the same: only when
//! the reader opens something.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, ErrorEvent, Event, MessageEvent, Url, Worker, WorkerOptions, WorkerType};
use yew::Callback;

use super::page;
use super::state::{Action, WorkerState};
use crate::protocol::{FromWorker, RequestId, ToWorker};
use crate::wire;

/// A worker that is not ready by then is late, and the reader is told; it may still come.
const LATE_MS: u32 = 10_000;

#[derive(Clone)]
pub struct Bridge(Rc<Inner>);

struct Inner {
    tell: Callback<Action>,
    running: RefCell<Option<Running>>,
}

/// Dropping it ends the worker and stops listening to it.
struct Running {
    worker: Worker,
    /// The address of the blob it was started from.
    start: String,
    ready: bool,
    /// Packed messages that wait for the worker to be ready.
    waiting: Vec<JsValue>,
    _listeners: [EventListener; 3],
    /// None once the worker is ready.
    watchdog: Option<Timeout>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.terminate();
        let _ = Url::revoke_object_url(&self.start);
    }
}

impl Bridge {
    pub fn new(tell: Callback<Action>) -> Bridge {
        let bridge = Bridge(Rc::new(Inner { tell, running: RefCell::new(None) }));
        bridge.start();
        bridge
    }

    pub fn open(&self, id: RequestId, file: &Blob) {
        if self.0.running.borrow().is_none() {
            self.start();
        }
        self.post(&ToWorker::Open { id }, Some(file));
    }

    pub fn cancel(&self, id: RequestId) {
        self.post(&ToWorker::Cancel { id }, None);
    }

    fn post(&self, message: &ToWorker, file: Option<&Blob>) {
        let packed = match wire::pack(message, file) {
            Ok(packed) => packed,
            Err(error) => return self.bury(&error.to_string()),
        };
        let mut running = self.0.running.borrow_mut();
        let Some(running) = running.as_mut() else { return };
        if running.ready {
            // Plain data and a File can always be cloned, the only thing a post can fail at.
            let _ = running.worker.post_message(&packed);
        } else {
            running.waiting.push(packed);
        }
    }

    fn start(&self) {
        self.0.tell.emit(Action::Worker(WorkerState::default()));
        let (worker, start) = match spawn() {
            Ok(spawned) => spawned,
            Err(report) => return self.tell_death(false, report),
        };
        let on_message = self.listener(&worker, "message", Bridge::hear);
        let on_error = self.listener(&worker, "error", |bridge, event| {
            // An Event without a message: the script itself could not be had.
            let report = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
            bridge.bury(&report);
        });
        let on_message_error = self.listener(&worker, "messageerror", |bridge, _| {
            bridge.bury("a message from the worker could not be read");
        });
        let tell = self.0.tell.clone();
        let watchdog = Timeout::new(LATE_MS, move || tell.emit(Action::Worker(WorkerState::Starting { late: true })));
        *self.0.running.borrow_mut() = Some(Running {
            worker,
            start,
            ready: false,
            waiting: Vec::new(),
            _listeners: [on_message, on_error, on_message_error],
            watchdog: Some(watchdog),
        });
    }

    fn listener(&self, worker: &Worker, kind: &'static str, handle: fn(&Bridge, &Event)) -> EventListener {
        let inner = Rc::downgrade(&self.0);
        EventListener::new(worker, kind, move |event| {
            if let Some(inner) = inner.upgrade() {
                handle(&Bridge(inner), event);
            }
        })
    }

    fn hear(&self, event: &Event) {
        let data = event.unchecked_ref::<MessageEvent>().data();
        match wire::unpack::<FromWorker>(&data) {
            Ok((message, _)) => {
                if message == FromWorker::Ready {
                    self.release();
                }
                self.0.tell.emit(Action::Heard(message));
            }
            Err(error) => self.bury(&error.to_string()),
        }
    }

    /// The worker is ready: no more watching, and what waited goes out.
    fn release(&self) {
        if let Some(running) = self.0.running.borrow_mut().as_mut() {
            running.ready = true;
            running.watchdog = None;
            for packed in running.waiting.drain(..) {
                let _ = running.worker.post_message(&packed);
            }
        }
    }

    fn bury(&self, report: &str) {
        let ended = self.0.running.borrow_mut().take();
        let started = ended.is_some_and(|running| running.ready);
        self.tell_death(started, report.to_owned());
        if started {
            self.start();
        }
    }

    fn tell_death(&self, started: bool, report: String) {
        self.0.tell.emit(Action::WorkerDied { started, report });
    }
}

/// A worker, and the address of the blob it was started from.
///
/// Browsers give a worker that comes from the network the policy of its own response, which on a static host is none: it
/// could send what it reads anywhere. One that comes from a blob has the page's policy. So the worker starts from a blob
/// of one line, and the page's policy allows no other workers.
fn spawn() -> Result<(Worker, String), String> {
    let in_words = |error: JsValue| format!("{error:?}");
    let address = page::worker_url().ok_or("the page does not name its worker")?;
    let line = format!("import(\"{address}\").catch(reportError);");
    let properties = BlobPropertyBag::new();
    properties.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&line.into()), &properties).map_err(in_words)?;
    let start = Url::create_object_url_with_blob(&blob).map_err(in_words)?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(&start, &options).map_err(in_words)?;
    Ok((worker, start))
}
