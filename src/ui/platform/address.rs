//! The page's address: what the user has set stands behind its `#`, so that a link opens the same view.
//!
//! Changes that come in quick succession, as while a moment moves, are written a few times a second: browsers count
//! such writes, take milliseconds for each, and refuse them when there are too many.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsValue;

const PAUSE_MS: u32 = 250;

thread_local! {
    static PAUSE: RefCell<Pause> = RefCell::default();
}

#[derive(Default)]
struct Pause {
    /// Runs from one write to the next.
    timer: Option<Timeout>,
    /// What is written then.
    hash: Option<String>,
}

pub fn hash() -> String {
    gloo::utils::window().location().hash().unwrap_or_default()
}

/// The whole address, with all that the user has set.
pub fn whole() -> String {
    settle();
    gloo::utils::window().location().href().unwrap_or_default()
}

/// Writes it, as a step that the user can go back from, or in place of what stands there.
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

/// Removes a parameter from the part before the `#`.
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

/// Calls back when the user goes back or forward, or changes the address. Browsers fire one event or the other while a page
/// still loads, and both later.
pub fn on_navigation(navigate: impl Fn(&str) + 'static) -> [EventListener; 2] {
    let navigate = Rc::new(navigate);
    ["popstate", "hashchange"].map(|event| {
        let navigate = Rc::clone(&navigate);
        EventListener::new(&gloo::utils::window(), event, move |_| {
            // A pending write belongs to the view that the user has left.
            PAUSE.take();
            navigate(&hash());
        })
    })
}

/// Writes what waits, if anything, and pauses if so.
fn write_waiting() {
    PAUSE.with_borrow_mut(|pause| {
        let waiting = pause.hash.take();
        pause.timer = waiting.map(|hash| {
            put(&hash, false);
            Timeout::new(PAUSE_MS, write_waiting)
        });
    });
}

/// Writes what waits now.
fn settle() {
    if let Some(hash) = PAUSE.take().hash {
        put(&hash, false);
    }
}

fn put(hash: &str, as_step: bool) {
    let Ok(history) = gloo::utils::window().history() else {
        return;
    };
    // An empty address would reload the page: a lone # does not.
    let address = format!("#{hash}");
    // A browser that forbids it (a page from disk may) only loses the link.
    let _ = if as_step {
        history.push_state_with_url(&JsValue::NULL, "", Some(&address))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
    };
}
