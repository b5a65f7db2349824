//! Messages on their way between threads, as compact bytes. Written out field by field as JavaScript objects, they would
//! cost a third of the page's weight in code that spells and reads names.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Page and worker are of different builds, or one of them is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("can't decode a message between the page and the worker")]
pub struct NotUnderstood;

pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, NotUnderstood> {
    postcard::to_allocvec(message).map_err(|_| NotUnderstood)
}

pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, NotUnderstood> {
    postcard::from_bytes(bytes).map_err(|_| NotUnderstood)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Question, Request, View};
    use crate::query::filter::{Clause, Filter, NameTest, Span, When};
    use crate::query::measure::Measure;

    #[test]
    fn a_question_arrives_as_it_was_sent() {
        let clauses = vec![Clause::Allocated(Span { from: Some(u64::MAX), to: None }), Clause::Hide(NameTest::is("ä"))];
        let view = View { filter: Filter { clauses }, measure: Measure::Live(When::At(1)), ..View::default() };
        let request = Request { view, question: Question::Find(NameTest::matches("x")) };
        let bytes = encode(&request).expect("encodes");
        assert_eq!(decode::<Request>(&bytes), Ok(request));
        assert_eq!(decode::<Request>(&bytes[..5]), Err(NotUnderstood));
    }
}
