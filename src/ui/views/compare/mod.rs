//! The Compare tab: what changed between two points in time, or between two traces. At the top, a flame graph of both
//! sides, colored by the change. Below it, the table of functions with the significance of each change, since both
//! sides are samples.

mod changes;
mod diff_flame;
mod diff_tree;
mod difference;
pub mod explainer;
mod histograms;
mod notes;
mod reveal;

use yew::prelude::*;

use self::changes::Changes;
use self::diff_flame::DiffFlameGraph;
use self::histograms::BothHistograms;
use crate::ui::components::grain_select::grain_select;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::store::view::ViewAction;
use crate::ui::store::view::compare::CompareAction;
use camlscope_present::layout::diff::Width;
use camlscope_view::page::components::comparison;

#[component]
pub fn CompareView() -> Html {
    let workspace = use_workspace();
    let WorkspaceContext { view_state, dispatch, loaded, capabilities, .. } = &workspace;
    let pair = comparison::compared(view_state, loaded);
    let controls = html! {
        <>
            { width_switch(view_state.compare.width, dispatch) }
            { grain_select("Group by", &workspace) }
            { ramp(capabilities.has_samples) }
        </>
    };
    html! {
        <div class="compare">
            { notes::notes(view_state, loaded, pair, workspace.units) }
            <DiffFlameGraph {pair} {controls} />
            <Changes {pair} />
            if capabilities.has_objects {
                <BothHistograms {pair} />
            }
        </div>
    }
}

fn width_switch(width: Width, dispatch: &Callback<ViewAction>) -> Html {
    let button = |of: Width, text: &'static str, title: &'static str| {
        let onclick = dispatch.reform(move |_: MouseEvent| ViewAction::Compare(CompareAction::Width(of)));
        html! { <button class="quiet" aria-pressed={(width == of).to_string()} {title} {onclick}>{ text }</button> }
    };
    html! {
        <span class="switch" role="group" aria-label="Box width">
            <span>{ "width" }</span>
            { button(Width::After, "after", "Box width is memory after. Shows what was added.") }
            { button(Width::Before, "before", "Box width is memory before. Shows what was removed.") }
        </span>
    }
}

/// The color legend.
fn ramp(has_samples: bool) -> Html {
    let more = if has_samples { "more · gray: not significant" } else { "more · gray: unchanged" };
    html! {
        <span class="ramp">{ "less" }<span class="ramp-colors" aria-hidden="true"></span>{ more }</span>
    }
}
