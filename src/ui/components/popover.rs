//! A native popover below the button that opened it. The browser closes it on Escape or a click elsewhere, and restores
//! the focus.

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, ToggleEvent};
use yew::prelude::*;

use crate::ui::platform::placement::{Anchor, place};

#[derive(Properties, PartialEq)]
pub struct PopoverProps {
    pub label: AttrValue,
    /// The element above the popover, which gets the focus back.
    pub opener: NodeRef,
    pub on_close: Callback<()>,
    pub role: &'static str,
    pub children: Html,
}

#[component]
pub fn Popover(props: &PopoverProps) -> Html {
    let node = use_node_ref();
    use_effect_with((), {
        let (node, anchor, on_close) = (node.clone(), Anchor::Below(props.opener.clone()), props.on_close.clone());
        move |()| {
            let toggled = node.cast::<HtmlElement>().map(|element| {
                let _ = element.show_popover();
                EventListener::new(&element, "toggle", move |event| {
                    if event.dyn_ref::<ToggleEvent>().is_some_and(|event| event.new_state() == "closed") {
                        on_close.emit(());
                    }
                })
            });
            place(&node, &anchor);
            focus_first(&node);
            let window = gloo::utils::window();
            let moved = ["resize", "scroll"].map(|event| {
                let (node, anchor) = (node.clone(), anchor.clone());
                EventListener::new(&window, event, move |_| place(&node, &anchor))
            });
            move || drop((toggled, moved))
        }
    });
    // Tab closes the menu.
    let onkeydown = {
        let (opener, on_close, is_menu) = (props.opener.clone(), props.on_close.clone(), props.role == "menu");
        Callback::from(move |event: KeyboardEvent| {
            if is_menu && event.key() == "Tab" {
                focus(&opener);
                on_close.emit(());
            }
        })
    };
    html! {
        <div ref={node} class="popover" popover="auto" role={props.role} aria-label={&props.label} {onkeydown}>
            { props.children.clone() }
        </div>
    }
}

/// Focuses an element, or the button inside it.
pub fn focus(node: &NodeRef) {
    let Some(element) = node.cast::<HtmlElement>() else { return };
    let button = element.query_selector("button").ok().flatten().and_then(|button| button.dyn_into().ok());
    let _ = button.unwrap_or(element).focus();
}

/// Focuses the first interactive element inside an element.
pub fn focus_first(node: &NodeRef) {
    let Some(element) = node.cast::<Element>() else { return };
    let first = element.query_selector("[data-first], [role^=menuitem], input, select, button").ok().flatten();
    if let Some(first) = first.and_then(|first| first.dyn_into::<HtmlElement>().ok()) {
        let _ = first.focus();
    }
}
