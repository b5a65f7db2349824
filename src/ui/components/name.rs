//! Names in text.

use yew::prelude::*;

/// Lets a long name wrap after a dot or slash instead of inside a word.
pub fn breakable(name: &str) -> Html {
    let parts = name.split_inclusive(['.', '/']);
    parts.map(|part| html! { <>{ part.to_owned() }<wbr /></> }).collect()
}
