//! Messages between threads, as compact bytes. As JavaScript objects, written field by field, they would need code to
//! write and read names: a third of the page's size.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The page and the worker are from different builds, or one of them has a bug.
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
    fn a_request_decodes_to_what_was_encoded() {
        let clauses = vec![Clause::Allocated(Span { from: Some(u64::MAX), to: None }), Clause::Hide(NameTest::is("ä"))];
        let view = View { filter: Filter { clauses }, measure: Measure::Live(When::At(1)), ..View::default() };
        let request = Request { view, question: Question::Find("x".to_owned()) };
        let bytes = encode(&request).expect("encodes");
        assert_eq!(decode::<Request>(&bytes), Ok(request));
        assert_eq!(decode::<Request>(&bytes[..5]), Err(NotUnderstood));
    }
}
