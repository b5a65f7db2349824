//! The page. One reducer ([`state`]) holds all that is shown; [`control`] is what the reader can do; [`bridge`] owns the
//! worker; views are small functions of the state.
//!
//! The page's content security policy allows no inline style, so a length that depends on data is an attribute of a
//! `<progress>` or of an SVG shape, never `style="…"`.

mod address;
mod app;
mod asking;
mod bridge;
mod canvas;
mod clipboard;
mod control;
mod death;
mod drop;
mod effect;
mod facts;
mod later;
mod look;
mod memory;
mod page;
mod parts;
mod piece;
mod progress;
mod shortcuts;
mod size;
mod source;
mod state;
mod theme;
mod views;
mod workspace;

use gloo::timers::callback::Timeout;

/// Puts the app in the place of what `index.html` shows while it starts: in a turn of its own, since the browser has just
/// compiled what led here, and both together would block it for too long.
pub fn start() {
    let draw = || match gloo::utils::document().get_element_by_id("app") {
        Some(root) => drop(yew::Renderer::<app::App>::with_root(root).render()),
        None => drop(yew::Renderer::<app::App>::new().render()),
    };
    Timeout::new(0, draw).forget();
}
