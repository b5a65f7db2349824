//! The state of the worker, why it failed, and whether the page opens the trace again by itself.
//!
//! A trace is opened again once. A second failure has a cause that a third worker would meet too.

use super::notice::Notice;
use camlscope_present::words::errors::UserError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerState {
    /// `late`: it should long have been ready.
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

/// Why a worker died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerFailure {
    /// It never became ready; a new one would not either.
    NotStarted,
    OutOfMemory,
    /// A bug; the text is what the browser or the panic said.
    Stopped(String),
}

/// A trace is opened again because the worker that had it died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    pub failure: WorkerFailure,
    /// A second trace was open or being opened. It is not opened again.
    pub has_closed_second: bool,
}

/// What browsers say when memory runs out. A panic arrives with its text; a bare `unreachable` is what remains when an
/// allocation fails.
const MEMORY_WORDS: [&str; 5] =
    ["unreachable", "out of memory", "allocation failed", "could not allocate", "capacity overflow"];

impl WorkerFailure {
    /// `report` is what the browser or the panic said.
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

    /// The error if the trace isn't reopened. `is_second`: it was reopened, and the worker failed again.
    pub fn error(&self, is_second: bool) -> UserError {
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
    /// Whether the new worker gets half the memory. A bug is no reason to read fewer samples.
    pub fn is_halved(&self) -> bool {
        self.failure == WorkerFailure::OutOfMemory
    }

    /// The text on the loading screen.
    pub fn in_words(&self) -> &'static str {
        match self.failure {
            WorkerFailure::OutOfMemory => {
                "The browser ran out of memory. Reopening the trace with half the memory. Large traces keep \
                 fewer samples, so margins of error are wider."
            }
            WorkerFailure::NotStarted | WorkerFailure::Stopped(_) => "The analysis stopped. Reopening the trace.",
        }
    }

    /// The notice once the trace is open again.
    pub fn notice(&self, is_downsampled: bool) -> Notice {
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
