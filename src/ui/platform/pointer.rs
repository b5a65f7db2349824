//! The position of a pointer, relative to an element and to the window.

use web_sys::{Element, MouseEvent, PointerEvent};
use yew::NodeRef;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pointer {
    pub x: f64,
    pub y: f64,
    /// Relative to the window.
    pub client: (f64, f64),
}

impl Pointer {
    /// Returns `None` before the element exists.
    pub fn on(node: &NodeRef, event: &MouseEvent) -> Option<Pointer> {
        let area = node.cast::<Element>()?.get_bounding_client_rect();
        let client = (f64::from(event.client_x()), f64::from(event.client_y()));
        Some(Pointer { x: client.0 - area.left(), y: client.1 - area.top(), client })
    }

    /// Sends all of the pointer's events to the element until the pointer is released.
    pub fn capture(node: &NodeRef, event: &PointerEvent) {
        if let Some(element) = node.cast::<Element>() {
            let _ = element.set_pointer_capture(event.pointer_id());
        }
    }
}
