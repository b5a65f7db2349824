//! The logo, a flame graph of three bars. `www/icon.svg` has the same shapes.

use yew::prelude::*;

/// `size` is in CSS pixels.
pub fn mark(size: u16) -> Html {
    let size = size.to_string();
    html! {
        <svg class="mark" width={size.clone()} height={size} viewBox="0 0 18 18" aria-hidden="true">
            <rect x="1" y="11" width="16" height="5" rx="1" fill="#ec6813" />
            <rect x="3" y="6" width="10" height="4" rx="1" fill="#f08a45" />
            <rect x="5" y="2" width="5" height="3" rx="1" fill="#f6b48a" />
        </svg>
    }
}
