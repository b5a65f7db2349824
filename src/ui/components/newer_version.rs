//! The message that a new version is available. Unlike a notice, it stays until the user reacts.

use yew::prelude::*;

/// `is_open` means that a trace is open, which a reload closes.
pub fn newer_version(is_open: bool, on_reload: &Callback<MouseEvent>, on_later: &Callback<MouseEvent>) -> Html {
    let words = if is_open {
        "A new version is available. Reloading closes the trace but keeps your view."
    } else {
        "A new version is available."
    };
    html! {
        <div class="notice notice-info newer-version">
            <p>{ words }</p>
            <button type="button" class="button" onclick={on_reload}>{ "Reload" }</button>
            <button type="button" class="button button-quiet" onclick={on_later} aria-label="Later">{ "×" }</button>
        </div>
    }
}
