//! Where a trace comes from. The page keeps this while the trace is open, so that a new worker can reopen it.

use web_sys::{Blob, File};

use crate::ui::platform::page_config::NamedTrace;
use crate::ui::platform::source_folder::Folder;
use camlscope_engine::protocol::Whole;
use camlscope_view::page::shared::Shared;

/// The sample's name, in place of a file name.
pub const SAMPLE_NAME: &str = "the sample";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceSource {
    /// A local file.
    File(FileHandle),
    /// The full URL of a file on the page's own server. The worker downloads it.
    Address(String),
    /// A file of the program that the page is embedded in, which sends it in pieces.
    Host { size: u64 },
    /// The sample, which the page downloads first.
    Sample,
    /// The copy in this report, with the original trace's totals.
    Report(Option<Whole>),
}

/// The second of two traces, which is opened once the first is open.
#[derive(Clone, Debug, PartialEq)]
pub enum SecondTrace {
    /// It was dropped together with the first.
    File(File),
    /// The page's URL names both, in their order.
    Named(NamedTrace),
}

/// The program's source code, if the user has opened its folder.
pub type Sources = Shared<Folder>;

pub type FileHandle = Shared<Blob>;
