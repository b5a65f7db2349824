//! The worker. It owns the session, so that decoding never blocks the page.
//!
//! It runs one load at a time and answers each `Open` exactly once, with `Opened`, `Canceled` or `Failed`. It handles
//! messages between two chunks of a file, so that a `Cancel` or a second file takes effect immediately.

mod download;
mod embed;
mod follow;
mod load;
mod preallocate;
mod queries;
mod source;
mod warm_up;
mod yield_to_events;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use wasm_bindgen::{JsCast, JsValue, throw_str};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, DedicatedWorkerGlobalScope, Event, MessageEvent};

use self::follow::{LiveFile, OpenFiles};
use self::load::Input;
use self::queries::Queries;
use self::source::FileSource;
use crate::wire::{self, EarlyOpen};
use camlscope_engine::load::begins_a_profile;
use camlscope_engine::protocol::{FromWorker, RequestId, Slot, ToWorker};
use camlscope_engine::session::Session;
use camlscope_engine::trace::Budget;

/// Starts handling messages.
pub fn start() {
    // A thrown error reaches the page as the worker's `error` event, like a trap. So there is one path for every kind
    // of failure.
    std::panic::set_hook(Box::new(|panic| throw_str(&panic.to_string())));

    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let context = Rc::new(WorkerContext {
        scope: scope.clone(),
        session: RefCell::new(Session::with_budget(BUDGET)),
        current: Cell::new(None),
        is_preallocated: Cell::new(false),
        queries: Queries::default(),
        open_files: OpenFiles::default(),
    });
    let listening = Rc::clone(&context);
    EventListener::new(&scope, "message", move |event| on_message(&listening, event)).forget();
    context.post(&FromWorker::Ready);
}

/// The memory limit for a trace and the queries about it. Some queries temporarily need a quarter more, a second trace
/// gets at least a quarter, and freed memory can't always be reused. Together they stay below 3 GiB of the 4 GiB that
/// WebAssembly can address. A higher limit would also make queries slower, because each one reads the entire model.
const BUDGET: Budget = Budget { bytes: 1152 << 20 };

/// The highest limit that the user can set.
const MOST: u64 = 2560 << 20;

fn budget(wish: Option<u64>, is_halved: bool) -> Budget {
    let bytes = wish.and_then(|bytes| usize::try_from(bytes.min(MOST)).ok()).unwrap_or(BUDGET.bytes);
    Budget { bytes: if is_halved { bytes / 2 } else { bytes } }
}

/// State shared by loads and the message handler.
struct WorkerContext {
    scope: DedicatedWorkerGlobalScope,
    session: RefCell<Session>,
    /// The current load. A load that finds another ID here has been canceled or replaced.
    current: Cell<Option<RequestId>>,
    /// Whether memory for a first trace has been preallocated, or it is too late for that.
    is_preallocated: Cell<bool>,
    queries: Queries,
    open_files: OpenFiles,
}

/// The time between two runs of the event loop.
const LISTENS_EVERY_MS: f64 = 20.0;

impl WorkerContext {
    fn post(&self, message: &FromWorker) {
        self.post_with(message, JsValue::UNDEFINED);
    }

    fn post_with(&self, message: &FromWorker, beside: JsValue) {
        let posted = wire::encode(message, beside).map(|encoded| self.scope.post_message(&encoded));
        match posted {
            Ok(Ok(())) => {}
            Ok(Err(error)) => throw_str(&format!("a message could not be posted to the page: {error:?}")),
            Err(error) => throw_str(&error.to_string()),
        }
    }

    /// Cancels the current load, if any.
    fn give_up(&self) {
        if let Some(id) = self.current.take() {
            self.session.borrow_mut().cancel();
            self.post(&FromWorker::Canceled { id, still_open: self.is_open() });
        }
    }

    fn is_open(&self) -> bool {
        self.session.borrow().is_open(Slot::Main)
    }

    fn now_ms(&self) -> f64 {
        self.scope.performance().map_or_else(js_sys::Date::now, |clock| clock.now())
    }
}

fn on_message(context: &Rc<WorkerContext>, event: &Event) {
    let data = event.unchecked_ref::<MessageEvent>().data();
    if let Some(early) = wire::decode_early(&data) {
        return open_early(context, early);
    }
    match wire::decode::<ToWorker>(data) {
        Ok((ToWorker::Open { id, slot, bytes_total, whole, memory, is_halved, may_grow }, file)) => {
            context.session.borrow_mut().set_budget(budget(memory, is_halved));
            open(context, id, slot, Input::File { file: FileSource { file, bytes_total, whole }, may_grow });
        }
        Ok((ToWorker::OpenAddress { id, slot, memory, may_grow, is_halved, address }, _)) => {
            context.session.borrow_mut().set_budget(budget(memory, is_halved));
            open(context, id, slot, Input::Address { address, may_grow });
        }
        Ok((ToWorker::Follow, file)) => match file.dyn_into() {
            Ok(file) => follow::take(context, LiveFile::File(file)),
            Err(_) => throw_str("a Follow message came without its file"),
        },
        Ok((ToWorker::FollowAddress { address }, _)) => follow::take(context, LiveFile::Address(address)),
        Ok((ToWorker::WarmUp, _)) => spawn_local(warm_up::warm_up(Rc::clone(context))),
        Ok((ToWorker::Expect, _)) => {
            if !context.is_preallocated.replace(true) {
                spawn_local(preallocate::touch(Rc::clone(context)));
            }
        }
        Ok((ToWorker::Peek { head }, _)) => {
            context.post(&FromWorker::Peeked { is_profile: begins_a_profile(&head) });
        }
        Ok((ToWorker::Embed { id, filter, max_bytes, is_anonymized }, _)) => {
            let embedded = embed::embed(&context.session.borrow(), &filter, max_bytes, is_anonymized);
            let (outcome, copy) = embedded
                .map_or_else(|error| (Err(error), JsValue::UNDEFINED), |(whole, copy)| (Ok(whole), copy.into()));
            context.post_with(&FromWorker::Embedded { id, outcome }, copy);
        }
        Ok((ToWorker::Cancel { id }, _)) => {
            if context.current.get() == Some(id) {
                context.give_up();
            }
        }
        Ok((ToWorker::Ask { id, channel, request }, _)) => queries::take(context, id, channel, request),
        Ok((ToWorker::Forget { channel }, _)) => context.queries.forget(channel),
        Ok((ToWorker::Swap, _)) => {
            context.session.borrow_mut().swap();
            context.open_files.swap();
        }
        Ok((ToWorker::CloseOther, _)) => context.session.borrow_mut().close_other(),
        Err(error) => throw_str(&error.to_string()),
    }
}

fn open_early(context: &Rc<WorkerContext>, early: EarlyOpen) {
    let input = match (early.address, early.file.dyn_into::<Blob>()) {
        (Some(address), _) => Input::Address { address, may_grow: false },
        (None, Ok(file)) => {
            let (bytes_total, may_grow) = (file.size() as u64, early.has_handles && wire::is_fresh(&file));
            Input::File { file: FileSource { file: file.into(), bytes_total, whole: None }, may_grow }
        }
        (None, Err(_)) => throw_str("there is nothing to open"),
    };
    open(context, wire::EARLY_LOAD, Slot::Main, input);
}

fn open(context: &Rc<WorkerContext>, id: RequestId, slot: Slot, input: Input) {
    context.give_up();
    context.is_preallocated.set(true);
    context.current.set(Some(id));
    spawn_local(load::load(Rc::clone(context), id, slot, input));
}
