//! The choice of what stands for a frame: a function, a call site, a file or a module.

use yew::prelude::*;

use crate::ui::components::select::{Select, SelectOption};
use crate::ui::context::use_workspace;
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
    let is_profile = use_workspace().loaded.is_profile();
    let option = |grain: Grain| {
        let text = match grain {
            Grain::Site => "call site",
            // A profile has no names of functions.
            Grain::Function if is_profile => "line",
            Grain::Function | Grain::File | Grain::Module => grain.as_str(),
        };
        SelectOption::new(grain.as_str(), format!("by {text}"))
    };
    let options: Vec<SelectOption> = Grain::ALL.into_iter().map(option).collect();
    let selected = Grain::ALL.iter().position(|grain| *grain == props.grain).unwrap_or_default();
    let on_select = props.on_select.reform(|index: usize| Grain::ALL[index.min(Grain::ALL.len() - 1)]);
    html! { <Select label={&props.label} {options} {selected} {on_select} /> }
}
