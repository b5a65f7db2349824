//! The page, a Yew app. State lives in one store. Views read it from a context and query the worker through hooks.
//! The parts that need no browser are in [`camlscope_view::page`], in folders with the same names.
//!
//! Each layer imports only those above it in this list:
//!
//! | layer | what it holds |
//! | --- | --- |
//! | [`yew_reducer`] | a reducer for Yew's hooks |
//! | [`platform`] | browser APIs: canvas, clipboard, storage, address, files, sizes, keys |
//! | [`store`] | the state with the browser's objects, and its text in the URL |
//! | [`query`] | the worker's client and the query hooks |
//! | [`commands`] | user commands that need more than the store: open, cancel, export |
//! | [`later`] | the page's second module, as other modules see it |
//! | [`context`] | the context of all components of an open trace |
//! | [`components`] | components that several views use |
//! | [`views`] | the timeline, and one folder per tab |
//! | [`later::contents`] | the contents of that module |
//! | [`screens`] | full-window screens: start, loading, error, workspace |
//! | [`app`] | the root component |
//!
//! The content security policy forbids inline styles, so a length that depends on data is an attribute of a
//! `<progress>` or an SVG shape, never `style="…"`.

mod app;
mod commands;
mod components;
mod context;
pub mod later;
mod platform;
mod query;
mod screens;
mod store;
mod views;
mod yew_reducer;

use gloo::timers::callback::Timeout;

use later::Fetch;

/// Renders the app in place of the static `index.html`, reusing its start screen. This runs in a separate task, because
/// the browser has just compiled the module, and both together would block it for too long.
pub fn start(fetch: Fetch) {
    let draw = move || {
        let by_id = |id| gloo::utils::document().get_element_by_id(id);
        let root = by_id("app").unwrap_or_else(|| gloo::utils::body().into());
        // If the element is missing, the start screen is empty.
        let start_screen = by_id("start").unwrap_or_else(|| root.clone());
        let props = app::AppProps { start_screen, fetch };
        drop(yew::Renderer::<app::App>::with_root_and_props(root, props).render());
    };
    Timeout::new(0, draw).forget();
}
