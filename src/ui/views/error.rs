//! A file that did not open: what happened, what to do, and every way on.

use web_sys::File;
use yew::prelude::*;

use crate::ui::facts;
use crate::ui::parts::open_button::open_button;
use crate::ui::parts::record::record_steps;
use crate::ui::state::Failed;

pub fn error(failed: &Failed, on_file: &Callback<File>, on_sample: &Callback<()>, on_back: &Callback<()>) -> Html {
    let Failed { name, error, before } = failed;
    let on_sample = on_sample.reform(|_: MouseEvent| ());
    let back = before.as_ref().map(|loaded| {
        let onclick = on_back.reform(|_: MouseEvent| ());
        let label = format!("Back to {}", facts::title(&loaded.main.summary, &loaded.main.name));
        html! { <button type="button" class="button" {onclick}>{ label }</button> }
    });
    html! {
        <div class="column">
            <div class="failure" role="alert" data-error={error.kind.clone()}>
                <h1>{ "Could not open " }<span class="file-name">{ name }</span></h1>
                <p class="failure-text">{ &error.text }</p>
                if !error.advice.is_empty() {
                    <p class="failure-advice">{ &error.advice }</p>
                }
            </div>
            <div class="actions">
                { open_button("Open another…", true, on_file) }
                { back }
                <button type="button" class="button" onclick={on_sample}>{ "Try the sample" }</button>
            </div>
            { record_steps() }
        </div>
    }
}
