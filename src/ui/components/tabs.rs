//! The tabs in the header.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use crate::ui::platform::size::use_size;
use crate::ui::store::view::Tab;

#[derive(Properties, PartialEq)]
pub struct TabsProps {
    pub open: Tab,
    pub tabs: &'static [Tab],
    pub on_tab: Callback<Tab>,
}

#[component]
pub fn Tabs(props: &TabsProps) -> Html {
    let TabsProps { open, tabs, on_tab } = props;
    let tab = |&tab: &Tab| {
        let onclick = on_tab.reform(move |_: MouseEvent| tab);
        let is_open = *open == tab;
        // The style sheet reserves the width of the bold title.
        html! {
            <button role="tab" class="tab" id={format!("tab-{}", tab.as_str())} aria-selected={is_open.to_string()}
                aria-controls="view" tabindex={if is_open { "0" } else { "-1" }} data-title={tab.title()}
                {onclick}>{ tab.title() }</button>
        }
    };
    let onkeydown = tab_keys(*open, tabs, on_tab.clone());
    let list = use_node_ref();
    let width = use_size(&list).map_or(0.0, |(width, _)| width);
    use_effect_with((list.clone(), *open, width.to_bits()), |(list, open, _)| bring_into_view(list, *open));
    html! { <div ref={list} class="tabs" role="tablist" aria-label="Views" {onkeydown}>{ for tabs.iter().map(tab) }</div> }
}

/// If the tab list is wider than the window, scrolls it to center the open tab.
fn bring_into_view(list: &NodeRef, tab: Tab) {
    let Some(list) = list.cast::<Element>() else { return };
    let Ok(Some(button)) = list.query_selector(&format!("#tab-{}", tab.as_str())) else { return };
    let (room, place) = (list.get_bounding_client_rect(), button.get_bounding_client_rect());
    if place.left() < room.left() || place.right() > room.right() {
        let by = (place.left() + place.right() - room.left() - room.right()) / 2.0;
        list.set_scroll_left(list.scroll_left() + by.round() as i32);
    }
}

/// Arrow keys open the next tab and move the focus to it.
fn tab_keys(open: Tab, tabs: &'static [Tab], on_tab: Callback<Tab>) -> Callback<KeyboardEvent> {
    Callback::from(move |event: KeyboardEvent| {
        let tab = match event.key().as_str() {
            "ArrowLeft" => open.neighbor(-1, tabs),
            "ArrowRight" => open.neighbor(1, tabs),
            "Home" => tabs[0],
            "End" => tabs[tabs.len() - 1],
            _ => return,
        };
        event.prevent_default();
        on_tab.emit(tab);
        let button = gloo::utils::document().get_element_by_id(&format!("tab-{}", tab.as_str()));
        if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
            let _ = button.focus();
        }
    })
}
