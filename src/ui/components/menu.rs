//! A button with a menu, following the ARIA menu pattern: arrow keys move, Enter chooses, Escape closes.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};
use yew::prelude::*;

use crate::ui::components::popover::{Popover, focus};

#[derive(Clone, Debug, PartialEq)]
pub struct MenuItem {
    /// A heading is shown where the group changes.
    pub group: &'static str,
    pub text: AttrValue,
    /// Whether it is the current one of several choices. `None` if it isn't a choice.
    pub is_checked: Option<bool>,
}

impl MenuItem {
    pub fn new(group: &'static str, text: impl Into<AttrValue>) -> MenuItem {
        MenuItem { group, text: text.into(), is_checked: None }
    }

    pub fn choice(group: &'static str, text: impl Into<AttrValue>, is_checked: bool) -> MenuItem {
        MenuItem { is_checked: Some(is_checked), ..MenuItem::new(group, text) }
    }
}

#[derive(Properties, PartialEq)]
pub struct MenuButtonProps {
    pub text: &'static str,
    pub label: &'static str,
    pub class: &'static str,
    pub items: Vec<MenuItem>,
    pub on_pick: Callback<usize>,
}

#[component]
pub fn MenuButton(props: &MenuButtonProps) -> Html {
    let is_open = use_state_eq(|| false);
    let button = use_node_ref();
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |_: MouseEvent| is_open.set(!*is_open))
    };
    let close = Callback::from(is_open.setter()).reform(|()| false);
    let item = |(at, item): (usize, &MenuItem)| {
        let onclick = {
            let (on_pick, close, button) = (props.on_pick.clone(), close.clone(), button.clone());
            Callback::from(move |_: MouseEvent| {
                focus(&button);
                close.emit(());
                on_pick.emit(at);
            })
        };
        let role = if item.is_checked.is_some() { "menuitemradio" } else { "menuitem" };
        let is_first = at == 0 || props.items[at - 1].group != item.group;
        html! {
            <>
                if is_first && !item.group.is_empty() {
                    <p class="menu-group" role="presentation">{ item.group }</p>
                }
                <button type="button" class="menu-item" {role} tabindex="-1" aria-checked={item.is_checked.map(|is| is.to_string())}
                    {onclick}>{ item.text.clone() }</button>
            </>
        }
    };
    let onkeydown = Callback::from(|event: KeyboardEvent| {
        move_focus(&event);
    });
    let items = html! {
        <div class="menu" role="presentation" {onkeydown}>
            { for props.items.iter().enumerate().map(item) }
        </div>
    };
    html! {
        <span class="anchor">
            <button type="button" ref={button.clone()} class={props.class} aria-haspopup="menu"
                aria-expanded={is_open.to_string()} title={props.label} onclick={toggle}>{ props.text }</button>
            if *is_open {
                <Popover label={props.label} role="menu" opener={button.clone()} on_close={close.clone()}>{ items }</Popover>
            }
        </span>
    }
}

/// Moves the focus. Arrow keys wrap around, Home and End go to the ends. Returns whether the key was one of these.
pub fn move_focus(event: &KeyboardEvent) -> bool {
    let now = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some((now, menu)) = now.and_then(|now| now.parent_element().map(|menu| (now, menu))) else { return false };
    let items: Vec<Element> = (0..menu.children().length())
        .filter_map(|at| menu.children().item(at))
        .filter(|child| child.get_attribute("role").is_some_and(|role| role.starts_with("menuitem")))
        .collect();
    let Some(at) = items.iter().position(|item| *item == now) else { return false };
    let next = match event.key().as_str() {
        "ArrowDown" => (at + 1) % items.len(),
        "ArrowUp" => (at + items.len() - 1) % items.len(),
        "Home" => 0,
        "End" => items.len() - 1,
        _ => return false,
    };
    event.prevent_default();
    if let Some(item) = items[next].dyn_ref::<HtmlElement>() {
        let _ = item.focus();
    }
    true
}
