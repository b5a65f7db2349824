//! The list of recently opened files. Clicking one opens it again.

use wasm_bindgen_futures::spawn_local;
use web_sys::File;
use yew::prelude::*;

use crate::ui::platform::recent_files::{self, RecentFile};

#[derive(Properties, PartialEq)]
pub struct RecentFilesProps {
    pub on_file: Callback<File>,
}

/// Empty if there are none, or if the browser doesn't support file handles.
#[component]
pub fn RecentFiles(props: &RecentFilesProps) -> Html {
    let files = use_state_eq(Vec::<RecentFile>::new);
    let problem = use_state_eq(String::new);
    use_effect_with((), {
        let files = files.setter();
        move |()| {
            if recent_files::is_available() {
                spawn_local(async move { files.set(recent_files::list().await) });
            }
        }
    });
    if files.is_empty() {
        return Html::default();
    }
    let entry = |recent: &RecentFile| {
        let on_open = {
            let (recent, on_file, problem) = (recent.clone(), props.on_file.clone(), problem.setter());
            Callback::from(move |_: MouseEvent| {
                let (recent, on_file, problem) = (recent.clone(), on_file.clone(), problem.clone());
                spawn_local(async move {
                    match recent_files::open(&recent).await {
                        Some(file) => on_file.emit(file),
                        None => problem.set(format!(
                            "Can't open {}: it was moved, or the browser blocked access. \
                             Drop the file here instead.",
                            recent.name
                        )),
                    }
                });
            })
        };
        let on_forget = {
            let (recent, files) = (recent.clone(), files.setter());
            Callback::from(move |_: MouseEvent| {
                let (recent, files) = (recent.clone(), files.clone());
                spawn_local(async move {
                    recent_files::forget(&recent).await;
                    files.set(recent_files::list().await);
                });
            })
        };
        html! {
            <li>
                <button type="button" class="quiet recent-name" title={format!("Open {}", recent.name)} onclick={on_open}>
                    { &recent.name }
                </button>
                <button type="button" class="quiet" aria-label={format!("Remove {} from the list", recent.name)} onclick={on_forget}>
                    { "Remove" }
                </button>
            </li>
        }
    };
    html! {
        <section class="recent" aria-labelledby="recent-title">
            <h2 id="recent-title">{ "Recent files" }</h2>
            <ul>{ for files.iter().map(entry) }</ul>
            <p role="status">{ &*problem }</p>
            <p class="recent-note">{ "The browser remembers where these files are, not their contents." }</p>
        </section>
    }
}
