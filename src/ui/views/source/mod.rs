//! The Source tab: whole files with figures next to the code, a list of the files by weight, and where in a file the hot
//! lines are. The user opens the folder with the code. Without it, the tab says which files it needs.

mod empty;
pub mod explainer;
mod files;
mod map;
mod notes;
mod pane;

use yew::prelude::*;

use self::empty::Empty;
use self::files::FileList;
use self::pane::SourcePane;
use crate::ui::components::nothing::why_nothing;
use crate::ui::components::sources::code::About;
use crate::ui::components::sources::{use_found_sources, use_known_folder};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::ViewState;
use camlscope_engine::protocol::Question;
use camlscope_engine::query::lines::SourceFiles;
use camlscope_present::format;

#[component]
pub fn SourceView() -> Html {
    let workspace = use_workspace();
    let WorkspaceContext { view_state, dispatch, loaded, sources, .. } = &workspace;
    let known = use_known_folder();
    let (found, all_files) = use_found_sources(sources.clone());
    let query = use_query(Some(view_state.request(Question::SourceFiles)));
    let Some(files) = query.get::<SourceFiles>().filter(|_| all_files.answer.is_some()) else {
        if query.error.is_some() {
            return why_nothing(loaded, view_state, dispatch, query.error.as_ref());
        }
        let share = query.progress.map_or_else(String::new, |share| format!(" {}", format::percent(share)));
        return html! { <p class="coming" role="status" aria-busy="true">{ format!("Counting…{share}") }</p> };
    };
    if files.files.is_empty() && !query.is_waiting {
        let view_state = ViewState { search: String::new(), ..ViewState::clone(view_state) };
        return why_nothing(loaded, &view_state, dispatch, None);
    }
    let about = About::new(&workspace, files.all);
    if sources.is_none() {
        return html! { <Empty files={files.clone()} {about} {known} /> };
    }
    let first = files.files.iter().find(|file| found.real(&file.file).is_some()).or(files.files.first());
    let Some(file) = view_state.source.file.clone().or_else(|| Some(first?.file.clone())) else {
        return Html::default();
    };
    let figures = files.files.iter().find(|other| other.file == file).map(|file| file.figures);
    html! {
        <div class="source-view">
            <FileList files={files.clone()} {about} found={found.clone()} shown={file.clone()} />
            <SourcePane key={file.clone()} file={file.clone()} {figures} {found} />
        </div>
    }
}
