//! A button that opens the file picker. It is a label around a file input that is only visually hidden, so it keeps its
//! focus, name and role.

use wasm_bindgen_futures::spawn_local;
use web_sys::{File, HtmlInputElement};
use yew::prelude::*;

use crate::ui::platform::recent_files;

pub fn open_button(label: &'static str, is_primary: bool, on_file: &Callback<File>) -> Html {
    let on_file = on_file.clone();
    // If the browser supports file handles, the file can be listed and reopened later.
    let onclick = {
        let on_file = on_file.clone();
        Callback::from(move |event: MouseEvent| {
            if recent_files::is_available() {
                event.prevent_default();
                let on_file = on_file.clone();
                spawn_local(async move {
                    if let Some(file) = recent_files::pick().await {
                        on_file.emit(file);
                    }
                });
            }
        })
    };
    let onchange = Callback::from(move |event: Event| picked(&on_file, &event));
    html! {
        <label class={classes!("button", is_primary.then_some("button-primary"))}>
            <input type="file" class="visually-hidden" {onclick} {onchange} />
            { label }
        </label>
    }
}

fn picked(on_file: &Callback<File>, event: &Event) {
    let input: HtmlInputElement = event.target_unchecked_into();
    let file = input.files().and_then(|files| files.get(0));
    // Otherwise, picking the same file again would not fire a change event.
    input.set_value("");
    if let Some(file) = file {
        on_file.emit(file);
    }
}
