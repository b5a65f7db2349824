//! The choice of what stands for a frame: a function, a call site, a file or a module.

use yew::prelude::*;

use crate::ui::components::select::{SelectOption, select};
use crate::ui::context::WorkspaceContext;
use crate::ui::store::view::ViewAction;
use camlscope_engine::query::tree::Grain;

/// `label` is read out by screen readers.
pub fn grain_select(label: &'static str, workspace: &WorkspaceContext) -> Html {
    let WorkspaceContext { view_state, dispatch, capabilities, .. } = workspace;
    let option =
        |grain: Grain| (grain, SelectOption::new(grain.as_str(), format!("by {}", capabilities.frame_noun(grain))));
    select(label, Grain::ALL.map(option).into(), &view_state.grain, dispatch.reform(ViewAction::Grain))
}
