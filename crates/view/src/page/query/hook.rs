//! The state of a component's query.

use super::event::{FromAnswer, QueryEvent, SharedAnswer};
use crate::page::reducer::Reducer;
use camlscope_present::words::errors::UserError;

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

#[derive(Debug)]
pub enum QueryAction {
    /// There is no request.
    Clear,
    Send,
    Receive(QueryEvent),
}

impl Reducer for QueryState {
    type Action = QueryAction;

    fn apply(&mut self, action: QueryAction) {
        match action {
            QueryAction::Clear => *self = QueryState::default(),
            QueryAction::Send => self.is_waiting = true,
            QueryAction::Receive(QueryEvent::Progress(share)) => {
                (self.is_waiting, self.progress) = (true, (share > 0.0).then_some(share));
            }
            QueryAction::Receive(QueryEvent::Finished(Ok(answer))) => {
                *self = QueryState { answer: Some(answer), ..QueryState::default() };
            }
            QueryAction::Receive(QueryEvent::Finished(Err(error))) => {
                *self = QueryState { error: Some(error), ..QueryState::default() };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::protocol::Answer;

    #[test]
    fn the_last_response_stays_until_the_next_response_or_error() {
        let answer = SharedAnswer::new(Answer::Suggest(Vec::new()));
        let received = |event| QueryAction::Receive(event);
        let mut state = QueryState::default();
        state.apply(received(QueryEvent::Finished(Ok(answer.clone()))));
        assert_eq!((&state.answer, state.is_waiting), (&Some(answer.clone()), false));
        state.apply(QueryAction::Send);
        state.apply(received(QueryEvent::Progress(0.5)));
        assert_eq!((&state.answer, state.is_waiting, state.progress), (&Some(answer), true, Some(0.5)));
        state.apply(received(QueryEvent::Finished(Err(UserError::damaged_report()))));
        assert_eq!((&state.answer, state.is_waiting, state.progress), (&None, false, None));
        assert!(state.error.is_some());
        state.apply(QueryAction::Clear);
        assert_eq!(state, QueryState::default());
    }
}
