//! What happens to a query.

use std::ops::Deref;
use std::rc::Rc;

use camlscope_engine::protocol::Answer;
use camlscope_present::words::errors::UserError;

#[derive(Clone, Debug)]
pub enum QueryEvent {
    /// It takes a while; between 0 and 1.
    Progress(f64),
    /// With the time it took, in ms.
    Finished(Result<SharedAnswer, UserError>, f64),
}

/// An answer that equals only itself: large answers need not be compared to see that nothing has changed.
#[derive(Clone, Debug)]
pub struct SharedAnswer(Rc<Answer>);

impl From<Box<Answer>> for SharedAnswer {
    fn from(answer: Box<Answer>) -> SharedAnswer {
        SharedAnswer(Rc::from(answer))
    }
}

impl Deref for SharedAnswer {
    type Target = Answer;

    fn deref(&self) -> &Answer {
        &self.0
    }
}

impl PartialEq for SharedAnswer {
    fn eq(&self, other: &SharedAnswer) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}
