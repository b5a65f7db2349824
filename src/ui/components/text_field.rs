//! A text field that is committed with Enter or by leaving it. Text that is being typed survives re-rendering.

use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TextFieldProps {
    /// The text shown while the user isn't typing.
    pub value: AttrValue,
    /// Receives the input and returns whether the field reverts to `value`. If not, the text stays so that it can be
    /// corrected.
    pub on_commit: Callback<HtmlInputElement, bool>,
    #[prop_or_default]
    pub label: Option<AttrValue>,
    #[prop_or_default]
    pub class: Classes,
    #[prop_or(AttrValue::Static("text"))]
    pub kind: AttrValue,
    #[prop_or_default]
    pub name: Option<AttrValue>,
    #[prop_or_default]
    pub placeholder: Option<AttrValue>,
    /// The maximum of a numeric field.
    #[prop_or_default]
    pub max: Option<AttrValue>,
    /// Whether the `/` key focuses this field.
    #[prop_or_default]
    pub is_search: bool,
}

#[component]
pub fn TextField(props: &TextFieldProps) -> Html {
    let typed = use_state(|| None::<AttrValue>);
    let value = typed.as_ref().unwrap_or(&props.value).clone();
    let oninput = Callback::from(typed.setter())
        .reform(|event: InputEvent| event.target_dyn_into::<HtmlInputElement>().map(|input| input.value().into()));
    let onchange = {
        let (typed, on_commit) = (typed.setter(), props.on_commit.clone());
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            if on_commit.emit(input) {
                typed.set(None);
            }
        })
    };
    let is_number = props.kind == "number";
    html! {
        <input type={&props.kind} class={props.class.clone()} name={props.name.clone()} aria-label={props.label.clone()}
            {value} {oninput} {onchange} placeholder={props.placeholder.clone()} spellcheck="false" autocomplete="off"
            min={is_number.then_some("0")} max={props.max.clone()} step={is_number.then_some("any")}
            data-search={props.is_search.then_some("")} />
    }
}
