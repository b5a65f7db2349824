//! Nothing is open yet: how to open something, and how to get something to open.

use web_sys::File;
use yew::prelude::*;

use crate::ui::parts::brand::Mark;
use crate::ui::parts::open_button::OpenButton;
use crate::ui::parts::record::RecordSteps;

#[derive(Clone, Debug, PartialEq, Properties)]
pub struct EmptyProps {
    pub on_file: Callback<File>,
    pub on_sample: Callback<()>,
}

#[component]
pub fn Empty(props: &EmptyProps) -> Html {
    let onclick = props.on_sample.reform(|_: MouseEvent| ());
    html! {
        <div class="column">
            <h1>{ "See where an OCaml program’s memory goes" }</h1>
            <div class="drop-zone">
                <Mark size={56} />
                <p class="drop-words">{ "Drop a memtrace trace anywhere on this page" }</p>
                <div class="actions">
                    <OpenButton label="Open a trace…" primary=true on_file={&props.on_file} />
                    <button type="button" class="button" {onclick}>{ "Try the sample" }</button>
                </div>
            </div>
            <RecordSteps />
            <p class="privacy">{ "Nothing leaves this computer: the page has no way to send anything." }</p>
        </div>
    }
}
