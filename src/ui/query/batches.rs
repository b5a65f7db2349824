//! Which queries are waiting for an answer, and which wait for their turn.
//!
//! Queries go out in batches. A component that queries again while its last query is in the current batch waits until the
//! whole batch is answered; then all waiting queries go out together. Otherwise a user who drags would see nothing move,
//! because each new query would cancel the one before it; and components would ask about different moments, so that the
//! worker could reuse nothing.

use std::mem;

use yew::Callback;

use super::event::QueryEvent;
use camlscope_engine::protocol::{Channel, Request, RequestId};

#[derive(Default)]
pub(super) struct Batches {
    /// Sent and not answered: at most one for each channel.
    pending: Vec<Pending>,
    /// The channels that have sent a query in the current batch.
    current: Vec<Channel>,
    /// The queries of the next batch: at most one for each channel.
    next: Vec<BatchedQuery>,
}

#[derive(Clone)]
pub(super) struct BatchedQuery {
    pub channel: Channel,
    pub request: Request,
    pub on_event: Callback<QueryEvent>,
}

struct Pending {
    id: RequestId,
    channel: Channel,
    on_event: Callback<QueryEvent>,
}

impl Batches {
    /// Returns the query if it may be sent now; otherwise keeps it for the next batch.
    pub fn admit(&mut self, query: BatchedQuery) -> Option<BatchedQuery> {
        if !self.current.contains(&query.channel) {
            return Some(query);
        }
        self.next.retain(|other| other.channel != query.channel);
        self.next.push(query);
        None
    }

    /// A newer query of a channel replaces its older one.
    pub fn sent(&mut self, id: RequestId, query: &BatchedQuery) {
        self.pending.retain(|pending| pending.channel != query.channel);
        self.pending.push(Pending { id, channel: query.channel, on_event: query.on_event.clone() });
        self.current.push(query.channel);
    }

    /// Begins the next batch and returns its queries. Queries of the old batch that are still pending are answered too,
    /// unless their channel is in the new one.
    pub fn begin_next(&mut self) -> Vec<BatchedQuery> {
        self.current.clear();
        mem::take(&mut self.next)
    }

    /// Forgets all queries of a channel. Returns whether the worker still works on one.
    pub fn forget(&mut self, channel: Channel) -> bool {
        let n_before = self.pending.len();
        self.pending.retain(|pending| pending.channel != channel);
        self.current.retain(|other| *other != channel);
        self.next.retain(|query| query.channel != channel);
        self.pending.len() < n_before
    }

    pub fn listener(&self, id: RequestId) -> Option<Callback<QueryEvent>> {
        self.pending.iter().find(|pending| pending.id == id).map(|pending| pending.on_event.clone())
    }

    /// Takes the query that an answer belongs to; `None` for an answer that nobody waits for. The second listener is that
    /// of a newer query of the same channel, whose answer is still to come.
    pub fn take(&mut self, id: RequestId) -> Option<(Callback<QueryEvent>, Option<Callback<QueryEvent>>)> {
        let at = self.pending.iter().position(|pending| pending.id == id)?;
        let Pending { channel, on_event, .. } = self.pending.swap_remove(at);
        let newer = self.next.iter().find(|query| query.channel == channel).map(|query| query.on_event.clone());
        Some((on_event, newer))
    }

    pub fn is_pending(&self, id: RequestId) -> bool {
        self.pending.iter().any(|pending| pending.id == id)
    }

    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    pub fn has_next(&self) -> bool {
        !self.next.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::protocol::{Question, View};

    fn query(channel: u32) -> BatchedQuery {
        let request = Request { view: View::default(), question: Question::Findings };
        BatchedQuery { channel: Channel(channel), request, on_event: Callback::noop() }
    }

    fn send(batches: &mut Batches, id: u32, query: BatchedQuery) -> bool {
        match batches.admit(query) {
            Some(query) => {
                batches.sent(RequestId(id), &query);
                true
            }
            None => false,
        }
    }

    #[test]
    fn a_second_query_of_a_channel_waits_for_the_whole_batch() {
        let mut batches = Batches::default();
        assert!(send(&mut batches, 1, query(1)));
        assert!(send(&mut batches, 2, query(2)));
        assert!(!send(&mut batches, 3, query(1)));
        assert!(batches.take(RequestId(1)).is_some_and(|(_, newer)| newer.is_some()));
        assert!(batches.has_pending() && batches.has_next());
        assert!(batches.take(RequestId(2)).is_some_and(|(_, newer)| newer.is_none()));
        assert!(!batches.has_pending());
        assert_eq!(batches.begin_next().len(), 1);
        assert!(send(&mut batches, 3, query(1)));
    }

    #[test]
    fn forgetting_a_channel_leaves_the_others_alone() {
        let mut batches = Batches::default();
        send(&mut batches, 1, query(1));
        send(&mut batches, 2, query(2));
        assert!(batches.forget(Channel(1)), "the worker is told to stop");
        assert!(!batches.forget(Channel(1)), "nothing is left of it");
        assert!(batches.is_pending(RequestId(2)));
        assert!(batches.take(RequestId(1)).is_none(), "a stale answer");
    }
}
