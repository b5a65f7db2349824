//! A choice of a few words. Every `<select>` of the page is this one, so all look alike in all browsers.

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

/// What can be chosen: the value, the value of its `<option>`, and its text.
pub type Choices<T> = [(T, &'static str, &'static str)];

pub fn options<T: Copy>(choices: &Choices<T>) -> Vec<(T, SelectOption)> {
    choices.iter().map(|(choice, value, text)| (*choice, SelectOption::new(*value, *text))).collect()
}

/// A choice among values. The first one is shown if none of them is chosen.
pub fn select<T: Clone + PartialEq + 'static>(
    label: impl Into<AttrValue>,
    choices: Vec<(T, SelectOption)>,
    chosen: &T,
    on_choice: Callback<T>,
) -> Html {
    html! { <Select ..SelectProps::of(label, choices, chosen, on_choice) /> }
}

/// The same with a border, as in the filter bar.
pub fn prominent_select<T: Clone + PartialEq + 'static>(
    label: impl Into<AttrValue>,
    choices: Vec<(T, SelectOption)>,
    chosen: &T,
    on_choice: Callback<T>,
) -> Html {
    html! { <Select is_prominent=true ..SelectProps::of(label, choices, chosen, on_choice) /> }
}

/// A choice that the browser remembers. Nothing is stored for the first one, which is the default.
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
    /// Read out by screen readers; not shown.
    pub label: AttrValue,
    pub options: Vec<SelectOption>,
    /// The index of the chosen option.
    pub selected: usize,
    pub on_select: Callback<usize>,
    #[prop_or_default]
    pub title: Option<AttrValue>,
    /// Has a border and stands out, as in the filter bar.
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
    // Once the user has chosen, browsers ignore the `selected` attributes of the options, so the element is set itself.
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
    // Other options make a new element: WebKit would keep the index that was chosen among the old ones.
    let key = props.options.iter().map(|option| &*option.text).collect::<Vec<_>>().join("|");
    html! {
        <span class={if props.is_prominent { "select select-prominent" } else { "select" }}>
            <select {key} ref={node} aria-label={&props.label} title={props.title.clone()} {onchange} disabled={props.options.len() < 2}>
                { for props.options.iter().enumerate().map(option) }
            </select>
        </span>
    }
}
