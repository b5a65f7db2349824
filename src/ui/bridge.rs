//! Owns the worker. Messages wait here until it is ready; when it dies the page is told, and another takes its place, so
//! that the page can open the trace again, or the reader the next one.
//!
//! A worker that dies before it was ready is not replaced at once, since its successor would die of the same: only when
//! the reader opens something.

use std::cell::{Cell, RefCell};
use std::mem;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, ErrorEvent, Event, MessageEvent, Url, Worker, WorkerOptions, WorkerType};
use yew::Callback;

use super::asking::Known;
use super::death::Death;
use super::page;
use super::state::{Action, WorkerState};
use crate::format::{self, Units};
use crate::protocol::{Channel, FromWorker, Request, RequestId, Slot, ToWorker, UserError};
use crate::wire;

/// A worker that is not ready by then is late, and the reader is told; it may still come.
const LATE_MS: u32 = 10_000;

#[derive(Clone)]
pub struct Bridge(Rc<Inner>);

struct Inner {
    tell: Callback<Action>,
    on_death: Callback<Death>,
    running: RefCell<Option<Running>>,
    rounds: RefCell<Rounds>,
    next_ask: Cell<u32>,
    is_busy: Cell<bool>,
    /// Who is told when the page begins and ends to wait for answers.
    watcher: RefCell<Callback<bool>>,
}

/// Questions go in rounds. A part of the page that has asked and asks anew waits until all that was asked is answered;
/// then all go together. Else a reader who drags would see nothing move, each new question ending the one before it;
/// and the parts of the page would ask about different moments, of which the session could reuse nothing.
#[derive(Default)]
struct Rounds {
    /// Who waits for an answer: at most one a channel.
    waiting: Vec<Waiting>,
    /// Who has asked in this round; none once all are answered.
    round: Vec<Channel>,
    /// What is asked in the next one: at most one a channel.
    next: Vec<(Channel, Request, Callback<Heard>)>,
}

struct Waiting {
    id: RequestId,
    channel: Channel,
    heard: Callback<Heard>,
}

/// The next round waits no longer than this for an answer.
const GRACE_MS: u32 = 150;

/// What the worker says to a question.
#[derive(Clone, Debug)]
pub enum Heard {
    /// It takes a while; between 0 and 1.
    Working(f64),
    /// With the time it took, in ms.
    Answered(Result<Known, UserError>, f64),
}

