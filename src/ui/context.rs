//! What every component of the workspace can read and do.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::later::Arrival;
use crate::ui::store::state::Loaded;
use crate::ui::store::view::{Capabilities, Tab, ViewAction, ViewState};
use camlscope_engine::protocol::{Question, Request};
use camlscope_present::format::Units;
use camlscope_present::layout::color::ModuleColors;

#[derive(Clone, PartialEq)]
pub struct WorkspaceContext {
    pub loaded: Rc<Loaded>,
    /// Of the main trace, and so of both: a trace is only compared with a trace, and a profile with a profile.
    pub capabilities: Capabilities,
    pub view_state: Rc<ViewState>,
    pub dispatch: Callback<ViewAction>,
    /// What amounts of bytes are written in.
    pub units: Units,
    pub colors: Rc<ModuleColors>,
    pub later: Arrival,
}

impl WorkspaceContext {
    /// The timeline's curve is of live bytes whatever the measure, so a moment that moves need not ask again.
    pub fn timeline_request(&self, question: Question) -> Request {
        Request { view: self.view_state.timeline_view(self.capabilities), question }
    }

    /// The text of the filter bar. The Leaks tab shows growth, whatever measure other views have.
    pub fn for_filter_bar(mut self) -> WorkspaceContext {
        if self.view_state.tab == Tab::Leaks {
            self.view_state = Rc::new(self.view_state.of_growth(None));
        }
        self
    }
}

/// Only inside the workspace.
#[hook]
pub fn use_workspace() -> WorkspaceContext {
    use_context::<WorkspaceContext>().expect("a component of the workspace is inside it")
}
