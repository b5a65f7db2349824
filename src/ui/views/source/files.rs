//! The trace's files by weight, with a mark for those without a source.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::sources::code::About;
use crate::ui::components::sources::{FoundSources, OpenFolder};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::store::view::ViewAction;
use crate::ui::store::view::settings::SourceSettings;
use camlscope_engine::query::lines::{SourceFile, SourceFiles};
use camlscope_present::format;
use camlscope_present::source_files::{FoundFile, file_name};

/// More files are shown on request.
const N_FIRST: usize = 100;

#[derive(Properties, PartialEq)]
pub struct FileListProps {
    pub files: SourceFiles,
    pub about: About,
    pub found: Rc<FoundSources>,
    /// The open file's path in the trace.
    pub shown: String,
}

#[component]
pub fn FileList(props: &FileListProps) -> Html {
    let FileListProps { files: SourceFiles { files, .. }, about, found, shown } = props;
    let WorkspaceContext { dispatch, .. } = use_workspace();
    let shows_all = use_state_eq(|| false);
    let n_more = if *shows_all { 0 } else { files.len().saturating_sub(N_FIRST) };
    let entry = |file: &SourceFile| {
        let path = file.file.clone();
        let onclick = dispatch.reform(move |_: MouseEvent| ViewAction::Source(SourceSettings::at(&path, None)));
        let is_shown = file.file == *shown;
        let class = classes!("source-file", missing_class(found.of(&file.file)));
        html! {
            <li key={file.file.clone()}>
                <button type="button" {class} aria-current={is_shown.then_some("true")}
                    title={format!("{}\n{}", file.file, about.title(&file.figures))} {onclick}>
                    { entry_parts(file, about) }
                </button>
            </li>
        }
    };
    let show_all = Callback::from(shows_all.setter()).reform(|_: MouseEvent| true);
    html! {
        <nav class="source-files" aria-label="Source files">
            <div class="source-files-head">
                <b title={found.folder().map(|folder| folder.name.clone())}>
                    { found.folder().map(|folder| folder.name.clone()) }
                </b>
                <OpenFolder class="quiet" label="Change…" />
            </div>
            <ul>{ for files.iter().take(files.len() - n_more).map(entry) }</ul>
            if n_more > 0 {
                <button type="button" class="quiet" onclick={show_all}>
                    { format!("Show {} more", format::count(n_more as u64)) }
                </button>
            }
        </nav>
    }
}

/// A file that can't be opened yet.
pub fn file_entry(file: &SourceFile, about: &About) -> Html {
    let title = format!("{}\n{}", file.file, about.title(&file.figures));
    html! { <span class="source-file" {title}>{ entry_parts(file, about) }</span> }
}

fn missing_class(found: &FoundFile) -> Option<&'static str> {
    (!matches!(found, FoundFile::At(_))).then_some("is-missing")
}

/// The name first, because lists are narrow and paths are long.
fn entry_parts(file: &SourceFile, about: &About) -> Html {
    let width = format!("{:.2}%", about.share(file.figures.total) * 100.0);
    let name = file_name(&file.file);
    let folder = file.file[..file.file.len() - name.len()].trim_end_matches(['/', '\\']);
    html! {
        <>
            <svg class="bar" aria-hidden="true"><rect {width} height="100%" rx="3" /></svg>
            <span class="source-file-name">{ name }<i>{ folder }</i></span>
            <span data-file={file.file.clone()} data-value={file.figures.total.to_string()}>
                { about.amount(file.figures.total) }
            </span>
        </>
    }
}
