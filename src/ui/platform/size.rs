//! The size of an element, updated as it changes.

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// Returns the last visible width and height in CSS pixels, or `None` before the first layout.
#[hook]
pub fn use_size(node: &NodeRef) -> Option<(f64, f64)> {
    let size = use_state_eq(|| None);
    use_effect_with(node.clone(), {
        let size = size.clone();
        move |node| {
            let watched = node.cast::<Element>().and_then(|element| {
                let measured = element.clone();
                let changed = Closure::<dyn FnMut()>::new(move || {
                    let area = measured.get_bounding_client_rect();
                    let (size, now) = (size.clone(), (area.width(), area.height()));
                    // The element is hidden or between two layouts, so there is nothing to draw.
                    if now.0 < 1.0 || now.1 < 1.0 {
                        return;
                    }
                    // The browser is in the middle of a frame, so re-rendering gets a separate task.
                    Timeout::new(0, move || size.set(Some(now))).forget();
                });
                let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok()?;
                observer.observe(&element);
                Some((observer, changed))
            });
            move || {
                if let Some((observer, changed)) = watched {
                    observer.disconnect();
                    drop(changed);
                }
            }
        }
    });
    *size
}
