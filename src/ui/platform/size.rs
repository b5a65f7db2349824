//! How large an element is on the screen, as it changes.

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// Width and height in CSS pixels, when it was seen last; none before the first layout.
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
                    // Out of sight, or between two layouts: nothing would be drawn for it.
                    if now.0 < 1.0 || now.1 < 1.0 {
                        return;
                    }
                    // The browser is in the middle of a frame: what is drawn anew has a turn of its own.
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
