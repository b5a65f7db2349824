//! The worker's client. It starts the worker, queues messages until the worker is ready, sends queries and delivers the
//! responses. If the worker fails, the client reports it and starts a new one, so that a trace can be opened again.
//!
//! If a worker fails before it is ready, the next one would fail too. So it is replaced only when the user opens
//! something.

use std::cell::{Cell, RefCell};
use std::mem;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use js_sys::{Array, Date};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, ErrorEvent, Event, MessageEvent, Url, Worker};
use yew::Callback;

use crate::ui::platform::delivery::{self, StartedWorker};
use crate::ui::platform::{host, page_config, recent_files};
use crate::ui::store::Action;
use crate::wire;
use camlscope_engine::protocol::{Channel, FromWorker, Request, RequestId, Slot, ToWorker, Whole};
use camlscope_engine::query::filter::Filter;
use camlscope_present::words::errors::UserError;
use camlscope_view::page::query::batches::{BatchedQuery, Batches};
use camlscope_view::page::query::event::{QueryEvent, SharedAnswer};
use camlscope_view::page::query::pace::Pace;
use camlscope_view::page::store::worker::{WorkerFailure, WorkerState};

/// After this time, the page shows that the worker is late. The worker may still start.
const LATE_MS: u32 = 10_000;

/// The longest time that the next batch waits for a response.
const BATCH_MS: u32 = 150;

/// A copy of the trace as base64, and the original trace's totals.
pub type EmbeddedCopy = Result<(Whole, Blob), UserError>;

#[derive(Clone)]
pub struct WorkerClient(Rc<Inner>);

#[derive(Default)]
struct Inner {
    dispatch: Callback<Action>,
    running: RefCell<Option<Running>>,
    batches: RefCell<Batches<Callback<QueryEvent>>>,
    /// The pending copy for a report.
    embedding: RefCell<Option<(RequestId, Callback<EmbeddedCopy>)>>,
    /// The callback waiting to learn whether a file is a profile.
    peeking: RefCell<Option<Callback<bool>>>,
    pace: RefCell<Pace>,
    next_request: Cell<u32>,
    next_channel: Cell<u32>,
    is_busy: Cell<bool>,
    /// Responses about the entire trace, each with the trace's generation.
    kept: RefCell<Vec<(u32, Request, SharedAnswer)>>,
    /// Called when the first query becomes pending and when the last one is answered.
    on_busy: RefCell<Callback<bool>>,
}

impl PartialEq for WorkerClient {
    fn eq(&self, other: &WorkerClient) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Dropping it terminates the worker and removes the listeners.
struct Running {
    worker: Worker,
    /// The URL of the blob it was started from.
    url: String,
    ready: bool,
    /// Messages to send once the worker is ready.
    waiting: Vec<Parcel>,
    _listeners: [EventListener; 3],
    /// `None` once the worker is ready.
    watchdog: Option<Timeout>,
}

/// An encoded message and the objects to transfer.
type Parcel = (JsValue, Array);

impl Running {
    fn post(&self, (encoded, transferred): &Parcel) {
        // Plain data, a file and an unused port can always be posted.
        let _ = self.worker.post_message_with_transfer(encoded, transferred);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.terminate();
        let _ = Url::revoke_object_url(&self.url);
    }
}

impl WorkerClient {
    pub fn new(dispatch: Callback<Action>) -> WorkerClient {
        WorkerClient(Rc::new(Inner { dispatch, ..Inner::default() }))
    }

    /// `whole` has the original trace's totals if the file is a copy. `is_halved` limits the trace to half the
    /// usual memory.
    pub fn open(&self, id: RequestId, slot: Slot, file: &Blob, whole: Option<Whole>, is_halved: bool) {
        self.start_if_none();
        let (bytes_total, memory) = (file.size() as u64, page_config::memory());
        let may_grow = recent_files::is_available() && wire::is_fresh(file);
        let open = ToWorker::Open { id, slot, bytes_total, whole, memory, is_halved, may_grow };
        self.post_with(&open, Some(file));
    }

    /// Like [`WorkerClient::open`], for the host's file.
    pub fn open_of_host(&self, id: RequestId, bytes_total: u64, is_halved: bool) {
        self.start_if_none();
        let (slot, whole, memory, may_grow) = (Slot::Main, None, page_config::memory(), false);
        let open = ToWorker::Open { id, slot, bytes_total, whole, memory, is_halved, may_grow };
        self.post_beside(&open, host::file_for_worker(bytes_total));
    }

    /// Whether new data can be loaded now without delaying queries.
    pub fn may_follow(&self) -> bool {
        !self.0.is_busy.get() && self.0.pace.borrow().may_begin(Date::now())
    }

    /// Loads the data that was appended to the main trace's file.
    pub fn follow(&self, file: &Blob) {
        self.0.pace.borrow_mut().begin(Date::now());
        self.post_with(&ToWorker::Follow, Some(file));
    }

