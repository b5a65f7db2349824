//! The page's URL. The view is stored after the `#`, so that a link opens the same view.
//!
//! If the page has a host, the host keeps the view instead.
//!
//! Rapid changes, such as dragging the time, are written only a few times per second. Each write takes milliseconds,
//! and browsers reject too many of them.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsValue;

use super::host;

const PAUSE_MS: u32 = 250;

thread_local! {
    static PAUSE: RefCell<Pause> = RefCell::default();
}

#[derive(Default)]
struct Pause {
    /// Runs between two writes.
    timer: Option<Timeout>,
    /// The text for the next write.
    hash: Option<String>,
}

pub fn hash() -> String {
    gloo::utils::window().location().hash().unwrap_or_default()
}

/// Returns the full URL, including the current view.
pub fn whole() -> String {
    settle();
    gloo::utils::window().location().href().unwrap_or_default()
}

/// Writes the hash, either as a new history entry or by replacing the current one.
pub fn write(hash: String, as_step: bool) {
    if as_step {
        settle();
        return put(&hash, true);
    }
    let is_pausing = PAUSE.with_borrow_mut(|pause| {
        pause.hash = Some(hash);
        pause.timer.is_some()
    });
    if !is_pausing {
        write_waiting();
    }
}

/// Removes a query parameter.
pub fn remove_parameter(name: &str) {
    settle();
    let location = gloo::utils::window().location();
    let (Ok(path), Ok(search)) = (location.pathname(), location.search()) else { return };
    let is_other = |parameter: &&str| parameter.split('=').next() != Some(name);
    let others: Vec<&str> = search.trim_start_matches('?').split('&').filter(is_other).collect();
    if search.is_empty() || others.len() == search.split('&').count() {
        return;
    }
    let search = if others.is_empty() { String::new() } else { format!("?{}", others.join("&")) };
    if let Ok(history) = gloo::utils::window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("{path}{search}{}", hash())));
    }
}

/// Calls back when the user goes back or forward or edits the URL. While a page is loading, browsers fire only one of
/// the two events. Later they fire both.
pub fn on_navigation(navigate: impl Fn(&str) + 'static) -> [EventListener; 2] {
    let navigate = Rc::new(navigate);
    ["popstate", "hashchange"].map(|event| {
        let navigate = Rc::clone(&navigate);
        EventListener::new(&gloo::utils::window(), event, move |_| {
            // The pending write belongs to the view that the user has just left.
            PAUSE.take();
            navigate(&hash());
        })
    })
}

/// Writes the pending hash, if any, and then pauses.
fn write_waiting() {
    PAUSE.with_borrow_mut(|pause| {
        let waiting = pause.hash.take();
        pause.timer = waiting.map(|hash| {
            put(&hash, false);
            Timeout::new(PAUSE_MS, write_waiting)
        });
    });
}

/// Writes the pending hash now, if any.
fn settle() {
    if let Some(hash) = PAUSE.take().hash {
        put(&hash, false);
    }
}

fn put(hash: &str, as_step: bool) {
    if host::is_there() {
        return host::post("state", &[("hash", hash.into())]);
    }
    let Ok(history) = gloo::utils::window().history() else {
        return;
    };
    // An empty URL would reload the page, but a lone `#` doesn't.
    let address = format!("#{hash}");
    // If the browser refuses (it may for a page opened from disk), only the link is lost.
    let _ = if as_step {
        history.push_state_with_url(&JsValue::NULL, "", Some(&address))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
    };
}
