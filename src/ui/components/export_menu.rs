//! The menu of files that the page can save.

use yew::prelude::*;

use crate::ui::commands::export::Export;
use crate::ui::components::menu::{Item, MenuButton};

#[derive(Properties, PartialEq)]
pub struct ExportMenuProps {
    /// A profile is open.
    pub is_profile: bool,
    pub on_export: Callback<Export>,
}

#[component]
pub fn ExportMenu(props: &ExportMenuProps) -> Html {
    let is_profile = props.is_profile;
    let items = Export::ALL.map(|export| Item { group: "", text: export.title(is_profile) }).to_vec();
    let on_pick = props.on_export.reform(|index: usize| Export::ALL[index.min(Export::ALL.len() - 1)]);
    html! {
        <MenuButton text="Export" label="Save what is shown as a file" class="button button-quiet" {items} {on_pick} />
    }
}
