//! The answers that screens are drawn from, each with the request that it answers. A screen says what it wants; what is not
//! here yet is asked for, and until it comes the screen says that it works.

use camlscope_engine::protocol::{Answer, Error, Request};

/// Enough for a screen and the ones before it, a tree with many open branches included.
const MOST: usize = 400;

#[derive(Debug, Default)]
pub struct Answers {
    /// The oldest first.
    kept: Vec<(Request, Result<Box<Answer>, Error>)>,
}

impl Answers {
    pub fn get(&self, request: &Request) -> Option<&Result<Box<Answer>, Error>> {
        self.kept.iter().rev().find(|(of, _)| of == request).map(|(_, answer)| answer)
    }

    /// The answer, if it has come and is none of an error.
    pub fn ok(&self, request: &Request) -> Option<&Answer> {
        self.get(request)?.as_deref().ok()
    }

    pub fn put(&mut self, request: Request, answer: Result<Box<Answer>, Error>) {
        if self.kept.len() >= MOST {
            self.kept.drain(..MOST / 2);
        }
        self.kept.push((request, answer));
    }

    /// Forgets all, so that everything is asked again: of a trace that has grown, or of another one.
    pub fn clear(&mut self) {
        self.kept.clear();
    }
}
