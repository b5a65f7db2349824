//! The store: the state and its actions, which are in [`camlscope_view`], with the browser's objects.
//!
//! There is one reducer, [`Store`]. [`address_sync`] subscribes to it, writes the part of the state that a link
//! contains to the URL, and dispatches an action when the user goes back or forward.

pub mod address_sync;

use web_sys::File;

use super::platform::source_folder::{DroppedFolder, Folder};
use super::yew_reducer::YewReducer;
pub use camlscope_view as view;
use camlscope_view::page::store::browser::Browser;
use camlscope_view::page::store::{action, source, state};

/// The browser that the page runs in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WebBrowser;

impl Browser for WebBrowser {
    type File = File;
    type Folder = Folder;
    type DroppedFolder = DroppedFolder;

    fn bytes(file: &File) -> u64 {
        file.size() as u64
    }

    fn is_of_report(folder: &Folder) -> bool {
        folder.is_of_report
    }
}

pub type Store = YewReducer<State>;
pub type State = state::State<WebBrowser>;
pub type Screen = state::Screen<WebBrowser>;
pub type Load = state::Load<WebBrowser>;
pub type Loaded = state::Loaded<WebBrowser>;
pub type LoadedTrace = state::LoadedTrace<WebBrowser>;
pub type Failed = state::Failed<WebBrowser>;
pub type DroppedFile = state::DroppedFile<WebBrowser>;
pub type Action = action::Action<WebBrowser>;
pub type TraceSource = source::TraceSource<WebBrowser>;
pub type SecondTrace = source::SecondTrace<WebBrowser>;
pub type FileHandle = source::FileHandle<WebBrowser>;
pub type Sources = source::Sources<WebBrowser>;
