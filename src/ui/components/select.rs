//! The `<select>` used everywhere on the page, so that all look the same in all browsers.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::ui::platform::storage;

#[derive(Clone, Debug, PartialEq)]
pub struct SelectOption {
    pub value: AttrValue,
    pub text: AttrValue,
    pub is_disabled: bool,
}

impl SelectOption {
    pub fn new(value: impl Into<AttrValue>, text: impl Into<AttrValue>) -> SelectOption {
        SelectOption { value: value.into(), text: text.into(), is_disabled: false }
    }
}

impl From<&'static str> for SelectOption {
    fn from(text: &'static str) -> SelectOption {
        SelectOption::new(text, text)
    }
}

/// The choices, each with its value, the `<option>`'s value, and its text.
pub type Choices<T> = [(T, &'static str, &'static str)];

pub fn options<T: Copy>(choices: &Choices<T>) -> Vec<(T, SelectOption)> {
    choices.iter().map(|(choice, value, text)| (*choice, SelectOption::new(*value, *text))).collect()
}

/// A select box for typed values. Shows the first one if `chosen` isn't among them.
pub fn select<T: Clone + PartialEq + 'static>(
    label: impl Into<AttrValue>,
    choices: Vec<(T, SelectOption)>,
    chosen: &T,
    on_choice: Callback<T>,
) -> Html {
    html! { <Select ..SelectProps::of(label, choices, chosen, on_choice) /> }
}

/// Like [`select`], with a border, as in the filter bar.
pub fn prominent_select<T: Clone + PartialEq + 'static>(
    label: impl Into<AttrValue>,
    choices: Vec<(T, SelectOption)>,
    chosen: &T,
    on_choice: Callback<T>,
) -> Html {
    html! { <Select is_prominent=true ..SelectProps::of(label, choices, chosen, on_choice) /> }
}

/// A select box whose value the browser remembers. The first choice is the default and isn't stored.
#[hook]
pub fn use_remembered_select<T: Copy + PartialEq + 'static>(
    label: &'static str,
    key: &'static str,
    choices: &'static Choices<T>,
) -> (T, Html) {
    let chosen = use_state_eq(|| {
        let stored = storage::recall(key);
        choices.iter().find(|(_, value, _)| *value == stored).unwrap_or(&choices[0]).0
    });
    let on_choice = {
        let chosen = chosen.setter();
        Callback::from(move |choice: T| {
            let stored = choices[1..].iter().find(|(other, ..)| *other == choice);
            storage::remember(key, stored.map_or("", |(_, value, _)| value));
            chosen.set(choice);
        })
    };
    (*chosen, select(label, options(choices), &chosen, on_choice))
}

#[derive(Properties, PartialEq)]
pub struct SelectProps {
    /// For screen readers. It isn't visible.
    pub label: AttrValue,
    pub options: Vec<SelectOption>,
    /// The index of the chosen option.
    pub selected: usize,
    pub on_select: Callback<usize>,
    #[prop_or_default]
    pub title: Option<AttrValue>,
    /// Whether it has a border, as in the filter bar.
    #[prop_or_default]
    pub is_prominent: bool,
}

impl SelectProps {
    pub fn of<T: Clone + PartialEq + 'static>(
        label: impl Into<AttrValue>,
        choices: Vec<(T, SelectOption)>,
        chosen: &T,
        on_choice: Callback<T>,
    ) -> SelectProps {
        let (values, options): (Vec<T>, Vec<SelectOption>) = choices.into_iter().unzip();
        let selected = values.iter().position(|value| value == chosen).unwrap_or_default();
        let on_select = Callback::from(move |index: usize| {
            values.get(index).into_iter().for_each(|value| on_choice.emit(value.clone()));
        });
        SelectProps { label: label.into(), options, selected, on_select, title: None, is_prominent: false }
    }
}

#[component]
pub fn Select(props: &SelectProps) -> Html {
    let node = use_node_ref();
    // Browsers ignore the `selected` attribute once the user has chosen, so the element's index is set as well.
    use_effect_with((node.clone(), props.selected, props.options.clone()), |(node, selected, _)| {
        if let Some(select) = node.cast::<HtmlSelectElement>() {
            select.set_selected_index(*selected as i32);
        }
    });
    let onchange = props.on_select.reform(|event: Event| {
        let index = event.target_dyn_into::<HtmlSelectElement>().map_or(0, |select| select.selected_index());
        usize::try_from(index).unwrap_or_default()
    });
    let option = |(index, option): (usize, &SelectOption)| {
        html! {
            <option value={&option.value} selected={index == props.selected} disabled={option.is_disabled}>
                { &option.text }
            </option>
        }
    };
    // Different options get a new element, because WebKit would keep the old index.
    let key = props.options.iter().map(|option| &*option.text).collect::<Vec<_>>().join("|");
    html! {
        <span class={if props.is_prominent { "select select-prominent" } else { "select" }}>
            <select {key} ref={node} aria-label={&props.label} title={props.title.clone()} {onchange} disabled={props.options.len() < 2}>
                { for props.options.iter().enumerate().map(option) }
            </select>
        </span>
    }
}
