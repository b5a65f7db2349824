//! The bar at the top of every screen: the logo, the open trace, and the actions that are always available.

use std::rc::Rc;

use web_sys::File;
use yew::prelude::*;

use crate::ui::components::brand::mark;
use crate::ui::components::more_menu::MoreMenu;
use crate::ui::components::open_button::open_button;
use crate::ui::components::palette::PaletteSource;
use crate::ui::components::share_menu::{Share, share_menu};
use crate::ui::components::tabs::Tabs;
use crate::ui::later::Arrival;
use crate::ui::platform::host;
use crate::ui::store::view::{Tab, ViewAction};
use crate::ui::store::{Loaded, LoadedTrace};
use camlscope_present::format::Units;
use camlscope_view::page::components::facts;
use camlscope_view::page::platform::theme::Theme;

#[derive(Properties, PartialEq)]
pub struct HeaderProps {
    pub loaded: Option<Rc<Loaded>>,
    pub tab: Tab,
    pub later: Arrival,
    pub units: Units,
    pub theme: Theme,
    /// The name of the open tab's chart, if it has one.
    pub picture_name: Option<&'static str>,
    pub has_filter: bool,
    /// Whether the program's source code is open.
    pub has_sources: bool,
    /// The command palette's input. `None` while it is closed.
    pub palette: Option<PaletteSource>,
    pub on_palette: Callback<bool>,
    pub on_view: Callback<ViewAction>,
    pub on_file: Callback<File>,
    pub on_tab: Callback<Tab>,
    pub on_share: Callback<Share>,
    pub on_compare: Callback<File>,
    pub on_swap: Callback<()>,
    pub on_close_other: Callback<()>,
    pub on_units: Callback<Units>,
    pub on_theme: Callback<Theme>,
    /// Shown next to the tabs.
    pub children: Html,
}

#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let loaded = props.loaded.as_deref();
    let open = loaded.map(|loaded| match &loaded.other {
        None => {
            let subtitle = facts::subtitle(&loaded.main.summary, props.units);
            html! { <p class="what">{ name(&loaded.main, false, &subtitle) }</p> }
        }
        Some(other) => {
            // Two runs of a program are told apart by their files.
            let title = |open: &LoadedTrace| facts::title(&open.summary, &open.name);
            let by_file = title(&loaded.main) == title(other);
            let side = |letter, class, open| side(letter, class, open, by_file);
            html! { <p class="what">{ side("A", "ab ab-a", &loaded.main) }{ side("B", "ab ab-b", other) }</p> }
        }
    });
    html! {
        <header class="top">
            <p class="brand">{ mark(18) }<span class="brand-name">{ "camlscope" }</span></p>
            { open }
            if let Some(loaded) = loaded {
                <Tabs open={props.tab} tabs={loaded.main.capabilities.tabs()} on_tab={&props.on_tab} />
            }
            { props.children.clone() }
            <div class="top-actions">
                if let Some(loaded) = loaded {
                    if !host::is_there() {
                        { open_button("Open…", false, &props.on_file) }
                    }
                    { share_menu(loaded.main.capabilities, props.picture_name, props.has_filter, props.has_sources, &props.on_share) }
                }
                <MoreMenu is_open={loaded.is_some()} has_other={loaded.is_some_and(|loaded| loaded.other.is_some())}
                    has_objects={loaded.is_none_or(|loaded| loaded.main.capabilities.has_objects)}
                    palette={props.palette.clone()} on_palette={&props.on_palette} on_view={&props.on_view}
                    on_share={&props.on_share} on_file={&props.on_file} later={props.later.clone()} units={props.units} theme={props.theme} on_compare={&props.on_compare}
                    on_swap={&props.on_swap} on_close_other={&props.on_close_other} on_units={&props.on_units}
                    on_theme={&props.on_theme} />
            </div>
        </header>
    }
}

/// Shows the name of the program or of the file, with both and more facts as the tooltip.
fn name(open: &LoadedTrace, by_file: bool, more: &str) -> Html {
    let title = facts::title(&open.summary, &open.name);
    let words = format!("{title} · {} · {more}", open.name);
    html! { <b title={words}>{ if by_file { open.name.clone() } else { title } }</b> }
}

/// Shows one of two traces: `A orders.exe`.
fn side(letter: &'static str, class: &'static str, open: &LoadedTrace, by_file: bool) -> Html {
    html! {
        <span class="what-side">
            <span {class}>{ letter }</span>
            { name(open, by_file, &facts::run(&open.summary, &open.name)) }
        </span>
    }
}
