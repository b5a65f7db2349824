//! Everything that can change the state.

use web_sys::File;

use super::notice::Notice;
use super::source::{FileHandle, TraceSource};
use super::state::DroppedFile;
use super::trace_id::TraceId;
use super::view::{ViewAction, ViewState};
use super::worker::{WorkerFailure, WorkerState};
use crate::ui::platform::theme::Theme;
use camlscope_engine::protocol::{FromWorker, RequestId, Slot};
use camlscope_present::format::Units;
use camlscope_present::words::errors::UserError;

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The user opened something. The load gets [`super::state::State::newest_load`] as its ID.
    LoadStarted {
        slot: Slot,
        name: String,
        source: TraceSource,
        /// The second of two files that were dropped at once.
        is_second: bool,
    },
    /// The worker opens something that was asked for before the page's program was there: [`crate::wire::EARLY_LOAD`].
    LoadAdopted {
        name: String,
        source: TraceSource,
    },
    /// The load has taken [`super::state::SHOW_LOAD_AFTER_MS`], so it is shown from now on.
    LoadShown {
        id: RequestId,
    },
    LoadCanceled {
        id: RequestId,
    },
    /// The load failed before the worker saw the file.
    LoadFailed {
        id: RequestId,
        error: UserError,
    },
    /// A message from the worker, other than an answer.
    WorkerMessage(FromWorker),
    WorkerChanged(WorkerState),
    WorkerFailed(WorkerFailure),
    /// The page looked at the open file, and this is what it is now.
    FileSeen(FileHandle),
    /// Whether the user wants to leave out what is new in a file that grows.
    FollowingPaused(bool),
    /// From an error back to what was open before.
    WentBack,
    NoticeShown(Notice),
    NoticeDismissed,
    /// Whether the page says that a newer version of it is there.
    NewerVersion(bool),
    /// A file was dropped while a trace is open: the page asks what it is for.
    FileDropped(DroppedFile),
    DropAnswered,
    /// Two files were dropped at once: this one is opened once the first is.
    SecondQueued(File),
    /// The two traces change places.
    Swapped,
    OtherClosed,
    ThemeChosen(Theme),
    UnitsChosen(Units),
    NotesEdited(bool),
    TitleWritten(String),
    RemarksWritten(String),
    View(ViewAction),
    /// The address changed: back, forward, or a pasted link.
    Navigated {
        view: Box<ViewState>,
        /// The trace that the address is of, if it says so.
        trace: Option<TraceId>,
    },
}
