//! The page. One reducer ([`state`]) holds all that is shown; [`control`] is what the reader can do; [`bridge`] owns the
//! worker; views are small functions of the state.
//!
//! The page's content security policy allows no inline style, so a length that depends on data is an attribute of a
//! `<progress>` or of an SVG shape, never `style="…"`.

mod app;
mod asking;
mod bridge;
mod canvas;
mod clipboard;
mod control;
mod drop;
mod effect;
mod facts;
mod look;
mod memory;
mod page;
mod parts;
mod piece;
mod progress;
mod shortcuts;
mod size;
mod state;
mod theme;
mod views;
mod workspace;

/// Puts the app in the place of what `index.html` shows while it starts.
pub fn start() {
    match gloo::utils::document().get_element_by_id("app") {
        Some(root) => yew::Renderer::<app::App>::with_root(root).render(),
        None => yew::Renderer::<app::App>::new().render(),
    };
}
