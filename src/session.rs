//! Owns what is loaded and answers for it; the page's worker, the command line and the tests use nothing else.
//!
//! Loading is driven from outside, chunk by chunk, because only the outside knows how bytes arrive: slices of a
//! browser's `File`, a pipe, a vector in a test.

use crate::load::Loader;
use crate::protocol::{Progress, UserError};
use crate::query::summary::Summary;

#[derive(Debug, Default)]
pub struct Session {
    loading: Option<Loader>,
}

impl Session {
    pub fn new() -> Session {
        Session::default()
    }

    /// Begins a load, giving up any that was under way. `bytes_total` where the source knows its size.
    pub fn begin(&mut self, bytes_total: Option<u64>) {
        self.loading = Some(Loader::new(bytes_total));
    }

    /// Takes the next bytes of the file. After an error the load is over.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), UserError> {
        todo!()
    }

    /// How far the load has come; `elapsed_ms` is the caller's to fill in.
    pub fn progress(&self) -> Progress {
        todo!()
    }

    /// The file is over: freezes the trace and says what it is.
    pub fn finish(&mut self) -> Result<Summary, UserError> {
        todo!()
    }

    /// Drops a load that is under way.
    pub fn cancel(&mut self) {
        self.loading = None;
    }
}
