//! The bar at the top of every screen: the logo, the open trace, and the actions that are always available.

use std::rc::Rc;

use web_sys::File;
use yew::prelude::*;

use crate::ui::commands::export::Export;
use crate::ui::components::brand::mark;
use crate::ui::components::export_menu::export_menu;
use crate::ui::components::facts;
use crate::ui::components::help::HelpButton;
use crate::ui::components::open_button::open_button;
use crate::ui::components::theme_button::theme_button;
use crate::ui::components::units_button::units_button;
use crate::ui::later::Arrival;
use crate::ui::platform::theme::Theme;
use crate::ui::store::state::{Loaded, LoadedTrace};
use camlscope_present::format::Units;

#[derive(Properties, PartialEq)]
pub struct HeaderProps {
    pub loaded: Option<Rc<Loaded>>,
    pub later: Arrival,
    pub units: Units,
    pub theme: Theme,
    pub on_file: Callback<File>,
    pub on_compare: Callback<File>,
    pub on_swap: Callback<MouseEvent>,
    pub on_close_other: Callback<MouseEvent>,
    /// The name of the open tab's chart, if it has one.
    pub picture_name: Option<&'static str>,
    pub has_filter: bool,
    pub on_export: Callback<Export>,
    pub on_notes: Callback<MouseEvent>,
    pub on_link: Callback<MouseEvent>,
    pub on_units: Callback<Units>,
    pub on_theme: Callback<Theme>,
    /// Shown next to the trace's name.
    pub children: Html,
}

#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let open = props.loaded.as_ref().map(|loaded| match &loaded.other {
        None => {
            let subtitle = facts::subtitle(&loaded.main.summary, props.units);
            html! { <p class="what">{ name(&loaded.main) }<span>{ " · " }{ subtitle }</span></p> }
        }
        Some(other) => {
            html! { <p class="what">{ side("A", "ab ab-a", &loaded.main) }{ side("B", "ab ab-b", other) }</p> }
        }
    });
    let has_objects = props.loaded.as_ref().is_none_or(|loaded| loaded.main.capabilities.has_objects);
    let has_other = props.loaded.as_ref().is_some_and(|loaded| loaded.other.is_some());
    html! {
        <header class="top">
            <p class="brand">{ mark(18) }{ "camlscope" }</p>
            { open }
            { props.children.clone() }
            <div class="top-actions">
                if has_other {
                    <button type="button" class="button button-quiet" onclick={&props.on_swap}
                        title="Swap A and B">{ "Swap" }</button>
                    <button type="button" class="button button-quiet" onclick={&props.on_close_other}
                        title="Close B and show only A">{ "Close B" }</button>
                }
                if let Some(loaded) = &props.loaded {
                    { open_button("Open…", false, &props.on_file) }
                    { open_button("Compare…", false, &props.on_compare) }
                    { export_menu(loaded.main.capabilities, props.picture_name, props.has_filter, &props.on_export) }
                    <button type="button" class="button button-quiet" onclick={&props.on_notes}
                        title="Add a title and remarks to the report">{ "Notes" }</button>
                    <button type="button" class="button button-quiet" onclick={&props.on_link}
                        title="Copy a link to this view">{ "Copy link" }</button>
                }
                <HelpButton {has_objects} later={props.later.clone()} />
                { units_button(props.units, &props.on_units) }
                { theme_button(props.theme, &props.on_theme) }
            </div>
        </header>
    }
}

/// Shows the program's name, with the file name as the tooltip.
fn name(open: &LoadedTrace) -> Html {
    html! { <b title={open.name.clone()}>{ facts::title(&open.summary, &open.name) }</b> }
}

/// Shows one of two traces: `A orders.exe · leak-1.ctf, 60.1 s`.
fn side(letter: &'static str, class: &'static str, open: &LoadedTrace) -> Html {
    html! {
        <span class="what-side">
            <span {class}>{ letter }</span>
            { name(open) }
            <span class="what-run">{ " · " }{ facts::run(&open.summary, &open.name) }</span>
        </span>
    }
}
