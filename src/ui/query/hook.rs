//! A component's query to the worker. The component keeps the last response until the next one arrives, so nothing
//! flickers while the user drags or types.

use std::rc::Rc;

use yew::prelude::*;

use super::client::WorkerClient;
use super::event::{FromAnswer, QueryEvent, SharedAnswer};
use camlscope_engine::protocol::{Channel, Request};
use camlscope_present::words::errors::UserError;

/// The context that query hooks need.
#[derive(Clone, PartialEq)]
pub struct QueryContext {
    pub client: WorkerClient,
    /// Changes with each opened trace, so that all queries are sent again.
    pub generation: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryState {
    /// The last response. While `is_waiting`, it belongs to an older request.
    pub answer: Option<SharedAnswer>,
    pub is_waiting: bool,
    /// Between 0 and 1, if the query takes a while.
    pub progress: Option<f64>,
    /// The error of the latest request.
    pub error: Option<UserError>,
}

impl QueryState {
    /// Returns the data of the last response.
    pub fn get<T: FromAnswer + ?Sized>(&self) -> Option<&T> {
        self.answer.as_ref()?.get()
    }
}

pub enum QueryAction {
    /// There is no request.
    Clear,
    Send,
    Receive(QueryEvent),
}

impl Reducible for QueryState {
    type Action = QueryAction;

    fn reduce(self: Rc<QueryState>, action: QueryAction) -> Rc<QueryState> {
        let waiting = |progress| QueryState { is_waiting: true, progress, ..QueryState::clone(&self) };
        Rc::new(match action {
            QueryAction::Clear => QueryState::default(),
            QueryAction::Send => waiting(self.progress),
            QueryAction::Receive(QueryEvent::Progress(share)) => waiting((share > 0.0).then_some(share)),
            QueryAction::Receive(QueryEvent::Finished(Ok(answer))) => {
                QueryState { answer: Some(answer), ..QueryState::default() }
            }
            QueryAction::Receive(QueryEvent::Finished(Err(error))) => {
                QueryState { error: Some(error), ..QueryState::default() }
            }
        })
    }
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
        QueryState { answer: kept, ..QueryState::default() }
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
    let mut state = (*state).clone();
    state.is_waiting |= is_new;
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::protocol::Answer;

    #[test]
    fn the_last_response_stays_until_the_next_response_or_error() {
        let answer = SharedAnswer::new(Answer::Suggest(Vec::new()));
        let received = |event| QueryAction::Receive(event);
        let mut state = Rc::new(QueryState::default());
        state = state.reduce(received(QueryEvent::Finished(Ok(answer.clone()))));
        assert_eq!((&state.answer, state.is_waiting), (&Some(answer.clone()), false));
        state = state.reduce(QueryAction::Send).reduce(received(QueryEvent::Progress(0.5)));
        assert_eq!((&state.answer, state.is_waiting, state.progress), (&Some(answer), true, Some(0.5)));
        state = state.reduce(received(QueryEvent::Finished(Err(UserError::damaged_report()))));
        assert_eq!((&state.answer, state.is_waiting, state.progress), (&None, false, None));
        assert!(state.error.is_some() && *state.reduce(QueryAction::Clear) == QueryState::default());
    }
}
