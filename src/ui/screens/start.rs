//! Nothing is open yet: how to open something, and how to get something to open.

use web_sys::File;
use yew::prelude::*;

use crate::ui::components::brand::mark;
use crate::ui::components::open_button::open_button;
use crate::ui::components::recent_files::RecentFiles;
use crate::ui::components::record_steps::record_steps;
use crate::ui::store::trace_id::TraceId;

/// `wanted` is the trace that a link was made for, if the page was opened with one.
pub fn start(wanted: Option<&TraceId>, on_file: &Callback<File>, on_sample: &Callback<MouseEvent>) -> Html {
    html! {
        <div class="column">
            <h1>{ "See where an OCaml program’s memory goes" }</h1>
            if let Some(wanted) = wanted {
                <p class="banner banner-info link-waits" role="status">
                    { "This link shows a view of " }<b>{ wanted.words() }</b>
                    { ". Drop or open that file to see it." }
                </p>
            }
            <div class="drop-zone">
                { mark(56) }
                <p class="drop-words">{ "Drop a memtrace trace (.ctf) or a Spacetime profile anywhere on this page" }</p>
                <div class="actions">
                    { open_button("Open a file…", true, on_file) }
                    <button type="button" class="button" onclick={on_sample}>{ "Try the sample" }</button>
                </div>
            </div>
            <RecentFiles {on_file} />
            { record_steps() }
            <p class="privacy">{ "Your trace never leaves this computer." }</p>
        </div>
    }
}
