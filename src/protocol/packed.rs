//! Questions and answers on their way between threads, as compact bytes. Written out field by field as JavaScript objects,
//! they would cost a third of the page's weight in code that spells and reads names.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed(#[serde(with = "serde_bytes")] Vec<u8>);

/// Page and worker are of different builds, or one of them is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a question or an answer between page and worker could not be understood")]
pub struct NotUnderstood;

impl Packed {
    pub fn new<T: Serialize>(value: &T) -> Result<Packed, NotUnderstood> {
        postcard::to_allocvec(value).map(Packed).map_err(|_| NotUnderstood)
    }

    pub fn open<T: DeserializeOwned>(&self) -> Result<T, NotUnderstood> {
        postcard::from_bytes(&self.0).map_err(|_| NotUnderstood)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
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
        let packed = Packed::new(&request).expect("packs");
        assert_eq!(packed.open::<Request>(), Ok(request));
        let cut = Packed(packed.as_bytes()[..5].to_vec());
        assert_eq!(cut.open::<Request>(), Err(NotUnderstood));
    }
}
