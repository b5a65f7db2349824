//! The menu for everything that is rarely needed: a second trace, units, theme, shortcuts, and what camlscope is.

use web_sys::{File, HtmlInputElement};
use yew::prelude::*;

use crate::ui::components::about::About;
use crate::ui::components::help::{Shortcuts, show};
use crate::ui::components::menu::{MenuButton, MenuItem};
use crate::ui::components::open_button::open_button;
use crate::ui::later::Arrival;
use crate::ui::platform::theme::Theme;
use camlscope_present::format::Units;

#[derive(Properties, PartialEq)]
pub struct MoreMenuProps {
    pub is_open: bool,
    pub has_other: bool,
    pub has_objects: bool,
    pub later: Arrival,
    pub units: Units,
    pub theme: Theme,
    pub on_compare: Callback<File>,
    pub on_swap: Callback<()>,
    pub on_close_other: Callback<()>,
    pub on_units: Callback<Units>,
    pub on_theme: Callback<Theme>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum More {
    Compare,
    Swap,
    CloseOther,
    Units(Units),
    Theme(Theme),
    Shortcuts,
    About,
}

impl More {
    fn item(self, units: Units, theme: Theme) -> MenuItem {
        match self {
            More::Compare => MenuItem::new("Second trace", "Compare with a file…"),
            More::Swap => MenuItem::new("Second trace", "Swap A and B"),
            More::CloseOther => MenuItem::new("Second trace", "Close B"),
            More::Units(of) => MenuItem::choice("Units", format!("{} of {}", of.names()[2], of.factor()), of == units),
            More::Theme(of) => {
                let name = match of {
                    Theme::System => "Like the system",
                    Theme::Light => "Light",
                    Theme::Dark => "Dark",
                };
                MenuItem::choice("Theme", name, of == theme)
            }
            More::Shortcuts => MenuItem::new("Help", "Keyboard shortcuts"),
            More::About => MenuItem::new("Help", "About camlscope"),
        }
    }
}

#[component]
pub fn MoreMenu(props: &MoreMenuProps) -> Html {
    let (picker, shortcuts, about) = (use_node_ref(), use_node_ref(), use_node_ref());
    let second = [More::Compare, More::Swap, More::CloseOther];
    let n_second = match (props.is_open, props.has_other) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 3,
    };
    let mut choices = second[..n_second].to_vec();
    choices.extend([Units::Binary, Units::Decimal].map(More::Units));
    choices.extend([Theme::System, Theme::Light, Theme::Dark].map(More::Theme));
    choices.extend([More::Shortcuts, More::About]);
    let items: Vec<MenuItem> = choices.iter().map(|more| more.item(props.units, props.theme)).collect();
    let on_pick = {
        let (picker, shortcuts, about) = (picker.clone(), shortcuts.clone(), about.clone());
        let (on_swap, on_close_other) = (props.on_swap.clone(), props.on_close_other.clone());
        let (on_units, on_theme) = (props.on_units.clone(), props.on_theme.clone());
        Callback::from(move |at: usize| match choices[at] {
            More::Compare => click(&picker),
            More::Swap => on_swap.emit(()),
            More::CloseOther => on_close_other.emit(()),
            More::Units(units) => on_units.emit(units),
            More::Theme(theme) => on_theme.emit(theme),
            More::Shortcuts => show(&shortcuts),
            More::About => show(&about),
        })
    };
    html! {
        <>
            <MenuButton text="⋯" label="More" class="button button-quiet more" {items} {on_pick} />
            if props.is_open {
                <span ref={picker} hidden=true>{ open_button("Compare…", false, &props.on_compare) }</span>
            }
            <Shortcuts dialog={shortcuts} has_objects={props.has_objects} later={props.later.clone()} />
            <About dialog={about} />
        </>
    }
}

/// Opens the file picker of a hidden button.
fn click(node: &NodeRef) {
    let input = node.cast::<web_sys::Element>().and_then(|node| node.query_selector("input").ok().flatten());
    if let Some(input) = input.and_then(|input| wasm_bindgen::JsCast::dyn_into::<HtmlInputElement>(input).ok()) {
        input.click();
    }
}
