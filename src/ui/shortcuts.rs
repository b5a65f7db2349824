//! Keys that work anywhere once a trace is open. They keep out of the way of whoever types, and of the browser's own.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

use super::look::{Tab, Turn};
use super::workspace::beside;
use crate::ui::effect::use_effect_with;

/// Calls back with a key that is meant for the page as a whole.
pub fn on_key(pressed: impl Fn(&KeyboardEvent) + 'static) -> EventListener {
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(&gloo::utils::document(), "keydown", options, move |event: &Event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>()
            && is_free(event)
        {
            pressed(event);
        }
    })
}

/// `/` searches, digits and brackets change tabs.
#[hook]
pub fn use_shortcuts(open: Tab, turn: Callback<Turn>) {
    use_effect_with(open, move |open| {
        let open = *open;
        let listener = on_key(move |event| {
            let tab = match event.key().as_str() {
                "/" => {
                    event.prevent_default();
                    return focus_search();
                }
                "[" => beside(open, -1),
                "]" => beside(open, 1),
                key => match key.parse::<usize>().ok().and_then(|digit| Tab::ALL.get(digit.wrapping_sub(1))) {
                    Some(tab) => *tab,
                    None => return,
                },
            };
            event.prevent_default();
            turn.emit(Turn::Tab(tab));
        });
        move || drop(listener)
    });
}

fn focus_search() {
    let field = gloo::utils::document().query_selector(".workspace [data-search]").ok().flatten();
    if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
        let _ = field.focus();
        if let Some(input) = field.dyn_ref::<HtmlInputElement>() {
            input.select();
        }
    }
}

/// Nobody types, no dialog is open, and no other key is held.
fn is_free(event: &KeyboardEvent) -> bool {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
        return false;
    }
    let dialog = gloo::utils::document().query_selector("dialog[open]").ok().flatten();
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    dialog.is_none() && !target.is_some_and(|target| is_typed_into(&target))
}

fn is_typed_into(element: &Element) -> bool {
    let kind = element.get_attribute("type").unwrap_or_default();
    match element.tag_name().as_str() {
        "INPUT" => !matches!(kind.as_str(), "checkbox" | "radio" | "range" | "button"),
        "TEXTAREA" | "SELECT" => true,
        _ => element.has_attribute("contenteditable"),
    }
}
