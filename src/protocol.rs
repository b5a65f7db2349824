//! The only types that cross a thread or a process: what the page says to its worker and what it hears back.
//!
//! The `File` itself travels beside [`ToWorker::Open`] as a browser object; everything else is plain data, so the same
//! messages can be written in a test and read in a log.

use serde::{Deserialize, Serialize};

use crate::query::summary::Summary;

/// Numbers requests; an answer carries the number of what it answers, so that a stale one can be told and dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestId(pub u32);

/// Page → worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// Load the file that travels with this message. Replaces whatever was being loaded.
    Open { id: RequestId },
    /// Stop loading; obeyed between two slices of the file.
    Cancel { id: RequestId },
}

/// Worker → page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    /// The worker's code has started and takes messages.
    Ready,
    /// At most 20 a second while loading.
    Progress { id: RequestId, progress: Progress },
    Opened { id: RequestId, summary: Box<Summary> },
    Cancelled { id: RequestId },
    Failed { id: RequestId, error: UserError },
}

/// How far a load has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    pub bytes_read: u64,
    /// The file's size, where it is known (standard input's is not).
    pub bytes_total: Option<u64>,
    pub events: u64,
    /// Since the load began, by the clock of whoever drives it.
    pub elapsed_ms: f64,
}

/// An error in the user's words. The typed errors of the floors below become this once, in `session`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserError {
    /// A stable word for scripts and tests: `empty`, `not-a-trace`, `too-new`, `unreadable`, …
    pub kind: String,
    /// What happened, in one sentence.
    pub text: String,
    /// What to do about it, in one sentence; may be empty.
    pub advice: String,
    /// Where in the file, if anywhere.
    pub offset: Option<u64>,
}
