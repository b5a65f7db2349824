//! The tab before a folder is open: the button, and the files that it needs.

use wasm_bindgen::JsValue;
use yew::prelude::*;

use crate::ui::components::sources::OpenFolder;
use crate::ui::components::sources::code::About;
use crate::ui::platform::source_folder;
use crate::ui::views::source::files::file_entry;
use camlscope_engine::query::lines::{SourceFile, SourceFiles};
use camlscope_present::format;

/// The most files to name.
const MAX_FILES: usize = 8;

#[derive(Properties, PartialEq)]
pub struct EmptyProps {
    pub files: SourceFiles,
    pub about: About,
    /// The folder that was open before, if the browser has to allow it again.
    pub known: Option<JsValue>,
}

#[component]
pub fn Empty(props: &EmptyProps) -> Html {
    let EmptyProps { files: SourceFiles { files, .. }, about, known } = props;
    // Nobody looks for the compiler's library in a project.
    let own: Vec<&SourceFile> = files.iter().filter(|file| !file.is_library).collect();
    let wanted: Vec<&SourceFile> = if own.is_empty() { files.iter().collect() } else { own };
    let n_more = wanted.len().saturating_sub(MAX_FILES);
    html! {
        <div class="source-empty">
            <h2>{ "See memory next to your code" }</h2>
            <p>{ "Choose the folder with the program’s source code, or drop it on this page. Your files stay on this computer." }</p>
            if let Some(handle) = known {
                <div class="source-empty-actions">
                    <OpenFolder class="button button-primary" label={format!("Open “{}” again", source_folder::name_of(handle))}
                        known={handle.clone()} />
                    <OpenFolder label="Choose another folder…" />
                </div>
            } else {
                <OpenFolder class="button button-primary" label="Choose folder…" />
            }
            <h3>{ "Files with the most memory" }</h3>
            <ul>{ for wanted.iter().take(MAX_FILES).map(|file| html! { <li>{ file_entry(file, about) }</li> }) }</ul>
            if n_more > 0 {
                <p class="source-more">{ format!("and {} more", format::count(n_more as u64)) }</p>
            }
        </div>
    }
}
