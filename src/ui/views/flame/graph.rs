//! What both flame graphs share: the canvas, its gestures and keys, the outline of the current frame, and the text for
//! screen readers.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::ui::platform::keyboard::use_key;
use crate::ui::platform::pinch::use_pinch;
use crate::ui::platform::use_canvas::use_canvas;
use crate::ui::views::flame::double_click::use_double_click;
use crate::ui::views::flame::hidden_functions::use_unhidden;
use crate::ui::views::flame::keys;
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::FlameScene;
use crate::ui::views::flame::state::{FlameAction, FlameState, Half, Hit};
use camlscope_present::layout::draw::Op;
use camlscope_present::layout::flame::outline;

const ANNOUNCEMENT_MS: u32 = 4000;

#[derive(Clone, PartialEq)]
pub struct GraphNodes {
    pub stage: NodeRef,
    pub canvas: NodeRef,
    outline: NodeRef,
    tree: NodeRef,
}

#[hook]
pub fn use_graph_nodes() -> GraphNodes {
    GraphNodes { stage: use_node_ref(), canvas: use_node_ref(), outline: use_node_ref(), tree: use_node_ref() }
}

/// Returns the handlers of pointer and keyboard.
#[hook]
pub fn use_graph(nodes: &GraphNodes, scene: &FlameScene, flame_state: &UseReducerHandle<FlameState>) -> Handlers {
    let rendered = use_mut_ref(|| scene.clone());
    rendered.replace(scene.clone());
    let handlers = Handlers {
        rendered,
        flame_state: flame_state.clone(),
        flame_dispatch: flame_state.dispatcher().to_callback(),
        dispatch: scene.workspace.dispatch.clone(),
        stage: nodes.canvas.clone(),
        tree: nodes.tree.clone(),
        drag: use_mut_ref(|| None),
        clicks: use_mut_ref(Default::default),
    };
    use_key((), {
        let handlers = handlers.clone();
        move |(), event| keys::pressed(&handlers, event)
    });
    use_pinch(&nodes.canvas, {
        let handlers = handlers.clone();
        move |pinch| handlers.pinch(pinch)
    });
    use_double_click(&handlers);
    use_collapsed(&handlers, scene.n_collapsed());
    use_unhidden(&handlers, scene);
    use_announcement_timeout(&handlers, &flame_state.announcement);
    use_outline(&nodes.outline, scene);
    handlers
}

/// Renders the canvases.
pub fn canvases(nodes: &GraphNodes, handlers: &Handlers) -> Html {
    html! {
        <>
            <canvas ref={&nodes.canvas} class="flame-canvas" aria-hidden="true"
                onpointerdown={on(handlers, Handlers::down)} onpointermove={on(handlers, Handlers::moved)}
                onpointerup={on(handlers, Handlers::up)} onpointercancel={on(handlers, |handlers, _: &PointerEvent| handlers.give_up())}
                onpointerleave={on(handlers, |handlers, _: &PointerEvent| handlers.leave())}
                onclick={on(handlers, Handlers::click)} oncontextmenu={on(handlers, Handlers::menu)}
                onwheel={on(handlers, Handlers::wheel)} />
            <canvas ref={&nodes.outline} class="flame-outline" aria-hidden="true" />
        </>
    }
}

fn on<E>(handlers: &Handlers, then: impl Fn(&Handlers, &E) + 'static) -> Callback<E> {
    let handlers = handlers.clone();
    Callback::from(move |event: E| then(&handlers, &event))
}

/// The last action, for screen readers.
pub fn announcement(flame_state: &FlameState) -> Html {
    html! { <p class="flame-said" role="status">{ flame_state.announcement.clone() }</p> }
}

/// Returns the tooltip's frame and position: next to the pointer, or below the box at the keyboard cursor.
pub fn tooltip_target(scene: &FlameScene, canvas: &NodeRef) -> Option<(Hit, f64, f64)> {
    let flame_state = &scene.flame_state;
    if flame_state.menu.is_some() || flame_state.source_form.is_some() {
        return None;
    }
    if let Some((hit, pointer)) = scene.hovered().zip(flame_state.hover) {
        return Some((hit, pointer.client.0, pointer.client.1));
    }
    let hit = scene.cursor_hit().filter(|_| flame_state.by_keyboard)?;
    let area = scene.stage(hit.half)?.area(scene.box_at(hit)?)?;
    let canvas = canvas.cast::<web_sys::Element>()?.get_bounding_client_rect();
    Some((hit, canvas.left() + area.x, canvas.top() + area.y + area.h - 8.0))
}

/// Collapsed frames share a row, so more levels fit on the screen and have to be queried.
#[hook]
fn use_collapsed(handlers: &Handlers, n_collapsed: u32) {
    let flame_dispatch = handlers.flame_dispatch.clone();
    use_effect_with(n_collapsed, move |n_collapsed| flame_dispatch.emit(FlameAction::Collapsed(*n_collapsed)));
}

/// Clears the announcement after a while.
#[hook]
fn use_announcement_timeout(handlers: &Handlers, announcement: &str) {
    let flame_dispatch = handlers.flame_dispatch.clone();
    use_effect_with(announcement.to_owned(), move |announcement| {
        let timeout = (!announcement.is_empty())
            .then(|| Timeout::new(ANNOUNCEMENT_MS, move || flame_dispatch.emit(FlameAction::Say(String::new()))));
        move || drop(timeout)
    });
}

/// Outlines the hovered box and the keyboard cursor, on a separate canvas.
#[hook]
fn use_outline(canvas_ref: &NodeRef, scene: &FlameScene) {
    let outline = |half: Half| {
        let place = |hit: Option<Hit>| hit.filter(|hit| hit.half == half).map(|hit| hit.place);
        let cursor = scene.cursor_hit().filter(|_| scene.flame_state.cursor.is_some());
        let (picture, stage) = (scene.flame(half)?, scene.stage(half)?);
        Some(outline(picture, &stage, place(scene.hovered()), place(cursor)))
    };
    let ops: Vec<Op> = [Half::Lower, Half::Upper].into_iter().filter_map(outline).flatten().collect();
    use_canvas(canvas_ref, Some((ops, scene.size)), |ops, _| Some(ops.clone()));
}
