//! The Share menu: a link to the view, notes, reports and exports.

use yew::prelude::*;

use crate::ui::commands::export::Export;
use crate::ui::components::menu::{MenuButton, MenuItem};
use crate::ui::platform::host;
use crate::ui::store::view::Capabilities;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Share {
    CopyLink,
    Notes,
    Export(Export),
}

/// `picture_name` is the name of the open tab's chart, if it has one.
pub fn share_menu(
    capabilities: Capabilities,
    picture_name: Option<&'static str>,
    has_filter: bool,
    on_share: &Callback<Share>,
) -> Html {
    let exports = Export::available(capabilities, picture_name.is_some(), has_filter);
    // A link to a page in a frame leads nowhere.
    let link = (!host::is_there()).then_some(Share::CopyLink);
    let shares: Vec<Share> =
        link.into_iter().chain([Share::Notes]).chain(exports.into_iter().map(Share::Export)).collect();
    let item = |share: &Share| match share {
        Share::CopyLink => MenuItem::new("", "Copy link"),
        Share::Notes => MenuItem::new("", "Notes for the report…"),
        Share::Export(export) => MenuItem::new(export.group(), export.title(capabilities, picture_name)),
    };
    let items: Vec<MenuItem> = shares.iter().map(item).collect();
    let on_pick = on_share.reform(move |index: usize| shares[index]);
    html! { <MenuButton text="Share ▾" label="Share or export" class="button" {items} {on_pick} /> }
}
