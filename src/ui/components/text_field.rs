//! A text field that is committed with Enter or by leaving it. Text that is being typed survives re-rendering. Invalid
//! text stays with a message below the field, until it is corrected or the value changes. Escape restores the value.

use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TextFieldProps {
    /// The text shown while the user isn't typing.
    pub value: AttrValue,
    /// Receives the text. If it returns an error, the field shows it.
    pub on_commit: Callback<String, Result<(), String>>,
    #[prop_or_default]
    pub label: Option<AttrValue>,
    #[prop_or_default]
    pub class: Classes,
    #[prop_or(AttrValue::Static("text"))]
    pub kind: AttrValue,
    #[prop_or_default]
    pub placeholder: Option<AttrValue>,
    /// Whether the `/` key focuses this field.
    #[prop_or_default]
    pub is_search: bool,
}

#[component]
pub fn TextField(props: &TextFieldProps) -> Html {
    let typed = use_state_eq(|| None::<AttrValue>);
    let problem = use_state_eq(|| None::<String>);
    let value = typed.as_ref().unwrap_or(&props.value).clone();
    let revert = {
        let (typed, problem) = (typed.setter(), problem.setter());
        Callback::from(move |()| {
            typed.set(None);
            problem.set(None);
        })
    };
    use_effect_with(props.value.clone(), {
        let revert = revert.clone();
        move |_| revert.emit(())
    });
    let oninput = {
        let (typed, problem) = (typed.setter(), problem.setter());
        Callback::from(move |event: InputEvent| {
            typed.set(event.target_dyn_into::<HtmlInputElement>().map(|input| input.value().into()));
            problem.set(None);
        })
    };
    let onchange = {
        let (revert, problem, on_commit) = (revert.clone(), problem.setter(), props.on_commit.clone());
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            match on_commit.emit(input.value()) {
                Ok(()) => revert.emit(()),
                Err(words) => problem.set(Some(words)),
            }
        })
    };
    let onkeydown = {
        let is_changed = typed.is_some();
        Callback::from(move |event: KeyboardEvent| {
            if is_changed && event.key() == "Escape" {
                event.prevent_default();
                revert.emit(());
            }
        })
    };
    html! {
        <span class="text-field">
            <input type={&props.kind} class={props.class.clone()} aria-label={props.label.clone()} {value} {oninput}
                {onchange} {onkeydown} placeholder={props.placeholder.clone()} spellcheck="false" autocomplete="off"
                aria-invalid={problem.is_some().then_some("true")}
                data-search={props.is_search.then_some("")} />
            if let Some(words) = &*problem {
                <span class="field-problem" role="alert">{ words }</span>
            }
        </span>
    }
}