    /// The same for a file on the page's own server, if there is new data.
    pub fn follow_address(&self, address: &str) {
        self.0.pace.borrow_mut().begin(Date::now());
        self.post(&ToWorker::FollowAddress { address: address.to_owned() });
    }

    /// Requests a copy of the main trace for a report. Replaces a pending request.
    pub fn embed(&self, filter: Filter, max_bytes: u64, is_anonymized: bool, on_copy: Callback<EmbeddedCopy>) {
        let id = self.next_request();
        *self.0.embedding.borrow_mut() = Some((id, on_copy));
        self.post(&ToWorker::Embed { id, filter, max_bytes, is_anonymized });
    }

    /// Calls back with whether a file with these first bytes is a profile. Replaces a pending request.
    pub fn peek(&self, head: Vec<u8>, on_kind: Callback<bool>) {
        *self.0.peeking.borrow_mut() = Some(on_kind);
        self.post(&ToWorker::Peek { head });
    }

    /// Like [`WorkerClient::open`], for a file on the page's own server. `address` is a full URL.
    pub fn open_address(&self, id: RequestId, slot: Slot, address: &str, is_halved: bool) {
        self.start_if_none();
        let (memory, address) = (page_config::memory(), address.to_owned());
        let may_grow = slot == Slot::Main && page_config::is_followed();
        self.post(&ToWorker::OpenAddress { id, slot, memory, may_grow, is_halved, address });
    }

    /// Returns a new channel. A query replaces the previous one of its channel.
    pub fn new_channel(&self) -> Channel {
        Channel(self.0.next_channel.replace(self.0.next_channel.get().wrapping_add(1)))
    }

    /// Sends a query now or with the next batch. It replaces the previous one of its channel.
    pub fn query(&self, channel: Channel, request: Request, on_event: Callback<QueryEvent>) {
        let admitted = self.0.batches.borrow_mut().admit(BatchedQuery { channel, request, on_event });
        if let Some(query) = admitted {
            self.send(query);
        }
    }

    /// Returns a response that [`WorkerClient::keep`] has stored.
    pub fn kept(&self, generation: u32, request: &Request) -> Option<SharedAnswer> {
        let kept = self.0.kept.borrow();
        let found = kept.iter().find(|(of, kept, _)| *of == generation && kept == request);
        found.map(|(.., answer)| answer.clone())
    }

    /// Stores a response until there is one about another trace.
    pub fn keep(&self, generation: u32, request: Request, answer: SharedAnswer) {
        let mut kept = self.0.kept.borrow_mut();
        kept.retain(|(of, other, _)| *of == generation && *other != request);
        kept.push((generation, request, answer));
    }

    fn next_request(&self) -> RequestId {
        RequestId(self.0.next_request.replace(self.0.next_request.get().wrapping_add(1)))
    }

    fn send(&self, query: BatchedQuery<Callback<QueryEvent>>) {
        let id = self.next_request();
        self.0.batches.borrow_mut().sent(id, &query);
        self.report_busy();
        self.limit_batch(id);
        self.post(&ToWorker::Ask { id, channel: query.channel, request: query.request });
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

    /// Lets the next batch start without this response after [`BATCH_MS`].
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
            self.post(&ToWorker::Forget { channel });
        }
        self.begin_next_batch_if_done();
    }

    /// Sets the callback for when the page starts or stops waiting for responses. Replaces the previous callback.
    pub fn set_on_busy(&self, on_busy: Callback<bool>) {
        on_busy.emit(self.0.is_busy.get());
        *self.0.on_busy.borrow_mut() = on_busy;
    }

    fn report_busy(&self) {
        let is_busy = self.0.batches.borrow().has_pending();
        if self.0.is_busy.replace(is_busy) != is_busy {
            // For tests: whether all queries are answered.
            let _ = gloo::utils::body().set_attribute("data-idle", &(!is_busy).to_string());
            let on_busy = self.0.on_busy.borrow().clone();
            on_busy.emit(is_busy);
        }
    }

    /// Sends a message as soon as the worker is ready.
    pub fn post(&self, message: &ToWorker) {
        self.post_with(message, None);
    }

    fn post_with(&self, message: &ToWorker, file: Option<&Blob>) {
        self.post_beside(message, file.map_or(Ok((JsValue::UNDEFINED, Array::new())), delivery::file_for_worker));
    }

    /// `beside` is a value to send with the message, and the objects to transfer.
    fn post_beside(&self, message: &ToWorker, beside: Result<Parcel, JsValue>) {
        let parcel = beside.and_then(|(beside, transferred)| {
            Ok((wire::encode(message, beside).map_err(|error| error.to_string())?, transferred))
        });
        let parcel = match parcel {
            Ok(parcel) => parcel,
            Err(error) => return self.fail(&format!("{error:?}")),
        };
        match self.0.running.borrow_mut().as_mut() {
            Some(running) if running.ready => running.post(&parcel),
            Some(running) => running.waiting.push(parcel),
            None => {}
        }
    }

