//! The export menu.

use yew::prelude::*;

use crate::ui::commands::export::Export;
use crate::ui::components::menu::{MenuButton, MenuItem};
use crate::ui::store::view::Capabilities;

/// `picture_name` is the name of the open tab's chart, if it has one.
pub fn export_menu(
    capabilities: Capabilities,
    picture_name: Option<&'static str>,
    has_filter: bool,
    on_export: &Callback<Export>,
) -> Html {
    let exports = Export::available(capabilities, picture_name.is_some(), has_filter);
    let item =
        |export: &Export| MenuItem { group: export.group(), text: export.title(capabilities, picture_name).into() };
    let items: Vec<MenuItem> = exports.iter().map(item).collect();
    let on_pick = on_export.reform(move |index: usize| exports[index]);
    html! {
        <MenuButton text="Export" label="Export" class="button button-quiet" {items} {on_pick} />
    }
}
