//! Where a trace comes from. The page keeps this while the trace is open, so that a new worker can reopen it.

use super::browser::Browser;
use crate::page::platform::page_config::NamedTrace;
use crate::page::shared::Shared;
use camlscope_engine::protocol::Whole;

/// The sample's name, in place of a file name.
pub const SAMPLE_NAME: &str = "the sample";

#[derive(Clone, Debug, PartialEq)]
pub enum TraceSource<B: Browser> {
    /// A local file.
    File(FileHandle<B>),
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
pub enum SecondTrace<B: Browser> {
    /// It was dropped together with the first.
    File(B::File),
    /// The page's URL names both, in their order.
    Named(NamedTrace),
}

/// The program's source code, if the user has opened its folder.
pub type Sources<B> = Shared<<B as Browser>::Folder>;

pub type FileHandle<B> = Shared<<B as Browser>::File>;

pub type DroppedFolder<B> = <B as Browser>::DroppedFolder;
