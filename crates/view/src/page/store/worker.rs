//! The state of the worker, why it failed, and whether the page reopens the trace automatically.
//!
//! A trace is reopened only once. Whatever made the second worker fail would make a third one fail too.

use super::notice::Notice;
use camlscope_present::words::errors::UserError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerState {
    /// `late` means that it should have been ready long ago.
    Starting {
        late: bool,
    },
    Ready,
    Dead,
}

impl Default for WorkerState {
    fn default() -> WorkerState {
        WorkerState::Starting { late: false }
    }
}

impl WorkerState {
    pub fn as_str(self) -> &'static str {
        match self {
            WorkerState::Starting { .. } => "starting",
            WorkerState::Ready => "ready",
            WorkerState::Dead => "dead",
        }
    }
}

/// Why a worker failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerFailure {
    /// It never became ready, and a new one wouldn't either.
    NotStarted,
    OutOfMemory,
    /// A bug, with the message of the browser or the panic.
    Stopped(String),
}

/// A trace is being reopened because its worker failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    pub failure: WorkerFailure,
    /// Whether a second trace was open or loading. It is not reopened.
    pub has_closed_second: bool,
}

/// Parts of browsers' out-of-memory messages. A panic has a message, but a failed allocation only leaves a bare
/// `unreachable`.
const MEMORY_WORDS: [&str; 5] =
    ["unreachable", "out of memory", "allocation failed", "could not allocate", "capacity overflow"];

impl WorkerFailure {
    /// `report` is the message of the browser or the panic.
    pub fn new(was_ready: bool, report: &str) -> WorkerFailure {
        let report = report.trim_start_matches("Uncaught ").trim_start_matches("Error: ").trim();
        let lower = report.to_ascii_lowercase();
        if !was_ready {
            WorkerFailure::NotStarted
        } else if MEMORY_WORDS.iter().any(|word| lower.contains(word)) {
            WorkerFailure::OutOfMemory
        } else {
            WorkerFailure::Stopped(report.to_owned())
        }
    }

    /// Returns the error if the trace isn't reopened. `is_second` means that it was reopened and the worker failed
    /// again.
    pub(super) fn error(&self, is_second: bool) -> UserError {
        let again = if is_second { " again" } else { "" };
        let (text, advice) = match (self, is_second) {
            (WorkerFailure::NotStarted, _) => (
                "The decoder couldn't start.".to_owned(),
                "Reload the page. If that doesn't help, the browser is too old or blocks WebAssembly or workers.",
            ),
            (WorkerFailure::OutOfMemory, false) => ("The browser ran out of memory.".to_owned(), LESS_MEMORY),
            (WorkerFailure::OutOfMemory, true) => {
                ("The browser ran out of memory again after reopening the trace.".to_owned(), LESS_MEMORY)
            }
            (WorkerFailure::Stopped(report), _) => {
                (format!("The analysis stopped{again} because of a bug in camlscope ({report})."), REPORT_IT)
            }
        };
        UserError { kind: "died".to_owned(), text, advice: advice.to_owned(), offset: None }
    }
}

const LESS_MEMORY: &str = "Close other tabs and open the trace again, or record with a lower MEMTRACE_RATE.";
const REPORT_IT: &str = "You can still open other files. Please report the bug, with the trace if you can share it.";

impl Retry {
    /// Whether the new worker gets half the memory. After a bug, it doesn't, because there is no reason to read fewer
    /// samples.
    pub fn is_halved(&self) -> bool {
        self.failure == WorkerFailure::OutOfMemory
    }

    /// Returns the text on the loading screen.
    pub fn in_words(&self) -> &'static str {
        match self.failure {
            WorkerFailure::OutOfMemory => {
                "The browser ran out of memory, so the trace is being reopened with half the memory. A large trace \
                 then has fewer samples and wider margins of error."
            }
            WorkerFailure::NotStarted | WorkerFailure::Stopped(_) => "The analysis stopped. Reopening the trace.",
        }
    }

    /// Returns the notice once the trace is open again.
    pub(super) fn notice(&self, is_downsampled: bool) -> Notice {
        let mut text = match &self.failure {
            WorkerFailure::OutOfMemory => {
                "The browser ran out of memory, so the trace was reopened with half the memory.".to_owned()
            }
            WorkerFailure::NotStarted => "The trace was reopened.".to_owned(),
            WorkerFailure::Stopped(report) => {
                format!("The analysis stopped, so the trace was reopened. This is a bug in camlscope ({report}).")
            }
        };
        if self.is_halved() && is_downsampled {
            text.push_str(" It now has fewer samples and wider margins of error.");
        }
        if self.has_closed_second {
            text.push_str(" The second trace was closed. Open it again to compare.");
        }
        Notice::info(text)
    }
}
