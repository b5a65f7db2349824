//! Opening a folder with source code: the button, a dropped folder, and the folder that the browser remembers.

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::platform::delivery;
use crate::ui::platform::source_folder::{self, DroppedFolder, Folder, FolderFile, Picked, ReadFile};
use crate::ui::store::view::{Tab, ViewAction};
use crate::ui::store::{Action, Sources, TraceSource};
use camlscope_present::export::{ReportSource, ReportSources};
use camlscope_view::page::store::notice::Notice;

/// Uses a folder for the open trace, or says why it can't.
fn take(folder: Folder, handle: Option<JsValue>, act: &Callback<Action>) -> bool {
    let name = &folder.name;
    if folder.files.is_empty() {
        let text = format!("“{name}” has no OCaml source files. Choose the folder of the program’s source code.");
        act.emit(Action::NoticeShown(Notice::problem(text)));
        return false;
    }
    if folder.is_cut {
        let text = format!("“{name}” has too many files, so not all were searched. Choose the folder of the project.");
        act.emit(Action::NoticeShown(Notice::problem(text)));
    }
    act.emit(Action::SourcesOpened(Sources::new(folder)));
    if let Some(handle) = handle {
        spawn_local(async move { source_folder::remember(&handle).await });
    }
    true
}

/// Searches a dropped folder and shows what was found.
pub fn open_dropped(folder: DroppedFolder, act: Callback<Action>) {
    spawn_local(async move {
        let (folder, handle) = folder.search().await;
        if take(folder, handle, &act) {
            act.emit(Action::View(ViewAction::Tab(Tab::Source)));
        }
    });
}

/// Opens what needs no click: the sources in this report, or the folder that the browser remembers, if the page may still
/// read it. Returns the folder's handle if the user has to allow it again.
#[hook]
pub fn use_known_folder() -> Option<JsValue> {
    let WorkspaceContext { loaded, sources, act, .. } = use_workspace();
    let known = use_state_eq(|| None::<JsValue>);
    let is_of_report = matches!(loaded.main.source, TraceSource::Report(_));
    use_effect_with((sources.is_some(), is_of_report), {
        let known = known.setter();
        move |(is_open, is_of_report)| {
            if *is_open {
                return;
            }
            if let Some(folder) = is_of_report.then(report_folder).flatten() {
                act.emit(Action::SourcesOpened(Sources::new(folder)));
            } else if source_folder::has_picker() {
                spawn_local(async move {
                    let Some(handle) = source_folder::remembered().await else { return };
                    if source_folder::may_read(&handle, false).await {
                        let folder = source_folder::of_handle(&handle).await;
                        if !folder.files.is_empty() {
                            return act.emit(Action::SourcesOpened(Sources::new(folder)));
                        }
                    }
                    known.set(Some(handle));
                });
            }
        }
    });
    (*known).clone()
}

/// Returns the sources in this report. Reports can come from anyone, so damaged ones have none.
fn report_folder() -> Option<Folder> {
    let ReportSources { folder, files } = serde_json::from_str(&delivery::report_sources()?).ok()?;
    let file = |ReportSource { path, modified_ms, text }| FolderFile::embedded(path, ReadFile { text, modified_ms });
    let files: Vec<FolderFile> = files.into_iter().map(file).collect();
    (!files.is_empty()).then_some(Folder { name: folder, files, is_cut: false, is_of_report: true })
}

#[derive(Properties, PartialEq)]
pub struct OpenFolderProps {
    pub label: AttrValue,
    #[prop_or("button")]
    pub class: &'static str,
    /// The folder to open again, if the browser allows it.
    #[prop_or_default]
    pub known: Option<JsValue>,
}

/// A button that asks for a folder. It is a label around a file input, like the button that opens a trace.
#[component]
pub fn OpenFolder(props: &OpenFolderProps) -> Html {
    let WorkspaceContext { act, .. } = use_workspace();
    let is_searching = use_state_eq(|| false);
    let input = use_node_ref();
    let onclick = {
        let (act, known, input, is_searching) =
            (act.clone(), props.known.clone(), input.clone(), is_searching.setter());
        Callback::from(move |event: MouseEvent| {
            // A click of the script below.
            if !source_folder::has_picker() || !event.is_trusted() {
                return;
            }
            event.prevent_default();
            let (act, known, input, is_searching) = (act.clone(), known.clone(), input.clone(), is_searching.clone());
            spawn_local(async move {
                let picked = match known {
                    Some(handle) if source_folder::may_read(&handle, true).await => Picked::Handle(handle),
                    _ => source_folder::pick().await,
                };
                match picked {
                    Picked::Handle(handle) => {
                        is_searching.set(true);
                        let folder = source_folder::of_handle(&handle).await;
                        is_searching.set(false);
                        take(folder, Some(handle), &act);
                    }
                    Picked::Canceled => {}
                    Picked::Unavailable => {
                        input.cast::<HtmlInputElement>().iter().for_each(|input| input.click());
                    }
                }
            });
        })
    };
    let onchange = Callback::from(move |event: Event| {
        let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) else { return };
        let folder = input.files().filter(|files| files.length() > 0).map(|files| source_folder::of_list(&files));
        // Otherwise, choosing the same folder again would not fire a change event.
        input.set_value("");
        if let Some(folder) = folder {
            take(folder, None, &act);
        }
    });
    html! {
        <label class={props.class}>
            <input ref={input} type="file" class="visually-hidden" webkitdirectory=true {onclick} {onchange} />
            { if *is_searching { "Searching…".into() } else { props.label.clone() } }
        </label>
    }
}
