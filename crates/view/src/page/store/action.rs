//! Everything that can change the state.

use std::rc::Rc;

use super::browser::Browser;
use super::notice::Notice;
use super::source::{DroppedFolder, FileHandle, SecondTrace, Sources, TraceSource};
use super::state::DroppedFile;
use super::trace_id::TraceId;
use super::worker::{WorkerFailure, WorkerState};
use crate::page::platform::theme::Theme;
use crate::{ViewAction, ViewState};
use camlscope_engine::protocol::{FromWorker, RequestId, Slot};
use camlscope_present::format::Units;
use camlscope_present::words::errors::UserError;

#[derive(Clone, Debug, PartialEq)]
pub enum Action<B: Browser> {
    /// The user opened something. The load gets [`super::state::State::newest_load`] as its ID.
    LoadStarted {
        slot: Slot,
        name: String,
        source: TraceSource<B>,
        /// Whether it is the second of two files that were dropped together.
        is_second: bool,
    },
    /// The worker is already loading a file that was requested before the app started.
    LoadAdopted {
        id: RequestId,
        name: String,
        source: TraceSource<B>,
    },
    /// The load has taken [`super::state::SHOW_LOAD_AFTER_MS`] and is now shown.
    LoadShown {
        id: RequestId,
    },
    LoadCanceled {
        id: RequestId,
    },
    /// The load failed before the worker received the file.
    LoadFailed {
        id: RequestId,
        error: UserError,
    },
    /// A message from the worker that isn't a response to a query.
    WorkerMessage(FromWorker),
    WorkerChanged(WorkerState),
    WorkerFailed(WorkerFailure),
    /// The current version of the open file.
    FileSeen(FileHandle<B>),
    /// The current size of the open file on the page's server.
    SizeSeen(u64),
    /// Whether the user has paused following a live trace.
    FollowingPaused(bool),
    /// From an error back to the trace that was open before.
    WentBack,
    NoticeShown(Notice),
    NoticeDismissed,
    /// Whether to show that a new version of the page is available.
    NewerVersion(bool),
    /// A file was dropped while a trace is open, and the page asks what to do with it.
    FileDropped(DroppedFile<B>),
    DropAnswered,
    /// Two traces are opened together. This one comes after the first.
    SecondQueued(SecondTrace<B>),
    /// The two traces were swapped.
    Swapped,
    OtherClosed,
    ThemeChosen(Theme),
    /// The host wants figures by line for these files of the trace.
    FilesAnnotated(Rc<[String]>),
    UnitsChosen(Units),
    NotesEdited(bool),
    /// The command palette was opened or closed.
    PaletteOpened(bool),
    /// A folder was dropped while a trace is open. `None` once it is searched.
    FolderDropped(Option<DroppedFolder<B>>),
    /// A folder with source code was opened.
    SourcesOpened(Sources<B>),
    /// Whether to ask which sources a report includes.
    SourceReport(bool),
    TitleWritten(String),
    RemarksWritten(String),
    View(ViewAction),
    /// The URL changed: back, forward, or a pasted link.
    Navigated {
        view: Box<ViewState>,
        /// The trace that the URL was made for, if it names one.
        trace: Option<TraceId>,
    },
}
