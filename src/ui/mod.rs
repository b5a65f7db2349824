//! The page, a Yew app. State lives in one store; views read it from a context and ask the worker through query hooks.
//!
//! Each layer imports only those above it in this list:
//!
//! | layer | what it holds |
//! | --- | --- |
//! | [`shared`] | a value that equals only itself |
//! | [`platform`] | what the browser offers: canvas, clipboard, storage, address, files, sizes, keys |
//! | [`store`] | the state, its actions, its reducer, and its text in the address |
//! | [`query`] | the client of the worker, and the hooks that ask it |
//! | [`commands`] | what the user can do that needs more than the store: open, cancel, export |
//! | [`later`] | the page's second module, as other modules see it |
//! | [`context`] | what every component of an open trace can read |
//! | [`components`] | what more than one view uses |
//! | [`views`] | the timeline, and one folder for each tab |
//! | [`later::contents`] | what is in that module |
//! | [`screens`] | what fills the window: start, loading, error, workspace |
//! | [`app`] | the root component |
//!
//! The page's content security policy allows no inline style, so a length that depends on data is an attribute of a
//! `<progress>` or of an SVG shape, never `style="…"`.

mod app;
mod commands;
mod components;
mod context;
pub mod later;
mod platform;
mod query;
mod screens;
mod shared;
mod store;
mod views;

use gloo::timers::callback::Timeout;

use later::Fetch;

/// Renders the app in place of what `index.html` shows, whose start screen goes on as the app's. This runs in a task of its own:
/// the browser has just compiled the module, and both together would block it for too long.
pub fn start(fetch: Fetch) {
    let draw = move || {
        let by_id = |id| gloo::utils::document().get_element_by_id(id);
        let root = by_id("app").unwrap_or_else(|| gloo::utils::body().into());
        // A page that has lost it shows an empty one.
        let start_screen = by_id("start").unwrap_or_else(|| root.clone());
        let props = app::AppProps { start_screen, fetch };
        drop(yew::Renderer::<app::App>::with_root_and_props(root, props).render());
    };
    Timeout::new(0, draw).forget();
}
