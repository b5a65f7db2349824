//! Asks whether a dropped file replaces the open trace or is compared with it.

use web_sys::HtmlDialogElement;
use yew::prelude::*;

use crate::ui::commands::DropChoice;

#[derive(Properties, Clone, PartialEq)]
pub struct SecondProps {
    pub name: String,
    /// The name of the open trace.
    pub open: String,
    /// A trace can't be compared with a profile.
    pub can_compare: bool,
    pub on_choice: Callback<DropChoice>,
}

#[component]
pub fn ReplaceDialog(props: &SecondProps) -> Html {
    let dialog = use_node_ref();
    use_effect_with(dialog.clone(), |dialog| {
        if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
            let _ = dialog.show_modal();
        }
    });
    // On Escape, the store closes the dialog by removing it.
    let oncancel = props.on_choice.reform(|event: Event| {
        event.prevent_default();
        DropChoice::Cancel
    });
    let button = |choice: DropChoice, class: &'static str, text: &'static str| {
        let onclick = props.on_choice.reform(move |_: MouseEvent| choice);
        html! { <button type="button" {class} {onclick}>{ text }</button> }
    };
    html! {
        <dialog ref={dialog} class="second" aria-labelledby="second-title" {oncancel}>
            if props.can_compare {
                <h2 id="second-title">{ "Replace or compare?" }</h2>
                <p><b>{ &props.name }</b>{ " can replace " }<b>{ &props.open }</b>{ " or be compared with it." }</p>
            } else {
                <h2 id="second-title">{ "Replace the open file?" }</h2>
                <p>
                    <b>{ &props.name }</b>{ " can’t be compared with " }<b>{ &props.open }</b>
                    { ": one is a trace, the other a profile." }
                </p>
            }
            <div class="actions">
                { button(DropChoice::Replace, "button button-primary", "Replace") }
                if props.can_compare {
                    { button(DropChoice::Compare, "button", "Compare") }
                }
                { button(DropChoice::Cancel, "button button-quiet", "Cancel") }
            </div>
        </dialog>
    }
}
