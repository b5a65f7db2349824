//! Where a trace comes from. The page keeps this while the trace is open, so that a new worker can reopen it.

use web_sys::Blob;

use crate::ui::shared::Shared;
use camlscope_engine::protocol::Whole;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceSource {
    /// A local file.
    File(FileHandle),
    /// The full URL of a file on the page's own server. The worker downloads it.
    Address(String),
    /// The sample, which the page downloads first.
    Sample,
    /// The copy in this report, with the original trace's totals.
    Report(Option<Whole>),
}

pub type FileHandle = Shared<Blob>;
