//! Links to the user's source code. Only the user knows where it is, so they enter a URL template once. The browser
//! remembers it if it can.

use web_sys::{HtmlDialogElement, HtmlInputElement};
use yew::prelude::*;

use crate::ui::platform::storage;
use camlscope_engine::query::tree::Label;
use camlscope_view::page::views::flame::source::{EXAMPLE, complaint};

const KEY: &str = "camlscope.source";

/// Returns the link to a frame's source, or `None` without a template or a file.
pub fn link(label: &Label) -> Option<String> {
    let template = remembered();
    if template.is_empty() || !label.file.contains('.') {
        return None;
    }
    let line = label.place.map_or(1, |place| place.line);
    Some(template.replace("{file}", &label.file).replace("{line}", &line.to_string()))
}

pub fn remembered() -> String {
    storage::recall(KEY)
}

#[derive(Properties, Clone, PartialEq)]
pub struct SourceFormProps {
    /// The frame to look up.
    pub label: Label,
    pub on_close: Callback<()>,
}

#[component]
pub fn SourceForm(props: &SourceFormProps) -> Html {
    let SourceFormProps { label, on_close } = props;
    let field = use_node_ref();
    let problem = use_state_eq(|| None::<&'static str>);
    let dialog = use_node_ref();
    use_effect_with((), {
        let (dialog, field) = (dialog.clone(), field.clone());
        move |()| {
            if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
                let _ = dialog.show_modal();
            }
            if let Some(field) = field.cast::<HtmlInputElement>() {
                let _ = field.focus();
                field.select();
            }
        }
    });
    let onsubmit = {
        let (field, problem, on_close) = (field.clone(), problem.clone(), on_close.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let template = field.cast::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default();
            let wrong = complaint(template.trim());
            problem.set(wrong);
            if wrong.is_none() {
                storage::remember(KEY, template.trim());
                on_close.emit(());
            }
        })
    };
    let cancel = on_close.reform(|_: MouseEvent| ());
    // On Escape, the parent closes the dialog by no longer rendering it.
    let oncancel = on_close.reform(|event: Event| event.prevent_default());
    html! {
        <dialog ref={dialog} class="flame-source" aria-label="Source link" {oncancel}>
        <form class="flame-form" {onsubmit}>
            <label for="flame-source">{ "Source link" }</label>
            <p>{ format!("URL with {{file}} (such as {}) and {{line}}. Saved in this browser.", label.file) }</p>
            <input ref={field} id="flame-source" value={remembered()} placeholder={EXAMPLE} spellcheck="false"
                aria-invalid={problem.is_some().to_string()} aria-describedby="flame-source-problem" />
            <p id="flame-source-problem" class="flame-problem" role="status">{ problem.unwrap_or_default() }</p>
            <div class="flame-form-actions">
                <button type="button" class="button" onclick={cancel}>{ "Cancel" }</button>
                <button class="button button-primary">{ "Save" }</button>
            </div>
        </form>
        </dialog>
    }
}
