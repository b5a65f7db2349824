//! The light, dark or system theme. The choice is the `data-theme` attribute of the root element, which the style sheet
//! reads. It is stored if the browser allows it. `www/boot.js` also sets the attribute, before the app's first paint.
//!
//! If the page has a host, the host chooses.

use gloo::events::EventListener;
use web_sys::MediaQueryList;
use yew::prelude::*;

use crate::ui::platform::{canvas, host, storage};
use camlscope_view::page::platform::theme::Theme;

const KEY: &str = "camlscope.theme";
const ATTRIBUTE: &str = "data-theme";

/// Returns the visible theme. If the user hasn't chosen one, it follows the system. Canvases have to be redrawn when it
/// changes.
#[hook]
pub fn use_shown(theme: Theme) -> Theme {
    let is_dark = use_state_eq(|| query().is_some_and(|query| query.matches()));
    use_effect_with((), {
        let set = is_dark.setter();
        move |()| {
            let listener = query().map(|query| {
                let media = query.clone();
                EventListener::new(&query, "change", move |_| {
                    canvas::forget_colors();
                    set.set(media.matches());
                })
            });
            move || drop(listener)
        }
    });
    match theme {
        Theme::System if *is_dark => Theme::Dark,
        Theme::System => Theme::Light,
        chosen => chosen,
    }
}

fn query() -> Option<MediaQueryList> {
    gloo::utils::window().match_media("(prefers-color-scheme: dark)").ok().flatten()
}

/// Returns the host's choice, which `www/host.js` has applied, or the user's.
pub fn remembered() -> Theme {
    let of_host = || gloo::utils::document().document_element()?.get_attribute(ATTRIBUTE);
    Theme::from_name(&if host::is_there() { of_host().unwrap_or_default() } else { storage::recall(KEY) })
}

/// Applies the theme, and stores it if the user chose it.
pub fn apply(theme: Theme) {
    if let Some(root) = gloo::utils::document().document_element() {
        let _ = match theme {
            Theme::System => root.remove_attribute(ATTRIBUTE),
            chosen => root.set_attribute(ATTRIBUTE, chosen.as_str()),
        };
        canvas::forget_colors();
    }
    if host::is_there() {
        return;
    }
    storage::remember(KEY, if theme == Theme::System { "" } else { theme.as_str() });
}
