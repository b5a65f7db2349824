//! The dialog that says what camlscope is, and which version this is.

use yew::prelude::*;

use crate::ui::components::help::dialog;

#[derive(Properties, PartialEq)]
pub struct AboutProps {
    pub dialog: NodeRef,
}

#[component]
pub fn About(props: &AboutProps) -> Html {
    let content = html! {
        <div class="about">
            <p>{ "A memory profiler viewer for OCaml. It reads memtrace traces and Spacetime profiles." }</p>
            <p>{ "Your files never leave this computer: they are decoded and analyzed in this browser." }</p>
            <p class="about-version">{ concat!("Version ", env!("CARGO_PKG_VERSION"), " · MIT or Apache 2.0") }</p>
        </div>
    };
    dialog(&props.dialog, "About camlscope", "about-title", content)
}
