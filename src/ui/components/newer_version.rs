//! The word that a newer version of the page is there. Unlike a notice it stays until it is answered.

use yew::prelude::*;

/// `is_open`: a trace is open, which a reload closes.
pub fn newer_version(is_open: bool, on_reload: &Callback<MouseEvent>, on_later: &Callback<MouseEvent>) -> Html {
    let words = if is_open {
        "A newer version of this page is there. To reload closes the trace; the address keeps the view."
    } else {
        "A newer version of this page is there."
    };
    html! {
        <div class="notice notice-info newer-version">
            <p>{ words }</p>
            <button type="button" class="button" onclick={on_reload}>{ "Reload" }</button>
            <button type="button" class="button button-quiet" onclick={on_later} aria-label="Later">{ "×" }</button>
        </div>
    }
}
