//! The screen for a file that couldn't be opened: what happened, what to do, and how to continue.

use web_sys::{Element, File};
use yew::prelude::*;

use crate::ui::components::open_button::open_button;
use crate::ui::platform::host;
use crate::ui::store::Failed;
use camlscope_view::page::components::facts;

use super::start::RecordSteps;

pub fn error(
    failed: &Failed,
    start_screen: &Element,
    on_file: &Callback<File>,
    on_sample: &Callback<MouseEvent>,
    on_back: &Callback<MouseEvent>,
) -> Html {
    let Failed { name, error, before } = failed;
    let back = before.as_ref().map(|loaded| {
        let label = format!("Back to {}", facts::title(&loaded.main.summary, &loaded.main.name));
        html! { <button type="button" class="button" onclick={on_back}>{ label }</button> }
    });
    html! {
        <div class="column">
            <div class="failure" role="alert" data-error={error.kind.clone()}>
                <h1>{ "Can’t open " }<span class="file-name">{ name }</span></h1>
                <p class="failure-text">{ &error.text }</p>
                if !error.advice.is_empty() {
                    <p class="failure-advice">{ &error.advice }</p>
                }
            </div>
            if host::is_there() {
                <div class="actions">{ back }</div>
            } else {
                <div class="actions">
                    { open_button("Open another file…", true, on_file) }
                    { back }
                    <button type="button" class="button" onclick={on_sample}>{ "Try the sample" }</button>
                </div>
                <RecordSteps start_screen={start_screen.clone()} />
            }
        </div>
    }
}
