//! The menu of files that the page can save.

use yew::prelude::*;

use crate::ui::commands::export::Export;
use crate::ui::components::menu::{MenuButton, MenuItem};
use crate::ui::store::view::Capabilities;

#[derive(Properties, PartialEq)]
pub struct ExportMenuProps {
    pub capabilities: Capabilities,
    /// What the open tab draws, if anything.
    pub picture_name: Option<&'static str>,
    pub has_filter: bool,
    pub on_export: Callback<Export>,
}

#[component]
pub fn ExportMenu(props: &ExportMenuProps) -> Html {
    let ExportMenuProps { capabilities, picture_name, has_filter, .. } = *props;
    let exports = Export::available(capabilities, picture_name.is_some(), has_filter);
    let item =
        |export: &Export| MenuItem { group: export.group(), text: export.title(capabilities, picture_name).into() };
    let items: Vec<MenuItem> = exports.iter().map(item).collect();
    let on_pick = {
        let on_export = props.on_export.clone();
        Callback::from(move |index: usize| {
            exports.get(index).copied().into_iter().for_each(|export| on_export.emit(export))
        })
    };
    html! {
        <MenuButton text="Export" label="Save what is shown as a file" class="button button-quiet" {items} {on_pick} />
    }
}
