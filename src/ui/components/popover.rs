//! A small window below what opened it. Escape and a press elsewhere close it; the focus goes into it and comes back.

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, Node};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PopoverProps {
    pub label: AttrValue,
    /// Gets the focus back, and may be pressed without that being elsewhere.
    pub opener: NodeRef,
    pub on_close: Callback<()>,
    pub role: &'static str,
    pub children: Html,
}

#[component]
pub fn Popover(props: &PopoverProps) -> Html {
    let node = use_node_ref();
    use_effect_with((), {
        let (node, opener, on_close) = (node.clone(), props.opener.clone(), props.on_close.clone());
        move |()| {
            move_into_view(&node);
            focus_first(&node);
            let resized = EventListener::new(&gloo::utils::window(), "resize", {
                let node = node.clone();
                move |_| move_into_view(&node)
            });
            let pressed = EventListener::new(&gloo::utils::document(), "pointerdown", move |event| {
                let target = event.target().and_then(|target| target.dyn_into::<Node>().ok());
                let holds = |of: &NodeRef| of.cast::<Node>().is_some_and(|node| node.contains(target.as_ref()));
                if !holds(&node) && !holds(&opener) {
                    on_close.emit(());
                }
            });
            move || drop((resized, pressed))
        }
    });
    let onkeydown = {
        let (opener, on_close, is_menu) = (props.opener.clone(), props.on_close.clone(), props.role == "menu");
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Escape" => {
                event.stop_propagation();
                focus(&opener);
                on_close.emit(());
            }
            // Tab leaves a menu as a whole.
            "Tab" if is_menu => {
                focus(&opener);
                on_close.emit(());
            }
            _ => {}
        })
    };
    html! {
        <div ref={node} class="popover" role={props.role} aria-label={&props.label} {onkeydown}>
            { props.children.clone() }
        </div>
    }
}

/// Focuses an element, or the button that it holds.
pub fn focus(node: &NodeRef) {
    let Some(element) = node.cast::<HtmlElement>() else { return };
    let button = element.query_selector("button").ok().flatten().and_then(|button| button.dyn_into().ok());
    let _ = button.unwrap_or(element).focus();
}

/// Moves the window into view, sideways.
fn move_into_view(node: &NodeRef) {
    const MARGIN: f64 = 8.0;
    let Some(element) = node.cast::<HtmlElement>() else { return };
    let _ = element.style().remove_property("translate");
    let area = element.get_bounding_client_rect();
    let width = gloo::utils::document().document_element().map_or(0, |root: Element| root.client_width());
    let excess = area.right() + MARGIN - f64::from(width);
    let shift = excess.max(0.0).min((area.left() - MARGIN).max(0.0));
    if shift > 0.0 {
        let _ = element.style().set_property("translate", &format!("{:.0}px 0", -shift));
    }
}

fn focus_first(node: &NodeRef) {
    let Some(element) = node.cast::<Element>() else { return };
    let first = element.query_selector("[data-first], [role^=menuitem], input, select, button").ok().flatten();
    if let Some(first) = first.and_then(|first| first.dyn_into::<HtmlElement>().ok()) {
        let _ = first.focus();
    }
}
