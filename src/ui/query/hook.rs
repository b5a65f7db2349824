//! A component's query to the worker. The component keeps the last response until the next one arrives, so nothing
//! flickers while the user drags or types.

use yew::prelude::*;

use super::client::WorkerClient;
use crate::ui::yew_reducer::YewReducer;
use camlscope_engine::protocol::{Channel, Request};
use camlscope_view::page::query::event::QueryEvent;
use camlscope_view::page::query::hook::{QueryAction, QueryState};

/// The context that query hooks need.
#[derive(Clone, PartialEq)]
pub struct QueryContext {
    pub client: WorkerClient,
    /// Changes with each opened trace, so that all queries are sent again.
    pub generation: u32,
}

/// A component's own channel to the worker. A new query replaces only the component's previous one.
#[derive(Clone)]
pub struct QueryChannel {
    pub client: WorkerClient,
    pub id: Channel,
}

impl QueryChannel {
    pub fn query(&self, request: Request, on_event: Callback<QueryEvent>) {
        self.client.query(self.id, request, on_event);
    }

    /// Cancels the pending query.
    pub fn forget(&self) {
        self.client.forget(self.id);
    }
}

/// Returns a channel whose queries are canceled when the component is removed. Panics outside the workspace.
#[hook]
pub fn use_channel() -> QueryChannel {
    let QueryContext { client, .. } = use_query_context();
    let id = use_memo((), |()| client.new_channel());
    let channel = QueryChannel { client, id: *id };
    use_effect_with((), {
        let channel = channel.clone();
        move |()| move || channel.forget()
    });
    channel
}

#[hook]
pub fn use_query_context() -> QueryContext {
    use_context::<QueryContext>().expect("a component that queries is inside the workspace")
}

/// Sends the request whenever it changes. `None` sends nothing and clears the last response.
#[hook]
pub fn use_query(request: Option<Request>) -> QueryState {
    use_query_kept(request, false)
}

/// Like [`use_query`], for a small response about the entire trace. The page keeps it until another trace is opened, so
/// that it is there at once when the user comes back.
#[hook]
pub fn use_kept_query(request: Request) -> QueryState {
    use_query_kept(Some(request), true)
}

#[hook]
fn use_query_kept(request: Option<Request>, is_kept: bool) -> QueryState {
    let channel = use_channel();
    let QueryContext { generation, client } = use_query_context();
    let state = use_reducer(|| {
        let kept = request.as_ref().filter(|_| is_kept).and_then(|request| client.kept(generation, request));
        YewReducer(QueryState { answer: kept, ..QueryState::default() })
    });
    let wanted = (generation, request);
    // The request is sent after this rendering. Until then, the state belongs to the previous request.
    let sent = use_mut_ref(|| (generation, None));
    let is_new = *sent.borrow() != wanted;
    use_effect_with(wanted, {
        let dispatch = state.dispatcher().to_callback();
        move |wanted| {
            let (generation, request) = wanted;
            // Responses about an older trace are useless.
            if sent.replace(wanted.clone()).0 != *generation {
                channel.forget();
            }
            let Some(request) = request else {
                channel.forget();
                return dispatch.emit(QueryAction::Clear);
            };
            if let Some(answer) = channel.client.kept(*generation, request).filter(|_| is_kept) {
                return dispatch.emit(QueryAction::Receive(QueryEvent::Finished(Ok(answer))));
            }
            dispatch.emit(QueryAction::Send);
            let (client, kept) = (channel.client.clone(), is_kept.then(|| wanted.clone()));
            let on_event = Callback::from(move |event: QueryEvent| {
                if let (Some((generation, Some(request))), QueryEvent::Finished(Ok(answer))) = (&kept, &event) {
                    client.keep(*generation, request.clone(), answer.clone());
                }
                dispatch.emit(QueryAction::Receive(event));
            });
            channel.query(request.clone(), on_event);
        }
    });
    let mut state = QueryState::clone(&state);
    state.is_waiting |= is_new;
    state
}
