//! Questions about what is loaded, one after the other, in slices. Between two slices the browser's event loop runs, so that
//! a newer question of the same part of the page is heard, and the older one given up.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;

use super::turn::turn;
use super::{Desk, LISTENS_EVERY_MS};
use crate::protocol::{Channel, FromWorker, Request, RequestId};
use crate::session::Step;

/// Questions that wait, the oldest first: at most one a channel.
#[derive(Default)]
pub(super) struct Asks {
    waiting: RefCell<VecDeque<Ask>>,
    is_answering: Cell<bool>,
    /// Set when the question that is being answered is moot.
    gives_up: Cell<bool>,
    current: Cell<Option<Channel>>,
}

struct Ask {
    id: RequestId,
    channel: Channel,
    request: Request,
}

const WORKING_EVERY_MS: f64 = 100.0;

impl Asks {
    /// Nobody waits for this channel's answer any more.
    pub fn forget(&self, channel: Channel) {
        self.waiting.borrow_mut().retain(|ask| ask.channel != channel);
        if self.current.get() == Some(channel) {
            self.gives_up.set(true);
        }
    }
}

/// Takes a question; its answer comes as soon as those before it are given.
pub(super) fn take(desk: &Rc<Desk>, id: RequestId, channel: Channel, request: Request) {
    let asks = &desk.asks;
    asks.forget(channel);
    asks.waiting.borrow_mut().push_back(Ask { id, channel, request });
    if !asks.is_answering.replace(true) {
        spawn_local(answer_all(Rc::clone(desk)));
    }
}

async fn answer_all(desk: Rc<Desk>) {
    let asks = &desk.asks;
    loop {
        let next = asks.waiting.borrow_mut().pop_front();
        let Some(ask) = next else {
            break;
        };
        asks.current.set(Some(ask.channel));
        asks.gives_up.set(false);
        answer(&desk, &ask).await;
        asks.current.set(None);
    }
    asks.is_answering.set(false);
}

async fn answer(desk: &Desk, ask: &Ask) {
    let began = desk.now_ms();
    let (mut told, mut listened) = (began, began);
    while !desk.asks.gives_up.get() {
        let step = desk.session.borrow_mut().advance(&ask.request);
        let now = desk.now_ms();
        match step {
            Step::Done(answer) => {
                return desk.post(&FromWorker::Answered { id: ask.id, answer, took_ms: now - began });
            }
            Step::Working(share) => {
                if now - told >= WORKING_EVERY_MS {
                    told = now;
                    desk.post(&FromWorker::Working { id: ask.id, share });
                }
                if now - listened >= LISTENS_EVERY_MS {
                    turn().await;
                    listened = desk.now_ms();
                }
            }
        }
    }
}
