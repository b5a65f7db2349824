//! A load that takes its time: how far it is, how long it will be, and a way out.

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;
use yew::prelude::*;

use crate::ui::piece::piece;
use crate::ui::progress::{Words, words};
use crate::ui::state::{Load, Source, WorkerState};

#[derive(Clone, Debug, PartialEq)]
pub struct Loading {
    pub load: Load,
    pub worker: WorkerState,
    pub on_cancel: Callback<()>,
}

piece!(Loading, use_loading);

#[hook]
fn use_loading(props: &Loading) -> Html {
    use_effect_with(props.on_cancel.clone(), |on_cancel| {
        let on_cancel = on_cancel.clone();
        let listener = EventListener::new(&gloo::utils::window(), "keydown", move |event| {
            if event.unchecked_ref::<KeyboardEvent>().key() == "Escape" {
                on_cancel.emit(());
            }
        });
        move || drop(listener)
    });
    let onclick = props.on_cancel.reform(|_: MouseEvent| ());
    let words = props.load.progress.as_ref().map(words);
    let percent = words.as_ref().and_then(|words| words.percent);
    html! {
        <div class="column loading">
            <h1>{ "Opening " }<span class="file-name">{ &props.load.name }</span></h1>
            <progress max="100" value={percent.map(|percent| percent.to_string())} aria-label="Read so far" />
            { match words {
                Some(words) => figures(&words),
                None => html! { <p class="waiting">{ waiting(props.load.source, props.worker) }</p> },
            } }
            <p class="visually-hidden" role="status">{ announcement(percent) }</p>
            <div class="actions">
                <button type="button" class="button" {onclick}>{ "Cancel" }<kbd>{ "Esc" }</kbd></button>
            </div>
        </div>
    }
}

fn figures(words: &Words) -> Html {
    let percent = words.percent.map(|percent| html! { <li class="percent">{ percent }{ " %" }</li> });
    let parts = [&words.read, &words.speed, &words.events, &words.left];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    html! { <ul class="figures">{ percent }{ for parts.map(|part| html! { <li>{ part }</li> }) }</ul> }
}

/// What is being waited for while nothing has been read yet.
fn waiting(source: Source, worker: WorkerState) -> &'static str {
    match (worker, source) {
        (WorkerState::Starting { .. }, _) => "Starting the decoder…",
        (WorkerState::Dead, _) => "The decoder stopped.",
        (WorkerState::Ready, Source::Sample) => "Fetching the sample…",
        (WorkerState::Ready, Source::File) => "Reading…",
    }
}

/// For screen readers, who should not hear twenty figures a second.
fn announcement(percent: Option<u8>) -> String {
    match percent {
        Some(percent) => format!("{} % read", percent / 10 * 10),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_come_in_steps_of_ten_percent() {
        assert_eq!(announcement(Some(39)), announcement(Some(30)));
        assert_ne!(announcement(Some(39)), announcement(Some(40)));
        assert_eq!(announcement(None), "");
    }

    #[test]
    fn what_is_waited_for_is_named() {
        assert!(waiting(Source::Sample, WorkerState::default()).contains("decoder"));
        assert!(waiting(Source::Sample, WorkerState::Ready).contains("Fetching"));
        assert!(waiting(Source::File, WorkerState::Ready).contains("Reading"));
    }
}
