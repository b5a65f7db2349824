//! A choice of a few words, as a part of a sentence.

use crate::ui::effect::use_effect_with;
use crate::ui::piece::piece;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

#[derive(PartialEq)]
pub struct Pick {
    pub label: AttrValue,
    /// The one that is chosen.
    pub at: usize,
    pub options: Vec<AttrValue>,
    pub on_pick: Callback<usize>,
}

piece!(Pick, use_pick);

#[hook]
fn use_pick(props: &Pick) -> Html {
    let node = use_node_ref();
    // Once someone has chosen, a browser no longer heeds the options' attributes: the element itself is told.
    use_effect_with((props.at, props.options.clone()), {
        let node = node.clone();
        move |(at, _)| {
            if let Some(select) = node.cast::<HtmlSelectElement>() {
                select.set_selected_index(*at as i32);
            }
        }
    });
    let onchange = props.on_pick.reform(|event: Event| {
        let chosen = event.target_dyn_into::<HtmlSelectElement>().map_or(0, |select| select.selected_index());
        usize::try_from(chosen).unwrap_or_default()
    });
    let option = |(at, text): (usize, &AttrValue)| html! { <option selected={at == props.at}>{ text }</option> };
    html! {
        <span class="pick">
            <select ref={node} aria-label={&props.label} {onchange} disabled={props.options.len() < 2}>
                { for props.options.iter().enumerate().map(option) }
            </select>
        </span>
    }
}
