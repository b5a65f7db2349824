//! The switch between the system's colours, light and dark.

use yew::prelude::*;

use crate::ui::theme::Theme;

pub fn theme_button(theme: Theme, on_theme: &Callback<Theme>) -> Html {
    let onclick = on_theme.reform(move |_: MouseEvent| theme.next());
    let sign = match theme {
        Theme::System => "◐",
        Theme::Light => "○",
        Theme::Dark => "●",
    };
    let name = format!("Colours: {}. Switch to {}.", theme.word(), theme.next().word());
    html! {
        <button type="button" class="button button-quiet theme-button" data-choice={theme.word()} {onclick}
            aria-label={name.clone()} title={name}>
            { sign }
        </button>
    }
}
