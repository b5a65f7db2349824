//! The context shared by all components of the workspace.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::commands::SourceLocation;
use crate::ui::later::Arrival;
use crate::ui::store::view::{Capabilities, Tab, ViewAction, ViewState};
use crate::ui::store::{Action, Loaded, Sources};
use camlscope_engine::protocol::{Question, Request};
use camlscope_present::format::Units;
use camlscope_present::layout::color::ModuleColors;

#[derive(Clone, PartialEq)]
pub struct WorkspaceContext {
    pub loaded: Rc<Loaded>,
    /// Capabilities of the main trace. They also apply to the second trace: a trace is only compared with a trace, and
    /// a profile with a profile.
    pub capabilities: Capabilities,
    pub view_state: Rc<ViewState>,
    pub dispatch: Callback<ViewAction>,
    /// The units for byte amounts.
    pub units: Units,
    pub colors: Rc<ModuleColors>,
    pub later: Arrival,
    /// The program's source code, if its folder is open.
    pub sources: Option<Sources>,
    /// Shows a location of the source code. All parts of the page use it.
    pub show_source: Callback<SourceLocation>,
    /// For actions that aren't about the view.
    pub act: Callback<Action>,
}

impl WorkspaceContext {
    /// The timeline shows live bytes whatever the measure, so changing the time needs no new query.
    pub fn timeline_request(&self, question: Question) -> Request {
        Request { view: self.view_state.timeline_view(self.capabilities), question }
    }

    /// The context for the filter bar. The Leaks tab always shows growth, whatever the measure of other views.
    pub fn for_filter_bar(mut self) -> WorkspaceContext {
        if self.view_state.tab == Tab::Leaks {
            self.view_state = Rc::new(self.view_state.of_growth(None));
        }
        self
    }
}

/// Panics outside the workspace.
#[hook]
pub fn use_workspace() -> WorkspaceContext {
    use_context::<WorkspaceContext>().expect("a component of the workspace is inside it")
}
