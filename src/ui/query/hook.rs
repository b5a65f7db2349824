//! A component's query to the worker. Until the new answer is there the component keeps the last one, so nothing flickers
//! while the user scrubs or types.

use yew::prelude::*;

use super::client::WorkerClient;
use super::context::QueryContext;
use super::event::{QueryEvent, SharedAnswer};
use camlscope_engine::protocol::{Channel, Request};
use camlscope_present::words::errors::UserError;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryState {
    /// The last answer; while `is_waiting`, that of an older request.
    pub answer: Option<SharedAnswer>,
    pub is_waiting: bool,
    /// Between 0 and 1, once the answer takes a while.
    pub progress: Option<f64>,
    /// Why the newest request has no answer.
    pub error: Option<UserError>,
    pub took_ms: f64,
}

/// A component's own line to the worker: a new query replaces the one before it, and no other component's.
#[derive(Clone)]
pub struct QueryChannel {
    client: WorkerClient,
    id: Channel,
}

impl QueryChannel {
    pub fn new(client: WorkerClient, id: Channel) -> QueryChannel {
        QueryChannel { client, id }
    }

    pub fn query(&self, request: Request, on_event: Callback<QueryEvent>) {
        self.client.query(self.id, request, on_event);
    }

    /// Cancels the query under way.
    pub fn forget(&self) {
        self.client.forget(self.id);
    }
}

/// Queries are cancelled when the component goes. Only inside the workspace.
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

/// Sends the request whenever it changes. `None` sends nothing and drops the last answer.
#[hook]
pub fn use_query(request: Option<Request>) -> QueryState {
    let channel = use_channel();
    let state = use_state(QueryState::default);
    // The state handle in a callback is that of the last rendering, so the newest state is kept beside it.
    let newest = use_mut_ref(QueryState::default);
    let QueryContext { generation, .. } = use_query_context();
    let wanted = (generation, request);
    // The request is sent after this rendering: until then the state belongs to the request before.
    let sent = use_mut_ref(|| (generation, None));
    let is_new = *sent.borrow() != wanted;
    use_effect_with(wanted, {
        let state = state.clone();
        move |wanted| {
            let (generation, request) = wanted;
            // Answers about an older trace are of no use.
            if sent.replace(wanted.clone()).0 != *generation {
                channel.forget();
            }
            let set = move |change: &dyn Fn(&mut QueryState)| {
                let mut now = newest.borrow_mut();
                change(&mut now);
                state.set(now.clone());
            };
            let Some(request) = request else {
                channel.forget();
                return set(&|state| *state = QueryState::default());
            };
            set(&|state| state.is_waiting = true);
            let on_event = Callback::from(move |event: QueryEvent| match event {
                QueryEvent::Progress(share) => set(&|state| {
                    state.is_waiting = true;
                    state.progress = (share > 0.0).then_some(share);
                }),
                QueryEvent::Finished(Ok(answer), took_ms) => set(&|state| {
                    *state = QueryState { answer: Some(answer.clone()), took_ms, ..QueryState::default() };
                }),
                QueryEvent::Finished(Err(error), took_ms) => set(&|state| {
                    *state = QueryState { error: Some(error.clone()), took_ms, ..QueryState::default() };
                }),
            });
            channel.query(request.clone(), on_event);
        }
    });
    let mut state = (*state).clone();
    state.is_waiting |= is_new;
    state
}