    /// Starts a worker unless one is running, and handles the events that it has already sent.
    pub fn start_if_none(&self) {
        if self.0.running.borrow().is_none() {
            self.start();
        }
    }

    fn start(&self) {
        self.0.dispatch.emit(Action::WorkerChanged(WorkerState::default()));
        let StartedWorker { worker, url, events } = match delivery::start_worker() {
            Ok(started) => started,
            Err(report) => return self.report_failure(false, &report),
        };
        let listeners = ["message", "error", "messageerror"].map(|kind| self.listener(&worker, kind));
        let dispatch = self.0.dispatch.clone();
        let watchdog =
            Timeout::new(LATE_MS, move || dispatch.emit(Action::WorkerChanged(WorkerState::Starting { late: true })));
        *self.0.running.borrow_mut() = Some(Running {
            worker,
            url,
            ready: false,
            waiting: Vec::new(),
            _listeners: listeners,
            watchdog: Some(watchdog),
        });
        events.iter().for_each(|event| self.on_event(event.unchecked_ref()));
    }

    fn listener(&self, worker: &Worker, kind: &'static str) -> EventListener {
        let inner = Rc::downgrade(&self.0);
        EventListener::new(worker, kind, move |event| {
            if let Some(inner) = inner.upgrade() {
                WorkerClient(inner).on_event(event);
            }
        })
    }

    fn on_event(&self, event: &Event) {
        match event.type_().as_str() {
            "message" => self.on_message(event),
            // An event without a message means that the script couldn't be loaded.
            "error" => self.fail(&event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default()),
            _ => self.fail("a message from the worker couldn't be read"),
        }
    }

    fn on_message(&self, event: &Event) {
        let data = event.unchecked_ref::<MessageEvent>().data();
        match wire::decode::<FromWorker>(data) {
            Ok((FromWorker::Working { id, share }, _)) => {
                let listener = self.0.batches.borrow().listener(id);
                if let Some(listener) = listener {
                    listener.emit(QueryEvent::Progress(share));
                }
            }
            Ok((FromWorker::Answered { id, answer, took_ms }, _)) => {
                self.0.pace.borrow_mut().spent(took_ms);
                let answered = self.0.batches.borrow_mut().take(id);
                if let Some((listener, newer)) = answered {
                    let answer = answer.map(|answer| SharedAnswer::new(*answer)).map_err(UserError::from);
                    listener.emit(QueryEvent::Finished(answer));
                    if let Some(newer) = newer {
                        newer.emit(QueryEvent::Progress(0.0));
                    }
                    self.begin_next_batch_if_done();
                }
            }
            Ok((FromWorker::Peeked { is_profile }, _)) => {
                let peeking = self.0.peeking.take();
                peeking.iter().for_each(|on_kind| on_kind.emit(is_profile));
            }
            Ok((FromWorker::Embedded { id, outcome }, copy)) => {
                let copy = outcome.map(|whole| (whole, copy.unchecked_into())).map_err(UserError::from);
                let embedding = self.0.embedding.borrow_mut().take_if(|(embedding, _)| *embedding == id);
                embedding.iter().for_each(|(_, on_copy)| on_copy.emit(copy.clone()));
            }
            Ok((message, _)) => {
                match &message {
                    FromWorker::Ready => {
                        self.release();
                        self.post(&ToWorker::WarmUp);
                    }
                    FromWorker::Followed { took_ms, .. } => self.0.pace.borrow_mut().spent(*took_ms),
                    _ => {}
                }
                self.0.dispatch.emit(Action::WorkerMessage(message));
            }
            Err(error) => self.fail(&error.to_string()),
        }
    }

    /// Sends the queued messages.
    fn release(&self) {
        if let Some(running) = self.0.running.borrow_mut().as_mut() {
            running.ready = true;
            running.watchdog = None;
            mem::take(&mut running.waiting).iter().for_each(|parcel| running.post(parcel));
        }
    }

    fn fail(&self, report: &str) {
        let ended = self.0.running.borrow_mut().take();
        let started = ended.is_some_and(|running| running.ready);
        // Pending queries get no response.
        self.0.batches.take();
        self.report_busy();
        self.0.peeking.take();
        if let Some((_, on_copy)) = self.0.embedding.take() {
            on_copy.emit(Err(UserError::not_embedded("the analysis stopped")));
        }
        self.report_failure(started, report);
        if started {
            self.start_if_none();
        }
    }

    fn report_failure(&self, started: bool, report: &str) {
        self.0.dispatch.emit(Action::WorkerFailed(WorkerFailure::new(started, report)));
    }
}
