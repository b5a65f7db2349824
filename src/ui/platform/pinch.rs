//! Pinch gestures on a trackpad, as reported by Safari. Other browsers send wheel events with Control pressed instead.

use std::cell::Cell;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use js_sys::Reflect;
use web_sys::{Element, Event};
use yew::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pinch {
    /// The center of the gesture in the window.
    pub client: (f64, f64),
    /// The ratio of the finger distance to that of the previous event.
    pub apart: f64,
}

#[hook]
pub fn use_pinch(node: &NodeRef, on_pinch: impl Fn(Pinch) + 'static) {
    use_effect_with(node.clone(), move |node| {
        let listeners = node.cast::<Element>().map(|element| listen(&element, on_pinch));
        move || drop(listeners)
    });
}

fn listen(element: &Element, on_pinch: impl Fn(Pinch) + 'static) -> [EventListener; 2] {
    let last = Rc::new(Cell::new(1.0));
    let options = EventListenerOptions::enable_prevent_default();
    let begun = {
        let last = Rc::clone(&last);
        EventListener::new_with_options(element, "gesturestart", options, move |event| {
            event.prevent_default();
            last.set(1.0);
        })
    };
    let changed = EventListener::new_with_options(element, "gesturechange", options, move |event| {
        // Keep Safari from zooming the page.
        event.prevent_default();
        let (Some(scale), Some(x), Some(y)) =
            (number(event, "scale"), number(event, "clientX"), number(event, "clientY"))
        else {
            return;
        };
        if scale > 0.0 {
            on_pinch(Pinch { client: (x, y), apart: scale / last.replace(scale) });
        }
    });
    [begun, changed]
}

/// These events exist only in Safari, so web-sys doesn't have them.
fn number(event: &Event, name: &str) -> Option<f64> {
    Reflect::get(event, &name.into()).ok()?.as_f64().filter(|number| number.is_finite())
}
