//! When the page scrolls, the timeline stays visible as a strip that only has the curve.

use gloo::events::EventListener;
use web_sys::HtmlElement;
use yew::prelude::*;

/// The height in the style sheet, with the border.
const STRIP: f64 = 41.0;
const CLASS: &str = "is-strip";

#[hook]
pub fn use_strip(section: &NodeRef) {
    use_effect_with(section.clone(), |section| {
        let (section, mut missing) = (section.clone(), None);
        let scrolled = EventListener::new(&gloo::utils::window(), "scroll", move |_| {
            if let Some(element) = section.cast::<HtmlElement>() {
                missing = turn(&element, missing);
            }
        });
        move || drop(scrolled)
    });
}

/// `missing` is the height that a strip lacks. A margin replaces it, so that the content below doesn't move.
fn turn(element: &HtmlElement, missing: Option<f64>) -> Option<f64> {
    let rest = missing.unwrap_or_else(|| element.get_bounding_client_rect().height() - STRIP);
    let is_strip = gloo::utils::window().scroll_y().is_ok_and(|y| y > rest);
    if is_strip == missing.is_some() {
        return missing;
    }
    let margin = if is_strip { format!("{rest}px") } else { String::new() };
    let _ = element.class_list().toggle_with_force(CLASS, is_strip);
    let _ = element.style().set_property("margin-bottom", &margin);
    is_strip.then_some(rest)
}