impl PartialEq for Bridge {
    fn eq(&self, other: &Bridge) -> bool {
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

impl Bridge {
    pub fn new(tell: Callback<Action>, on_death: Callback<Death>) -> Bridge {
        let bridge = Bridge(Rc::new(Inner {
            tell,
            on_death,
            running: RefCell::new(None),
            rounds: RefCell::default(),
            next_ask: Cell::new(0),
            is_busy: Cell::new(false),
            watcher: RefCell::new(Callback::noop()),
        }));
        // Once the page is drawn: starting a worker takes a while, and nobody waits for it yet.
        let later = bridge.clone();
        Timeout::new(0, move || later.start_if_none()).forget();
        bridge
    }

    /// `is_halved`: with half the memory that a trace gets otherwise.
    pub fn open(&self, id: RequestId, slot: Slot, file: &Blob, is_halved: bool) {
        self.start_if_none();
        self.post(&ToWorker::Open { id, slot, memory: page::memory(), is_halved }, Some(file));
    }

    /// A file may come soon.
    pub fn expect(&self) {
        self.post(&ToWorker::Expect, None);
    }

    /// Asks a question, which takes the place of an older one of the same channel, now or in the next round.
    pub fn ask(&self, channel: Channel, request: &Request, heard: Callback<Heard>) {
        let mut rounds = self.0.rounds.borrow_mut();
        if rounds.round.contains(&channel) {
            rounds.next.retain(|(other, ..)| *other != channel);
            rounds.next.push((channel, request.clone(), heard));
            return;
        }
        drop(rounds);
        self.ask_now(channel, request.clone(), heard);
    }

    fn ask_now(&self, channel: Channel, request: Request, heard: Callback<Heard>) {
        let id = RequestId(self.0.next_ask.replace(self.0.next_ask.get().wrapping_add(1)));
        let mut rounds = self.0.rounds.borrow_mut();
        rounds.waiting.retain(|waiting| waiting.channel != channel);
        rounds.waiting.push(Waiting { id, channel, heard });
        rounds.round.push(channel);
        drop(rounds);
        self.tell_busy();
        self.watch_over(id);
        self.post(&ToWorker::Ask { id, channel, request }, None);
    }

    /// Begins the next round. Who still waits for an older answer gets it, unless it asks anew.
    fn begin_round(&self) {
        let mut rounds = self.0.rounds.borrow_mut();
        rounds.round.clear();
        let next = mem::take(&mut rounds.next);
        drop(rounds);
        for (channel, request, heard) in next {
            self.ask_now(channel, request, heard);
        }
    }

    /// The next round, if all of this one is answered.
    fn end_round(&self) {
        if self.0.rounds.borrow().waiting.is_empty() {
            self.begin_round();
        }
        self.tell_busy();
    }

    /// Once its grace is over, a question no longer holds the next round up.
    fn watch_over(&self, id: RequestId) {
        let inner = Rc::downgrade(&self.0);
        let overdue = move || {
            let Some(bridge) = inner.upgrade().map(Bridge) else { return };
            let rounds = bridge.0.rounds.borrow();
            let (is_late, is_held_up) =
                (rounds.waiting.iter().any(|waiting| waiting.id == id), !rounds.next.is_empty());
            drop(rounds);
            if is_late && is_held_up {
                bridge.begin_round();
            }
            if is_late {
                bridge.watch_over(id);
            }
        };
        Timeout::new(GRACE_MS, overdue).forget();
    }

    /// Nobody waits for this channel any more.
    pub fn forget(&self, channel: Channel) {
        let mut rounds = self.0.rounds.borrow_mut();
        let n_before = rounds.waiting.len();
        rounds.waiting.retain(|waiting| waiting.channel != channel);
        rounds.round.retain(|other| *other != channel);
        rounds.next.retain(|(other, ..)| *other != channel);
        let was_waiting = rounds.waiting.len() < n_before;
        drop(rounds);
        if was_waiting {
            self.post(&ToWorker::Forget { channel }, None);
        }
        self.end_round();
    }

    /// Tells whenever the page begins or ends to wait for answers; takes the place of who was told before.
    pub fn watch(&self, watcher: Callback<bool>) {
        watcher.emit(self.0.is_busy.get());
        *self.0.watcher.borrow_mut() = watcher;
    }

    fn tell_busy(&self) {
        let is_busy = !self.0.rounds.borrow().waiting.is_empty();
        if self.0.is_busy.replace(is_busy) != is_busy {
            // Tests wait for it: whether the page has all the answers that it asked for.
            let _ = gloo::utils::body().set_attribute("data-idle", &(!is_busy).to_string());
            let watcher = self.0.watcher.borrow().clone();
            watcher.emit(is_busy);
        }
    }

    /// What amounts of bytes are written in from now on, on the page and by the worker.
    pub fn write_in(&self, units: Units) {
        format::set_units(units);
        self.post(&ToWorker::Units(units), None);
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

    fn start_if_none(&self) {
        if self.0.running.borrow().is_none() {
            self.start();
        }
    }

    fn start(&self) {
        self.0.tell.emit(Action::Worker(WorkerState::default()));
        let (worker, start) = match spawn() {
            Ok(spawned) => spawned,
            Err(report) => return self.tell_death(false, &report),
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
        self.post(&ToWorker::Units(format::units()), None);
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
        match wire::unpack::<FromWorker>(data) {
            Ok((FromWorker::Working { id, share }, _)) => {
                let rounds = self.0.rounds.borrow();
                let heard = rounds.waiting.iter().find(|waiting| waiting.id == id).map(|waiting| waiting.heard.clone());
                drop(rounds);
                if let Some(heard) = heard {
                    heard.emit(Heard::Working(share));
                }
            }
            Ok((FromWorker::Answered { id, answer, took_ms }, _)) => {
                let mut rounds = self.0.rounds.borrow_mut();
                let at = rounds.waiting.iter().position(|waiting| waiting.id == id);
                let answered = at.map(|at| rounds.waiting.swap_remove(at));
                drop(rounds);
                // An answer that nobody waits for is stale.
                if let Some(Waiting { channel, heard, .. }) = answered {
                    heard.emit(Heard::Answered(answer.map(Known::from), took_ms));
                    // What was just told may be an older question's answer.
                    let rounds = self.0.rounds.borrow();
                    let newer =
                        rounds.next.iter().find(|(other, ..)| *other == channel).map(|(.., heard)| heard.clone());
                    drop(rounds);
                    if let Some(heard) = newer {
                        heard.emit(Heard::Working(0.0));
                    }
                    self.end_round();
                }
            }
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
        // Its answers will not come.
        self.0.rounds.take();
        self.tell_busy();
        self.tell_death(started, report);
        if started {
            self.start_if_none();
        }
    }

    fn tell_death(&self, started: bool, report: &str) {
        self.0.on_death.emit(Death::new(started, report));
    }
}

/// A worker, and the address of the blob it was started from.
///
/// Browsers give a worker that comes from the network the policy of its own response, which on a static host is none: it
/// could send what it reads anywhere. One that comes from a blob has the page's policy. So the worker starts from a blob
/// of a few lines, and the page's policy allows no other workers. Its first message is the page's own module.
fn spawn() -> Result<(Worker, String), String> {
    let in_words = |error: JsValue| format!("{error:?}");
    let address = page::worker_url().ok_or("the page does not name its worker")?;
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
