//! Owns what is loaded and answers for it; the page's worker, the command line and the tests use nothing else.
//!
//! Loading is driven from outside, chunk by chunk, because only the outside knows how bytes arrive: slices of a
//! browser's `File`, a pipe, a vector in a test.

use crate::load::Loader;
use crate::protocol::{Progress, UserError};
use crate::query::summary::{Summary, distinct_stacks, summary};
use crate::trace::{Budget, Trace};

#[derive(Debug, Default)]
pub struct Session {
    loading: Option<Loader>,
    trace: Option<Trace>,
    budget: Budget,
}

impl Session {
    pub fn new() -> Session {
        Session::default()
    }

    /// A session whose model takes at most so much memory before it is thinned.
    pub fn with_budget(budget: Budget) -> Session {
        Session { budget, ..Session::default() }
    }

    /// Begins a load, giving up any that was under way. `bytes_total` where the source knows its size.
    pub fn begin(&mut self, bytes_total: Option<u64>) {
        self.loading = Some(Loader::new(bytes_total, self.budget));
    }

    /// Takes the next bytes of the file. After an error the load is over.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), UserError> {
        let Some(loader) = &mut self.loading else {
            return Err(UserError::no_load());
        };
        loader.push(chunk).map_err(|not_loaded| {
            self.loading = None;
            UserError::from(not_loaded)
        })
    }

    /// How far the load has come; `elapsed_ms` is the caller's to fill in.
    pub fn progress(&self) -> Progress {
        self.loading.as_ref().map_or_else(Progress::default, |loader| Progress {
            bytes_read: loader.bytes_read(),
            bytes_total: loader.bytes_total(),
            events: loader.n_events(),
            elapsed_ms: 0.0,
        })
    }

    /// The file is over: freezes the trace and says what it is.
    pub fn finish(&mut self) -> Result<Summary, UserError> {
        let loader = self.loading.take().ok_or_else(UserError::no_load)?;
        let trace = loader.finish()?;
        let summary = summary(&trace);
        self.trace = Some(trace);
        Ok(summary)
    }

    /// What the trace is, with the figures that take longer to count than the trace took to load.
    pub fn full_summary(&self) -> Option<Summary> {
        let trace = self.trace.as_ref()?;
        Some(Summary { distinct_stacks: Some(distinct_stacks(trace)), ..summary(trace) })
    }

    /// The trace that was loaded last.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Drops a load that is under way.
    pub fn cancel(&mut self) {
        self.loading = None;
    }
}
