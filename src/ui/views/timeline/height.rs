//! The height of the timeline. It depends on the window until the user drags the lower edge. That choice is remembered.

use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use crate::ui::platform::storage;

const KEY: &str = "camlscope.timeline-height";
/// The style sheet defines the default height, and limits any height to the window.
const PROPERTY: &str = "--timeline-height";
const LOWEST: f64 = 84.0;
const HIGHEST: f64 = 1200.0;
/// The change per arrow key.
const STEP: f64 = 16.0;

#[derive(Properties, PartialEq)]
pub struct HeightHandleProps {
    /// The element to resize.
    pub stage: NodeRef,
    /// The current height, or `None` before the first layout.
    pub height: Option<f64>,
}

#[component]
pub fn HeightHandle(props: &HeightHandleProps) -> Html {
    let HeightHandleProps { stage, height } = props;
    // The pointer's position and the timeline's height at the start of the drag.
    let taken = use_mut_ref(|| None::<(f64, f64)>);
    use_effect_with(stage.clone(), |stage| apply(stage, storage::recall(KEY).parse().ok()));
    let onpointerdown = {
        let (taken, height) = (taken.clone(), *height);
        Callback::from(move |event: PointerEvent| {
            if let Some((element, height)) = event.target_dyn_into::<Element>().zip(height) {
                let _ = element.set_pointer_capture(event.pointer_id());
                taken.replace(Some((f64::from(event.client_y()), height)));
            }
        })
    };
    let onpointermove = {
        let (taken, stage) = (taken.clone(), stage.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some((from, height)) = *taken.borrow() {
                set(&stage, Some(height + f64::from(event.client_y()) - from));
            }
        })
    };
    let on_end = Callback::from(move |_: PointerEvent| {
        taken.take();
    });
    let onkeydown = {
        let (stage, height) = (stage.clone(), height.unwrap_or_default());
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowUp" => Some(height - STEP),
                "ArrowDown" => Some(height + STEP),
                "Home" => None,
                _ => return,
            };
            event.prevent_default();
            set(&stage, to);
        })
    };
    let ondblclick = {
        let stage = stage.clone();
        Callback::from(move |_: MouseEvent| set(&stage, None))
    };
    html! {
        <div class="timeline-height" role="separator" tabindex="0" aria-orientation="horizontal"
            aria-label="Timeline height. Use arrow keys to change it, Home to reset."
            title="Drag to resize. Double-click to reset."
            aria-valuemin={LOWEST.to_string()} aria-valuemax={HIGHEST.to_string()}
            aria-valuenow={format!("{:.0}", height.unwrap_or(LOWEST).clamp(LOWEST, HIGHEST))}
            {onpointerdown} {onpointermove} onpointerup={on_end.clone()} onpointercancel={on_end} {onkeydown} {ondblclick} />
    }
}

/// `None` resets to the default height.
fn set(stage: &NodeRef, height: Option<f64>) {
    let height = height.map(|height| height.clamp(LOWEST, HIGHEST).round());
    storage::remember(KEY, &height.map_or_else(String::new, |height| height.to_string()));
    apply(stage, height);
}

fn apply(stage: &NodeRef, height: Option<f64>) {
    let Some(style) = stage.cast::<HtmlElement>().map(|stage| stage.style()) else { return };
    let _ = match height.filter(|height| height.is_finite()) {
        Some(height) => style.set_property(PROPERTY, &format!("{}px", height.clamp(LOWEST, HIGHEST))),
        None => style.remove_property(PROPERTY).map(drop),
    };
}
