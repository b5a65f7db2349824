//! The client of the worker. It starts the worker, keeps messages until the worker is ready, sends queries and hands out
//! their answers. When the worker fails, the client reports that and starts another one, so that the page can open the
//! trace again, or the user another one.
//!
//! A worker that fails before it was ready is not replaced at once, since the next one would fail alike, but only when the
//! user opens something.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, ErrorEvent, Event, MessageEvent, Url, Worker, WorkerOptions, WorkerType};
use yew::Callback;

use super::batches::{Batches, Query};
use super::event::{QueryEvent, SharedAnswer};
use crate::format::{self, Units};
use crate::protocol::{Channel, FromWorker, Request, RequestId, Slot, ToWorker};
use crate::ui::platform::page_config;
use crate::ui::store::action::Action;
use crate::ui::store::worker::{WorkerFailure, WorkerState};
use crate::wire;

/// A worker that is not ready by then is late. The page says so; the worker may still come.
const LATE_MS: u32 = 10_000;

/// The next batch of queries waits no longer than this for an answer.
const BATCH_MS: u32 = 150;

#[derive(Clone)]
pub struct WorkerClient(Rc<Inner>);

struct Inner {
    dispatch: Callback<Action>,
    on_failure: Callback<WorkerFailure>,
    running: RefCell<Option<Running>>,
    batches: RefCell<Batches>,
    next_request: Cell<u32>,
    next_channel: Cell<u32>,
    is_busy: Cell<bool>,
    /// Called when the page begins or ends to wait for answers.
    on_busy: RefCell<Callback<bool>>,
}

impl PartialEq for WorkerClient {
    fn eq(&self, other: &WorkerClient) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
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

impl WorkerClient {
    pub fn new(dispatch: Callback<Action>, on_failure: Callback<WorkerFailure>) -> WorkerClient {
        let client = WorkerClient(Rc::new(Inner {
            dispatch,
            on_failure,
            running: RefCell::new(None),
            batches: RefCell::default(),
            next_request: Cell::new(0),
            next_channel: Cell::new(0),
            is_busy: Cell::new(false),
            on_busy: RefCell::new(Callback::noop()),
        }));
        // After the first rendering: starting a worker takes a while, and nobody waits for it yet.
        let starting = client.clone();
        Timeout::new(0, move || starting.start_if_none()).forget();
        client
    }

    /// `is_halved`: with half the memory that a trace gets otherwise.
    pub fn open(&self, id: RequestId, slot: Slot, file: &Blob, is_halved: bool) {
        self.start_if_none();
        self.post(&ToWorker::Open { id, slot, memory: page_config::memory(), is_halved }, Some(file));
    }

    /// Tells the worker that a file may come soon.
    pub fn expect_file(&self) {
        self.post(&ToWorker::Expect, None);
    }

    /// A channel that nobody else has. A query replaces the older one of its channel.
    pub fn new_channel(&self) -> Channel {
        Channel(self.0.next_channel.replace(self.0.next_channel.get().wrapping_add(1)))
    }

    /// Sends a query, now or with the next batch. It replaces an older one of the same channel.
    pub fn query(&self, channel: Channel, request: Request, on_event: Callback<QueryEvent>) {
        let admitted = self.0.batches.borrow_mut().admit(Query { channel, request, on_event });
        if let Some(query) = admitted {
            self.send(query);
        }
    }

    fn send(&self, query: Query) {
        let id = RequestId(self.0.next_request.replace(self.0.next_request.get().wrapping_add(1)));
        self.0.batches.borrow_mut().sent(id, &query);
        self.report_busy();
        self.limit_batch(id);
        self.post(&ToWorker::Ask { id, channel: query.channel, request: query.request }, None);
    }

    fn begin_next_batch(&self) {
        let queries = self.0.batches.borrow_mut().begin_next();
        queries.into_iter().for_each(|query| self.send(query));
    }

    fn begin_next_batch_if_done(&self) {
        if !self.0.batches.borrow().has_pending() {
            self.begin_next_batch();
        }
        self.report_busy();
    }

    /// Lets the next batch begin without this answer once [`BATCH_MS`] have passed.
    fn limit_batch(&self, id: RequestId) {
        let inner = Rc::downgrade(&self.0);
        let on_time = move || {
            let Some(client) = inner.upgrade().map(WorkerClient) else { return };
            let (is_pending, has_next) = {
                let batches = client.0.batches.borrow();
                (batches.is_pending(id), batches.has_next())
            };
            if is_pending && has_next {
                client.begin_next_batch();
            }
            if is_pending {
                client.limit_batch(id);
            }
        };
        Timeout::new(BATCH_MS, on_time).forget();
    }

    /// Cancels the queries of a channel.
    pub fn forget(&self, channel: Channel) {
        let is_working = self.0.batches.borrow_mut().forget(channel);
        if is_working {
            self.post(&ToWorker::Forget { channel }, None);
        }
        self.begin_next_batch_if_done();
    }

    /// Calls back whenever the page begins or ends to wait for answers. It replaces the callback before.
    pub fn set_on_busy(&self, on_busy: Callback<bool>) {
        on_busy.emit(self.0.is_busy.get());
        *self.0.on_busy.borrow_mut() = on_busy;
    }

    fn report_busy(&self) {
        let is_busy = self.0.batches.borrow().has_pending();
        if self.0.is_busy.replace(is_busy) != is_busy {
            // For tests: whether every query is answered.
            let _ = gloo::utils::body().set_attribute("data-idle", &(!is_busy).to_string());
            let on_busy = self.0.on_busy.borrow().clone();
            on_busy.emit(is_busy);
        }
    }

