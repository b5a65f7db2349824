//! The user's notes about the trace, shown above all views, and what is missing from the trace in a report.
//!
//! Notes are plain text. They are kept in the page and in saved reports, but not in the URL.

use std::rc::Rc;

use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

use crate::ui::later::Arrival;
use crate::ui::store::Action;
use camlscope_present::export::{Notes, ReportHeader};
use camlscope_view::page::store::report::{self, MAX_REMARKS_CHARS, MAX_TITLE_CHARS};

/// `report` is the header of the report that contains the open trace.
pub fn notes_strip(
    notes: &Rc<Notes>,
    is_edited: bool,
    report: Option<&ReportHeader>,
    downsampled: Option<u32>,
    later: &Arrival,
    dispatch: &Callback<Action>,
) -> Html {
    let lacks = report.map_or_else(String::new, |header| report::lacks(header, downsampled));
    if !is_edited && notes.is_empty() && lacks.is_empty() {
        return Html::default();
    }
    let edit = |is_edited: bool| dispatch.reform(move |_: MouseEvent| Action::NotesEdited(is_edited));
    html! {
        <section class="notes" aria-label="Notes">
            if is_edited {
                { later.draw(|later| (later.notes_form)(Rc::clone(notes), dispatch.clone())) }
            } else if !notes.is_empty() {
                <div class="notes-head">
                    <h2>{ if notes.title.is_empty() { "Notes" } else { &notes.title } }</h2>
                    <button type="button" class="button button-quiet" onclick={edit(true)}>{ "Edit notes" }</button>
                </div>
                <p class="notes-remarks">{ &notes.remarks }</p>
            }
            if !lacks.is_empty() {
                <p class="notes-lacks">{ lacks }</p>
            }
        </section>
    }
}

#[derive(Properties, PartialEq)]
pub struct NotesFormProps {
    pub notes: Rc<Notes>,
    pub dispatch: Callback<Action>,
}

#[component]
pub fn NotesForm(props: &NotesFormProps) -> Html {
    let title = use_node_ref();
    use_effect_with(title.clone(), |title| {
        title.cast::<HtmlInputElement>().iter().for_each(|title| drop(title.focus()));
    });
    // Every keystroke is saved, so no text is lost however the form closes.
    let on_title = props
        .dispatch
        .reform(|event: InputEvent| Action::TitleWritten(event.target_unchecked_into::<HtmlInputElement>().value()));
    let on_remarks = props.dispatch.reform(|event: InputEvent| {
        Action::RemarksWritten(event.target_unchecked_into::<HtmlTextAreaElement>().value())
    });
    let onsubmit = props.dispatch.reform(|event: SubmitEvent| {
        event.prevent_default();
        Action::NotesEdited(false)
    });
    let onkeydown = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.prevent_default();
                dispatch.emit(Action::NotesEdited(false));
            }
        })
    };
    html! {
        <form class="notes-form" {onsubmit} {onkeydown}>
            <label for="notes-title">{ "Title" }</label>
            <input ref={title} id="notes-title" type="text" value={props.notes.title.clone()} oninput={on_title}
                maxlength={MAX_TITLE_CHARS.to_string()} autocomplete="off" />
            <label for="notes-remarks">{ "Remarks" }</label>
            <textarea id="notes-remarks" rows="3" value={props.notes.remarks.clone()} oninput={on_remarks}
                maxlength={MAX_REMARKS_CHARS.to_string()} />
            <div class="notes-end">
                <button type="submit" class="button">{ "Done" }</button>
                <p>{ "Notes are saved in reports, not in links." }</p>
            </div>
        </form>
    }
}
