//! The Share menu: a link to the view, notes, reports and exports.

use yew::prelude::*;

use crate::ui::commands::export::{Export, SharedSources};
use crate::ui::components::menu::{MenuButton, MenuItem};
use crate::ui::platform::host;
use crate::ui::store::view::Capabilities;

#[derive(Clone, Debug, PartialEq)]
pub enum Share {
    CopyLink,
    Notes,
    /// Shows which source code a report would include.
    SourceReport,
    ReportWithSources(SharedSources),
    Export(Export),
}

/// `picture_name` is the name of the open tab's chart, if it has one.
pub fn share_menu(
    capabilities: Capabilities,
    picture_name: Option<&'static str>,
    has_filter: bool,
    has_sources: bool,
    on_share: &Callback<Share>,
) -> Html {
    let exports = Export::available(capabilities, picture_name.is_some(), has_filter);
    let shares = shares(exports, has_sources);
    let item = |share: &Share| match share {
        Share::CopyLink => MenuItem::new("", "Copy link"),
        Share::Notes => MenuItem::new("", "Notes for the report…"),
        Share::SourceReport | Share::ReportWithSources(_) => MenuItem::new(Export::StaticReport.group(), SOURCE_REPORT),
        Share::Export(export) => MenuItem::new(export.group(), export.title(capabilities, picture_name)),
    };
    let items: Vec<MenuItem> = shares.iter().map(item).collect();
    let on_pick = on_share.reform(move |index: usize| shares[index].clone());
    html! { <MenuButton text="Share ▾" label="Share or export" class="button" {items} {on_pick} /> }
}

pub const SOURCE_REPORT: &str = "Report with sources…";

/// The report with sources comes after the other reports.
fn shares(exports: Vec<Export>, has_sources: bool) -> Vec<Share> {
    // A link to a page in a frame leads nowhere.
    let link = (!host::is_there()).then_some(Share::CopyLink);
    let mut shares: Vec<Share> = link.into_iter().chain([Share::Notes]).collect();
    for export in exports {
        shares.push(Share::Export(export));
        if export == Export::StaticReport && has_sources {
            shares.push(Share::SourceReport);
        }
    }
    shares
}