    /// Sets the units of all amounts of bytes, on the page and in the worker's texts.
    pub fn set_units(&self, units: Units) {
        format::set_units(units);
        self.post(&ToWorker::Units(units), None);
    }

    /// The two traces change places in the worker.
    pub fn swap(&self) {
        self.post(&ToWorker::Swap, None);
    }

    pub fn close_other(&self) {
        self.post(&ToWorker::CloseOther, None);
    }

    pub fn cancel(&self, id: RequestId) {
        self.post(&ToWorker::Cancel { id }, None);
    }

    fn post(&self, message: &ToWorker, file: Option<&Blob>) {
        let packed = match wire::pack(message, file) {
            Ok(packed) => packed,
            Err(error) => return self.fail(&error.to_string()),
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

    fn start_if_none(&self) {
        if self.0.running.borrow().is_none() {
            self.start();
        }
    }

    fn start(&self) {
        self.0.dispatch.emit(Action::WorkerChanged(WorkerState::default()));
        let (worker, start) = match spawn() {
            Ok(spawned) => spawned,
            Err(report) => return self.report_failure(false, &report),
        };
        let on_message = self.listener(&worker, "message", WorkerClient::on_message);
        let on_error = self.listener(&worker, "error", |client, event| {
            // An Event without a message: the script itself could not be had.
            let report = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
            client.fail(&report);
        });
        let on_message_error = self.listener(&worker, "messageerror", |client, _| {
            client.fail("a message from the worker could not be read");
        });
        let dispatch = self.0.dispatch.clone();
        let watchdog =
            Timeout::new(LATE_MS, move || dispatch.emit(Action::WorkerChanged(WorkerState::Starting { late: true })));
        *self.0.running.borrow_mut() = Some(Running {
            worker,
            start,
            ready: false,
            waiting: Vec::new(),
            _listeners: [on_message, on_error, on_message_error],
            watchdog: Some(watchdog),
        });
        self.post(&ToWorker::Units(format::units()), None);
    }

    fn listener(&self, worker: &Worker, kind: &'static str, handle: fn(&WorkerClient, &Event)) -> EventListener {
        let inner = Rc::downgrade(&self.0);
        EventListener::new(worker, kind, move |event| {
            if let Some(inner) = inner.upgrade() {
                handle(&WorkerClient(inner), event);
            }
        })
    }

    fn on_message(&self, event: &Event) {
        let data = event.unchecked_ref::<MessageEvent>().data();
        match wire::unpack::<FromWorker>(data) {
            Ok((FromWorker::Working { id, share }, _)) => {
                let listener = self.0.batches.borrow().listener(id);
                if let Some(listener) = listener {
                    listener.emit(QueryEvent::Progress(share));
                }
            }
            Ok((FromWorker::Answered { id, answer, took_ms }, _)) => {
                let answered = self.0.batches.borrow_mut().take(id);
                if let Some((listener, newer)) = answered {
                    listener.emit(QueryEvent::Finished(answer.map(SharedAnswer::from), took_ms));
                    if let Some(newer) = newer {
                        newer.emit(QueryEvent::Progress(0.0));
                    }
                    self.begin_next_batch_if_done();
                }
            }
            Ok((message, _)) => {
                if message == FromWorker::Ready {
                    self.release();
                }
                self.0.dispatch.emit(Action::WorkerMessage(message));
            }
            Err(error) => self.fail(&error.to_string()),
        }
    }

    /// Sends the messages that waited for the worker.
    fn release(&self) {
        if let Some(running) = self.0.running.borrow_mut().as_mut() {
            running.ready = true;
            running.watchdog = None;
            for packed in running.waiting.drain(..) {
                let _ = running.worker.post_message(&packed);
            }
        }
    }

    fn fail(&self, report: &str) {
        let ended = self.0.running.borrow_mut().take();
        let started = ended.is_some_and(|running| running.ready);
        // Pending queries get no answer.
        self.0.batches.take();
        self.report_busy();
        self.report_failure(started, report);
        if started {
            self.start_if_none();
        }
    }

    fn report_failure(&self, started: bool, report: &str) {
        self.0.on_failure.emit(WorkerFailure::new(started, report));
    }
}

/// A worker, and the address of the blob it was started from.
///
/// Browsers give a worker that comes from the network the policy of its own response, which on a static host is none: it
/// could send what it reads anywhere. One that comes from a blob has the page's policy. So the worker starts from a blob
/// of a few lines, and the page's policy allows no other workers. Its first message is the page's own module.
fn spawn() -> Result<(Worker, String), String> {
    let in_words = |error: JsValue| format!("{error:?}");
    let address = page_config::worker_url().ok_or("the page does not name its worker")?;
    let lines = format!(
        "const module = new Promise((take) => addEventListener('message', (event) => take(event.data), {{ once: true }}));
        import('{address}').then((boot) => boot.start(module)).catch(reportError);"
    );
    let properties = BlobPropertyBag::new();
    properties.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&lines.into()), &properties).map_err(in_words)?;
    let start = Url::create_object_url_with_blob(&blob).map_err(in_words)?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(&start, &options).map_err(in_words)?;
    worker.post_message(&wasm_bindgen::module()).map_err(in_words)?;
    Ok((worker, start))
}
