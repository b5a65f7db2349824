//! The frames that nearly all memory goes through share a row of a flame graph: the switch that tells them apart, and what
//! the row is.

use web_sys::MouseEvent;
use yew::prelude::*;

use camlscope_engine::query::flame::Flame;
use camlscope_present::layout::flame::{CollapsedFrames, title};

/// So many names are told.
const MOST_NAMES: usize = 12;

/// Nothing where there are none.
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

/// What the row is, and the names of its frames.
pub fn collapsed_words(flame: &Flame, collapsed: CollapsedFrames) -> (String, String) {
    let mut names: Vec<String> = collapsed.labels(flame).take(MOST_NAMES).map(title).collect();
    if collapsed.n_frames() as usize > MOST_NAMES {
        names.push("…".to_owned());
    }
    (format!("{} collapsed frames; click to expand", collapsed.n_frames()), names.join(" › "))
}
