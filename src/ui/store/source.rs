//! Where a trace comes from. The page keeps it as long as the trace is open, so that a new worker can open it again.

use web_sys::Blob;

use crate::ui::shared::Shared;
use camlscope_engine::protocol::Whole;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceSource {
    /// A file of the user's.
    File(FileHandle),
    /// A file of the page's own host, by its whole address. The worker fetches it.
    Address(String),
    /// The sample, which has to be fetched first.
    Sample,
    /// The copy in the report that this page is, and what it says of the whole.
    Report(Option<Whole>),
}

/// A file of the user's.
pub type FileHandle = Shared<Blob>;
