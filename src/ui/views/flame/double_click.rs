//! A double click zooms to the frame of its first click.
//!
//! The first click selects, which may open the panel and so move the graph. The second click then lands on another
//! frame, or on the panel. So both clicks are watched on the whole page.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::utils::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, MouseEvent};
use yew::prelude::*;

use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::state::Half;
use camlscope_engine::query::tree::Label;

/// Clicks farther apart are two clicks.
const NEAR_PX: f64 = 6.0;
/// The usual time between two clicks of a double click, for browsers that start counting again on another element.
const SOON_MS: f64 = 500.0;

/// The last click on the graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clicks {
    /// The pointer was dragged since it went down.
    pub is_drag: bool,
    first: Option<FirstClick>,
}

#[derive(Clone, Debug, PartialEq)]
struct FirstClick {
    /// `None` if there is no frame to zoom to.
    frame: Option<(Half, Vec<Label>)>,
    at: (f64, f64),
    time_ms: f64,
}

impl Clicks {
    pub fn begin(&mut self, event: &MouseEvent, frame: Option<(Half, Vec<Label>)>) {
        self.first = Some(FirstClick { frame, at: place(event), time_ms: event.time_stamp() });
    }
}

#[hook]
pub fn use_double_click(handlers: &Handlers) {
    let handlers = handlers.clone();
    use_effect_with((), move |()| {
        let listen = |kind: &'static str| {
            let handlers = handlers.clone();
            // Before the element under the pointer.
            let options = EventListenerOptions { phase: gloo::events::EventListenerPhase::Capture, passive: false };
            EventListener::new_with_options(&document(), kind, options, move |event| watch(&handlers, event))
        };
        let listeners = ["mousedown", "click", "dblclick"].map(listen);
        move || drop(listeners)
    });
}

fn watch(handlers: &Handlers, event: &Event) {
    let Some(event) = event.dyn_ref::<MouseEvent>() else { return };
    let Some(first) = handlers.clicks.borrow().first.clone() else { return };
    let (x, y) = place(event);
    if (x - first.at.0).hypot(y - first.at.1) > NEAR_PX {
        handlers.clicks.borrow_mut().first = None;
        return;
    }
    let is_on_graph = event.target() == handlers.stage.cast::<Element>().map(Into::into);
    let is_counted = event.detail() > 1;
    let is_second = is_counted || !is_on_graph && event.time_stamp() - first.time_ms <= SOON_MS;
    if !is_second {
        return;
    }
    if !is_on_graph {
        // The click isn't meant for what has moved under the pointer.
        event.stop_propagation();
        event.prevent_default();
    }
    // A browser that doesn't count this click as the second one sends no double click.
    if event.type_() == "dblclick" || event.type_() == "click" && !is_counted {
        handlers.clicks.borrow_mut().first = None;
        if let Some((half, path)) = first.frame {
            handlers.zoom_to_frame(half, &path);
        }
    }
}

fn place(event: &MouseEvent) -> (f64, f64) {
    (f64::from(event.client_x()), f64::from(event.client_y()))
}
