//! A choice of a few words. Every `<select>` of the page is this one, so all look alike in all browsers.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

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

#[component]
pub fn Select(props: &SelectProps) -> Html {
    let node = use_node_ref();
    // Once the user has chosen, browsers ignore the `selected` attributes of the options, so the element is set itself.
    use_effect_with((props.selected, props.options.clone()), {
        let node = node.clone();
        move |(selected, _)| {
            if let Some(select) = node.cast::<HtmlSelectElement>() {
                select.set_selected_index(*selected as i32);
            }
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
