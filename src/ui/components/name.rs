//! Names in running text.

use yew::prelude::*;

/// A name that a narrow column breaks behind a dot or a slash, not inside a word.
pub fn breakable(name: &str) -> Html {
    let parts = name.split_inclusive(['.', '/']);
    parts.map(|part| html! { <>{ part.to_owned() }<wbr /></> }).collect()
}
