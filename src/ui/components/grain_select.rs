//! The choice of what stands for a frame: a function, a call site, a file or a module.

use yew::prelude::*;

use crate::ui::components::select::{Select, SelectOption};
use crate::ui::context::{WorkspaceContext, use_workspace};
use camlscope_engine::query::tree::Grain;

#[derive(Properties, PartialEq)]
pub struct GrainSelectProps {
    /// Read out by screen readers; not shown.
    pub label: AttrValue,
    pub grain: Grain,
    pub on_select: Callback<Grain>,
}

#[component]
pub fn GrainSelect(props: &GrainSelectProps) -> Html {
    let WorkspaceContext { capabilities, .. } = use_workspace();
    let option = |grain: Grain| SelectOption::new(grain.as_str(), format!("by {}", capabilities.frame_noun(grain)));
    let options: Vec<SelectOption> = Grain::ALL.into_iter().map(option).collect();
    let selected = Grain::ALL.iter().position(|grain| *grain == props.grain).unwrap_or_default();
    let on_select = props.on_select.reform(|index: usize| Grain::ALL[index.min(Grain::ALL.len() - 1)]);
    html! { <Select label={&props.label} {options} {selected} {on_select} /> }
}
