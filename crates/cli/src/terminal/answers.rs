//! A cache of responses, by request. Screens request what they need. A missing response is queried, and the screen
//! shows that it's loading.

use camlscope_engine::protocol::{Answer, Error, Request};

/// Enough for the current screen and previous ones, including a tree with many open branches.
const MOST: usize = 400;

#[derive(Debug, Default)]
pub struct Answers {
    /// Oldest first.
    kept: Vec<(Request, Result<Box<Answer>, Error>)>,
}

impl Answers {
    pub fn get(&self, request: &Request) -> Option<&Result<Box<Answer>, Error>> {
        self.kept.iter().rev().find(|(of, _)| of == request).map(|(_, answer)| answer)
    }

    /// Returns the response, if it has arrived and isn't an error.
    pub fn ok(&self, request: &Request) -> Option<&Answer> {
        self.get(request)?.as_deref().ok()
    }

    pub fn put(&mut self, request: Request, answer: Result<Box<Answer>, Error>) {
        if self.kept.len() >= MOST {
            self.kept.drain(..MOST / 2);
        }
        self.kept.push((request, answer));
    }

    /// Removes everything, so that it's queried again when the trace has grown or changed.
    pub fn clear(&mut self) {
        self.kept.clear();
    }
}
