//! The button that cycles through the system, light and dark themes.

use yew::prelude::*;

use crate::ui::platform::theme::Theme;

pub fn theme_button(theme: Theme, on_theme: &Callback<Theme>) -> Html {
    let onclick = on_theme.reform(move |_: MouseEvent| theme.next());
    // Shapes instead of characters, because few fonts have these and the browser would search for one.
    let dark_part = match theme {
        Theme::System => Some("M8 2a6 6 0 0 0 0 12z"),
        Theme::Light => None,
        Theme::Dark => Some("M8 2a6 6 0 0 0 0 12a6 6 0 0 0 0-12z"),
    };
    let name = format!("Theme: {}. Switch to {}.", theme.as_str(), theme.next().as_str());
    html! {
        <button type="button" class="button button-quiet theme-button" data-choice={theme.as_str()} {onclick}
            aria-label={name.clone()} title={name}>
            <svg class="theme-sign" viewBox="0 0 16 16" aria-hidden="true">
                <circle cx="8" cy="8" r="6" />
                if let Some(d) = dark_part {
                    <path {d} />
                }
            </svg>
        </button>
    }
}
