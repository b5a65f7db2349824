//! Asks whether to include source code in a report, and says which files that would be.

use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

use crate::ui::commands::export::SharedSources;
use crate::ui::components::share_menu::Share;
use crate::ui::components::sources::use_found_sources;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::platform::source_folder::FolderFile;
use camlscope_present::export::{ReportSource, ReportSources};
use camlscope_view::page::components::sources::report;

/// A report has to stay small enough for an email. Code of a program is smaller, unless it is generated.
const MAX_BYTES: u64 = 4 << 20;

#[derive(Properties, PartialEq)]
pub struct SourceReportProps {
    pub on_share: Callback<Share>,
    pub on_close: Callback<()>,
}

#[component]
pub fn SourceReport(props: &SourceReportProps) -> Html {
    let WorkspaceContext { sources, units, .. } = use_workspace();
    let folder = sources.as_ref().map_or_else(String::new, |sources| sources.name.clone());
    let (found, query) = use_found_sources(sources);
    let files = use_state(|| None::<Included>);
    use_effect_with((found, query.answer.is_some()), {
        let files = files.setter();
        move |(found, is_known)| {
            if *is_known {
                let all: Vec<FolderFile> = found.all_real().into_iter().cloned().collect();
                spawn_local(async move { files.set(Some(Included::new(all).await)) });
            }
        }
    });
    let dialog = use_node_ref();
    use_effect_with(dialog.clone(), |dialog| {
        if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
            let _ = dialog.show_modal();
        }
    });
    let on_save = {
        let (files, on_share, on_close) = (files.clone(), props.on_share.clone(), props.on_close.clone());
        Callback::from(move |_: MouseEvent| {
            let files = (*files).clone().unwrap_or_default().files;
            let (folder, on_share) = (folder.clone(), on_share.clone());
            on_close.emit(());
            spawn_local(async move {
                on_share.emit(Share::ReportWithSources(SharedSources::new(read(folder, files).await)))
            });
        })
    };
    let on_cancel = props.on_close.reform(|_: MouseEvent| ());
    // On Escape, the store closes the dialog by removing it.
    let oncancel = props.on_close.reform(|event: Event| event.prevent_default());
    let entry = |(file, bytes): &(FolderFile, u64)| {
        html! { <li><span>{ &file.path }</span><span>{ units.bytes(*bytes as f64) }</span></li> }
    };
    html! {
        <dialog ref={dialog} class="second report-sources" aria-labelledby="report-sources-title" aria-busy={files.is_none().to_string()} {oncancel}>
            <h2 id="report-sources-title">{ "Include source code in the report?" }</h2>
            if let Some(included) = &*files {
                <p>{ included.words(|bytes| units.bytes(bytes as f64)) }</p>
                <ul>{ for included.files.iter().map(entry) }</ul>
            }
            <div class="actions">
                <button type="button" class="button button-primary" onclick={on_save}
                    disabled={files.as_ref().is_none_or(|included| included.files.is_empty())}>{ "Save report with sources" }</button>
                <button type="button" class="button button-quiet" onclick={on_cancel}>{ "Cancel" }</button>
            </div>
        </dialog>
    }
}

/// The files that the report would include, largest total first, with their sizes.
#[derive(Clone, Debug, Default, PartialEq)]
struct Included {
    files: Vec<(FolderFile, u64)>,
    n_too_large: usize,
}

impl Included {
    async fn new(all: Vec<FolderFile>) -> Included {
        let (mut included, mut left) = (Included::default(), MAX_BYTES);
        for file in all {
            // A file that can't be read is left out, like its code on the page.
            let Some(bytes) = file.size().await else { continue };
            match left.checked_sub(bytes) {
                Some(now_left) => {
                    left = now_left;
                    included.files.push((file, bytes));
                }
                None => included.n_too_large += 1,
            }
        }
        included
    }

    fn words(&self, in_words: impl Fn(u64) -> String) -> String {
        let bytes = self.files.iter().map(|(_, bytes)| bytes).sum();
        report::words(self.files.len(), bytes, self.n_too_large, in_words)
    }
}

async fn read(folder: String, files: Vec<(FolderFile, u64)>) -> ReportSources {
    let mut sources = ReportSources { folder, files: Vec::new() };
    for (file, _) in files {
        if let Ok(read) = file.read().await {
            sources.files.push(ReportSource { path: file.path, modified_ms: read.modified_ms, text: read.text });
        }
    }
    sources
}
