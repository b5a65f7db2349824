//! The line on top of every screen: whose page this is, what is open, and what can always be done.

use web_sys::File;
use yew::prelude::*;

use super::brand::mark;
use super::exporting::{Export, export_menu};
use super::help::HelpButton;
use super::open_button::open_button;
use super::theme_button::theme_button;
use super::units_button::units_button;
use crate::format::Units;
use crate::ui::facts;
use crate::ui::piece::Piece;
use crate::ui::state::Loaded;
use crate::ui::theme::Theme;

pub struct Header<'a> {
    pub loaded: Option<&'a Loaded>,
    pub units: Units,
    pub theme: Theme,
    pub on_file: &'a Callback<File>,
    pub on_compare: &'a Callback<File>,
    pub on_export: &'a Callback<Export>,
    pub on_link: &'a Callback<()>,
    pub on_units: &'a Callback<Units>,
    pub on_theme: &'a Callback<Theme>,
}

pub fn header(props: &Header<'_>) -> Html {
    let open = props.loaded.map(|loaded| {
        let title = facts::title(&loaded.main.summary, &loaded.main.name);
        let subtitle = facts::subtitle(&loaded.main.summary);
        html! { <p class="what"><b title={loaded.main.name.clone()}>{ title }</b><span>{ " · " }{ subtitle }</span></p> }
    });
    let on_link = props.on_link.reform(|_: MouseEvent| ());
    html! {
        <header class="top">
            <p class="brand">{ mark(18) }{ "camlscope" }</p>
            { open }
            <div class="top-actions">
                if props.loaded.is_some() {
                    { open_button("Open…", false, props.on_file) }
                    <span class="if-wide">{ open_button("Compare…", false, props.on_compare) }</span>
                    <span class="if-wide">{ export_menu(props.on_export) }</span>
                    <button type="button" class="button button-quiet" onclick={on_link}
                        title="Copies a link that opens this view, once the same file is dropped">{ "Link" }</button>
                }
                { HelpButton.show() }
                { units_button(props.units, props.on_units) }
                { theme_button(props.theme, props.on_theme) }
            </div>
        </header>
    }
}
