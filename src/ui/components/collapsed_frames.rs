//! Frames that nearly all memory goes through are collapsed into one row of the flame graph. This module has the button
//! that expands them and the row's text.

use web_sys::MouseEvent;
use yew::prelude::*;

use camlscope_engine::query::flame::Flame;
use camlscope_present::layout::flame::{CollapsedFrames, title};

const MOST_NAMES: usize = 12;

/// Empty if there are no collapsed frames.
pub fn collapsed_switch(n_frames: u32, is_open: bool, onclick: Callback<MouseEvent>) -> Html {
    if n_frames == 0 {
        return Html::default();
    }
    let words = if is_open { "Collapse" } else { "Expand" };
    html! {
        <button class="quiet flame-trunk" aria-expanded={is_open.to_string()} {onclick}>
            { format!("{words} {n_frames} frames") }
        </button>
    }
}

/// Returns the row's description and the names of its frames.
pub fn collapsed_words(flame: &Flame, collapsed: CollapsedFrames) -> (String, String) {
    let mut names: Vec<String> = collapsed.labels(flame).take(MOST_NAMES).map(title).collect();
    if collapsed.n_frames() as usize > MOST_NAMES {
        names.push("…".to_owned());
    }
    (format!("{} collapsed frames; click to expand", collapsed.n_frames()), names.join(" › "))
}
