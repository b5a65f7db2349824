//! The menu for everything that is rarely needed: a second trace, units, theme, shortcuts, and what camlscope is.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{File, HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

use crate::ui::components::about::About;
use crate::ui::components::help::{Shortcuts, show};
use crate::ui::components::menu::{MenuButton, MenuItem};
use crate::ui::components::open_button::open_button;
use crate::ui::components::palette::{PaletteChoice, PaletteProps, PaletteSource};
use crate::ui::components::share_menu::Share;
use crate::ui::later::Arrival;
use crate::ui::platform::host;
use crate::ui::platform::keyboard::is_dialog_open;
use crate::ui::store::view::ViewAction;
use camlscope_present::format::Units;
use camlscope_view::page::platform::theme::Theme;

#[derive(Properties, PartialEq)]
pub struct MoreMenuProps {
    pub is_open: bool,
    pub has_other: bool,
    pub has_objects: bool,
    pub later: Arrival,
    pub units: Units,
    pub theme: Theme,
    /// The command palette's input. `None` while it is closed.
    pub palette: Option<PaletteSource>,
    /// Opens or closes the palette.
    pub on_palette: Callback<bool>,
    pub on_view: Callback<ViewAction>,
    pub on_share: Callback<Share>,
    pub on_file: Callback<File>,
    pub on_compare: Callback<File>,
    pub on_swap: Callback<()>,
    pub on_close_other: Callback<()>,
    pub on_units: Callback<Units>,
    pub on_theme: Callback<Theme>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum More {
    /// Only in the palette, since the header has a button.
    Open,
    Compare,
    Swap,
    CloseOther,
    Units(Units),
    Theme(Theme),
    Palette,
    Shortcuts,
    About,
}

impl More {
    /// Returns the entries of the menu. The host opens files and chooses the theme, if there is one.
    pub fn all(is_open: bool, has_other: bool) -> Vec<More> {
        let second = [More::Compare, More::Swap, More::CloseOther];
        let n_second = match (is_open, has_other) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 3,
        };
        let has_host = host::is_there();
        let mut all = if has_host { Vec::new() } else { second[..n_second].to_vec() };
        all.extend([Units::Binary, Units::Decimal].map(More::Units));
        if !has_host {
            all.extend([Theme::System, Theme::Light, Theme::Dark].map(More::Theme));
        }
        all.extend(is_open.then_some(More::Palette));
        all.extend([More::Shortcuts, More::About]);
        all
    }

    pub fn item(self, units: Units, theme: Theme) -> MenuItem {
        match self {
            More::Open => MenuItem::new("", "Open a file…"),
            More::Compare => MenuItem::new("Second trace", "Compare with a file…"),
            More::Swap => MenuItem::new("Second trace", "Swap A and B"),
            More::CloseOther => MenuItem::new("Second trace", "Close B"),
            More::Units(of) => MenuItem::choice("Units", format!("{} of {}", of.names()[2], of.factor()), of == units),
            More::Theme(of) => {
                let name = match of {
                    Theme::System => "System",
                    Theme::Light | Theme::HighContrastLight => "Light",
                    Theme::Dark | Theme::HighContrastDark => "Dark",
                };
                MenuItem::choice("Theme", name, of == theme)
            }
            More::Palette => MenuItem::new("Help", "Command palette (Ctrl K)"),
            More::Shortcuts => MenuItem::new("Help", "Keyboard shortcuts"),
            More::About => MenuItem::new("Help", "About camlscope"),
        }
    }
}

#[component]
pub fn MoreMenu(props: &MoreMenuProps) -> Html {
    let (opener, picker, shortcuts, about) = (use_node_ref(), use_node_ref(), use_node_ref(), use_node_ref());
    use_palette_key(props.is_open, &props.on_palette);
    let choices = More::all(props.is_open, props.has_other);
    let items: Vec<MenuItem> = choices.iter().map(|more| more.item(props.units, props.theme)).collect();
    let on_more = {
        let (opener, picker, shortcuts, about) = (opener.clone(), picker.clone(), shortcuts.clone(), about.clone());
        let (on_swap, on_close_other) = (props.on_swap.clone(), props.on_close_other.clone());
        let (on_units, on_theme, on_palette) =
            (props.on_units.clone(), props.on_theme.clone(), props.on_palette.clone());
        Callback::from(move |more: More| match more {
            More::Open => click(&opener),
            More::Compare => click(&picker),
            More::Swap => on_swap.emit(()),
            More::CloseOther => on_close_other.emit(()),
            More::Units(units) => on_units.emit(units),
            More::Theme(theme) => on_theme.emit(theme),
            More::Palette => on_palette.emit(true),
            More::Shortcuts => show(&shortcuts),
            More::About => show(&about),
        })
    };
    let on_pick = on_more.reform(move |at: usize| choices[at]);
    let palette = props.palette.clone().zip(props.later.module()).map(|(source, later)| {
        let (on_view, on_share, on_more) = (props.on_view.clone(), props.on_share.clone(), on_more.clone());
        let on_choice = Callback::from(move |choice| match choice {
            PaletteChoice::View(actions) => actions.into_iter().for_each(|action| on_view.emit(action)),
            PaletteChoice::Share(share) => on_share.emit(share),
            PaletteChoice::More(more) => on_more.emit(more),
        });
        let on_close = props.on_palette.reform(|()| false);
        (later.palette)(PaletteProps { source, units: props.units, theme: props.theme, on_choice, on_close })
    });
    html! {
        <>
            <MenuButton text="⋯" label="More" class="button button-quiet more" {items} {on_pick} />
            if props.is_open && !host::is_there() {
                <span ref={opener} hidden=true>{ open_button("Open…", false, &props.on_file) }</span>
                <span ref={picker} hidden=true>{ open_button("Compare…", false, &props.on_compare) }</span>
            }
            <Shortcuts dialog={shortcuts} has_objects={props.has_objects} later={props.later.clone()} />
            <About dialog={about} />
            { palette.unwrap_or_default() }
        </>
    }
}

/// `Ctrl` `K`, or `⌘` `K`, opens the palette from anywhere but another dialog.
#[hook]
fn use_palette_key(is_open: bool, on_palette: &Callback<bool>) {
    use_effect_with((is_open, on_palette.clone()), |(is_open, on_palette)| {
        let (is_open, on_palette) = (*is_open, on_palette.clone());
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&gloo::utils::document(), "keydown", options, move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>().filter(|_| is_open) else { return };
            let is_asked = (event.ctrl_key() || event.meta_key()) && !event.alt_key() && !event.shift_key();
            if is_asked && event.key() == "k" && !event.default_prevented() && !is_dialog_open() {
                event.prevent_default();
                on_palette.emit(true);
            }
        });
        move || drop(listener)
    });
}

/// Opens the file picker of a hidden button.
fn click(node: &NodeRef) {
    let input = node.cast::<web_sys::Element>().and_then(|node| node.query_selector("input").ok().flatten());
    if let Some(input) = input.and_then(|input| input.dyn_into::<HtmlInputElement>().ok()) {
        input.click();
    }
}
