//! Runs queries one after the other, in slices. Between two slices the browser's event loop runs, so that a newer query
//! of the same channel can replace the current one.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;

use super::yield_to_events::yield_to_events;
use super::{LISTENS_EVERY_MS, WorkerContext};
use camlscope_engine::protocol::{Channel, FromWorker, Request, RequestId};
use camlscope_engine::session::Step;

/// Waiting queries, oldest first, at most one per channel.
#[derive(Default)]
pub(super) struct Queries {
    waiting: RefCell<VecDeque<QueuedQuery>>,
    is_answering: Cell<bool>,
    /// Set if the current query is no longer wanted.
    gives_up: Cell<bool>,
    current: Cell<Option<Channel>>,
}

struct QueuedQuery {
    id: RequestId,
    channel: Channel,
    request: Request,
}

const WORKING_EVERY_MS: f64 = 100.0;

impl Queries {
    /// Drops the channel's queries, because nobody is waiting for them.
    pub fn forget(&self, channel: Channel) {
        self.waiting.borrow_mut().retain(|query| query.channel != channel);
        if self.current.get() == Some(channel) {
            self.gives_up.set(true);
        }
    }
}

/// Queues a query.
pub(super) fn take(context: &Rc<WorkerContext>, id: RequestId, channel: Channel, request: Request) {
    let queries = &context.queries;
    queries.forget(channel);
    queries.waiting.borrow_mut().push_back(QueuedQuery { id, channel, request });
    if !queries.is_answering.replace(true) {
        spawn_local(answer_all(Rc::clone(context)));
    }
}

async fn answer_all(context: Rc<WorkerContext>) {
    let queries = &context.queries;
    loop {
        let next = queries.waiting.borrow_mut().pop_front();
        let Some(query) = next else {
            break;
        };
        queries.current.set(Some(query.channel));
        queries.gives_up.set(false);
        answer(&context, &query).await;
        queries.current.set(None);
    }
    queries.is_answering.set(false);
}

async fn answer(context: &WorkerContext, query: &QueuedQuery) {
    let began = context.now_ms();
    let (mut reported, mut listened) = (began, began);
    while !context.queries.gives_up.get() {
        let step = context.session.borrow_mut().advance(&query.request);
        let now = context.now_ms();
        match step {
            Step::Done(answer) => {
                return context.post(&FromWorker::Answered { id: query.id, answer, took_ms: now - began });
            }
            Step::Working(share) => {
                if now - reported >= WORKING_EVERY_MS {
                    reported = now;
                    context.post(&FromWorker::Working { id: query.id, share });
                }
                if now - listened >= LISTENS_EVERY_MS {
                    yield_to_events().await;
                    listened = context.now_ms();
                }
            }
        }
    }
}
