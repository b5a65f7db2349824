//! Keyboard shortcuts for the page as a whole, not for a text field, a dialog or the browser.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};
use yew::prelude::*;

/// Calls back for each key press outside of text fields and dialogs. Listens again when `about` changes.
#[hook]
pub fn use_key<T: Clone + PartialEq + 'static>(about: T, pressed: impl Fn(&T, &KeyboardEvent) + 'static) {
    use_effect_with(about, move |about| {
        let about = about.clone();
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&gloo::utils::document(), "keydown", options, move |event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>().filter(|event| is_free(event)) {
                pressed(&about, event);
            }
        });
        move || drop(listener)
    });
}

/// Whether no text field has the focus, no dialog is open, and no modifier key is pressed.
fn is_free(event: &KeyboardEvent) -> bool {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
        return false;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    !is_dialog_open() && !target.is_some_and(|target| is_typed_into(&target))
}

pub fn is_dialog_open() -> bool {
    gloo::utils::document().query_selector("dialog[open]").is_ok_and(|dialog| dialog.is_some())
}

fn is_typed_into(element: &Element) -> bool {
    let kind = element.get_attribute("type").unwrap_or_default();
    match element.tag_name().as_str() {
        "INPUT" => !matches!(kind.as_str(), "checkbox" | "radio" | "range" | "button"),
        "TEXTAREA" | "SELECT" => true,
        _ => element.has_attribute("contenteditable"),
    }
}
