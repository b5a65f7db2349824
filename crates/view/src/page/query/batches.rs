//! Keeps track of queries that are pending and queries that wait for the next batch.
//!
//! Queries are sent in batches. If a component sends another query while its last one is in the current batch, the new
//! query waits until the entire batch is done. Then all waiting queries are sent together. Without batches, each new
//! query would cancel the previous one, so nothing would move while the user drags. Components would also query
//! different times, so the worker couldn't reuse results.

use std::mem;

use camlscope_engine::protocol::{Channel, Request, RequestId};

/// `L` receives the events of a query.
#[derive(Debug)]
pub struct Batches<L> {
    /// Sent but unanswered queries, at most one per channel.
    pending: Vec<Pending<L>>,
    /// Channels that have sent a query in the current batch.
    current: Vec<Channel>,
    /// Queries for the next batch, at most one per channel.
    next: Vec<BatchedQuery<L>>,
}

#[derive(Clone, Debug)]
pub struct BatchedQuery<L> {
    pub channel: Channel,
    pub request: Request,
    pub on_event: L,
}

#[derive(Debug)]
struct Pending<L> {
    id: RequestId,
    channel: Channel,
    on_event: L,
}

impl<L> Default for Batches<L> {
    fn default() -> Batches<L> {
        Batches { pending: Vec::new(), current: Vec::new(), next: Vec::new() }
    }
}

impl<L: Clone> Batches<L> {
    /// Returns the query if it can be sent now. Otherwise stores it for the next batch.
    pub fn admit(&mut self, query: BatchedQuery<L>) -> Option<BatchedQuery<L>> {
        if !self.current.contains(&query.channel) {
            return Some(query);
        }
        self.next.retain(|other| other.channel != query.channel);
        self.next.push(query);
        None
    }

    /// Records a sent query. It replaces an older one of the same channel.
    pub fn sent(&mut self, id: RequestId, query: &BatchedQuery<L>) {
        self.pending.retain(|pending| pending.channel != query.channel);
        self.pending.push(Pending { id, channel: query.channel, on_event: query.on_event.clone() });
        self.current.push(query.channel);
    }

    /// Starts the next batch and returns its queries. Pending queries of the old batch are still answered, unless the
    /// new batch has one of the same channel.
    pub fn begin_next(&mut self) -> Vec<BatchedQuery<L>> {
        self.current.clear();
        mem::take(&mut self.next)
    }

    /// Drops all queries of a channel. Returns whether the worker is still running one.
    pub fn forget(&mut self, channel: Channel) -> bool {
        let n_before = self.pending.len();
        self.pending.retain(|pending| pending.channel != channel);
        self.current.retain(|other| *other != channel);
        self.next.retain(|query| query.channel != channel);
        self.pending.len() < n_before
    }

    pub fn listener(&self, id: RequestId) -> Option<L> {
        self.pending.iter().find(|pending| pending.id == id).map(|pending| pending.on_event.clone())
    }

    /// Removes the query that a response belongs to and returns its listener, or `None` if the response is no longer
    /// wanted. The second listener belongs to a newer query of the same channel that is still waiting.
    pub fn take(&mut self, id: RequestId) -> Option<(L, Option<L>)> {
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

    fn query(channel: u32) -> BatchedQuery<()> {
        let request = Request { view: View::default(), question: Question::Findings };
        BatchedQuery { channel: Channel(channel), request, on_event: () }
    }

    fn send(batches: &mut Batches<()>, id: u32, query: BatchedQuery<()>) -> bool {
        match batches.admit(query) {
            Some(query) => {
                batches.sent(RequestId(id), &query);
                true
            }
            None => false,
        }
    }

    #[test]
    fn a_second_query_of_a_channel_waits_for_the_entire_batch() {
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
    fn forgetting_a_channel_keeps_the_others() {
        let mut batches = Batches::default();
        send(&mut batches, 1, query(1));
        send(&mut batches, 2, query(2));
        assert!(batches.forget(Channel(1)), "the worker has a query to cancel");
        assert!(!batches.forget(Channel(1)), "already forgotten");
        assert!(batches.is_pending(RequestId(2)));
        assert!(batches.take(RequestId(1)).is_none(), "a stale response");
    }
}
