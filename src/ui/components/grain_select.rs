//! The choice of grouping: by function, call site, file or module.

use yew::prelude::*;

use crate::ui::components::select::{SelectOption, select};
use crate::ui::context::WorkspaceContext;
use crate::ui::store::view::ViewAction;
use camlscope_engine::query::tree::Grain;

/// `label` is for screen readers.
pub fn grain_select(label: &'static str, workspace: &WorkspaceContext) -> Html {
    let WorkspaceContext { view_state, dispatch, capabilities, .. } = workspace;
    let option =
        |grain: Grain| (grain, SelectOption::new(grain.as_str(), format!("by {}", capabilities.frame_noun(grain))));
    select(label, Grain::ALL.map(option).into(), &view_state.grain, dispatch.reform(ViewAction::Grain))
}
