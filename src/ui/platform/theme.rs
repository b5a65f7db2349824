//! The light, dark or system theme. The choice is the `data-theme` attribute of the root element, which the style sheet
//! reads. It is stored if the browser allows it. `www/boot.js` also sets the attribute, before the app's first paint.

use gloo::events::EventListener;
use web_sys::MediaQueryList;
use yew::prelude::*;

use crate::ui::platform::{canvas, storage};

const KEY: &str = "camlscope.theme";
const ATTRIBUTE: &str = "data-theme";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub fn as_str(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    fn from_name(word: &str) -> Theme {
        [Theme::Light, Theme::Dark].into_iter().find(|theme| theme.as_str() == word).unwrap_or_default()
    }
}

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

pub fn remembered() -> Theme {
    Theme::from_name(&storage::recall(KEY))
}

/// Applies the theme and stores it.
pub fn apply(theme: Theme) {
    if let Some(root) = gloo::utils::document().document_element() {
        let _ = match theme {
            Theme::System => root.remove_attribute(ATTRIBUTE),
            chosen => root.set_attribute(ATTRIBUTE, chosen.as_str()),
        };
        canvas::forget_colors();
    }
    storage::remember(KEY, if theme == Theme::System { "" } else { theme.as_str() });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_themes_round_trip_and_unknown_ones_mean_system() {
        for theme in [Theme::System, Theme::Light, Theme::Dark] {
            assert_eq!(Theme::from_name(theme.as_str()), theme);
        }
        assert_eq!(Theme::from_name("mauve"), Theme::System);
    }
}
