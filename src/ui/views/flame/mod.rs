//! The flame graph: a canvas for display and pointer, a tree for keyboard and screen readers, and one scene shared by
//! both. The zoomed frame, direction, search and selection are in the view state, but the scroll position is not.

mod controls;
mod drawing;
mod empty;
mod explainer;
mod hidden_functions;
mod hidden_rows;
mod keys;
mod matches;
mod menu;
mod minimap;
mod pointer;
mod sandwich_labels;
mod scene;
mod search;
mod source;
mod state;
mod tooltip;
mod tree;
mod words;

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use self::controls::{COLORS, ORIENTATIONS};
use self::drawing::use_drawing;
use self::hidden_functions::use_unhidden;
use self::menu::FrameMenu;
use self::pointer::Handlers;
use self::scene::FlameScene;
use self::search::use_search;
use self::source::SourceForm;
use self::state::{FlameAction, FlameState, Half, Hit};
use self::tooltip::FlameTooltip;
use self::tree::AccessibleTree;
use crate::ui::components::explainer::{QUESTION, explainer};
use crate::ui::components::select::use_remembered_select;
use crate::ui::context::use_workspace;
use crate::ui::platform::keyboard::use_key;
use crate::ui::platform::pinch::use_pinch;
use crate::ui::platform::size::use_size;
use crate::ui::platform::use_canvas::use_canvas;
use crate::ui::query::{QueryState, use_query};
use camlscope_present::layout::draw::Op;
use camlscope_present::layout::flame::outline;

const ANNOUNCEMENT_MS: u32 = 4000;

#[component]
pub fn FlameView() -> Html {
    let workspace = use_workspace();
    let (stage_ref, tree_ref) = (use_node_ref(), use_node_ref());
    let (canvas_ref, outline_ref) = (use_node_ref(), use_node_ref());
    let size = use_size(&stage_ref);
    let flame_state = use_reducer_eq(FlameState::default);
    let (colors, colors_select) = use_remembered_select("Colors", "camlscope.colors", &COLORS);
    let (orientation, orientation_select) =
        use_remembered_select("Orientation", "camlscope.orientation", &ORIENTATIONS);
    let ratio = gloo::utils::window().device_pixel_ratio().max(1.0);
    let mut scene = FlameScene {
        workspace: workspace.clone(),
        size: size.unwrap_or_default(),
        ratio,
        lower: None,
        upper: None,
        orientation,
        flame_state: Rc::new((*flame_state).clone()),
    };
    let lower = use_query(scene.question(Half::Lower));
    let upper = use_query(scene.question(Half::Upper));
    let whole = use_query(minimap::question(&scene));
    scene.lower = lower.answer.clone();
    scene.upper = upper.answer.clone();

    let rendered = use_mut_ref(|| scene.clone());
    rendered.replace(scene.clone());
    let flame_dispatch = flame_state.dispatcher().to_callback();
    let handlers = Handlers {
        rendered,
        flame_state: flame_state.clone(),
        flame_dispatch: flame_dispatch.clone(),
        dispatch: workspace.dispatch.clone(),
        stage: canvas_ref.clone(),
        tree: tree_ref,
        drag: use_mut_ref(|| None),
    };
    use_key((), {
        let handlers = handlers.clone();
        move |(), event| keys::pressed(&handlers, event)
    });
    use_pinch(&canvas_ref, {
        let handlers = handlers.clone();
        move |pinch| handlers.pinch(pinch)
    });
    use_collapsed(&handlers, scene.n_collapsed());
    use_unhidden(&handlers, &scene);
    use_announcement_timeout(&handlers, &flame_state.announcement);
    let (search, found) = use_search(&scene, &handlers);
    use_drawing(&canvas_ref, &scene, found, colors);
    use_outline(&outline_ref, &scene);
    let on_form_close = {
        let handlers = handlers.clone();
        Callback::from(move |()| {
            handlers.flame_dispatch.emit(FlameAction::SourceForm(None));
            handlers.take_focus();
        })
    };
    let onfocusout = flame_dispatch.reform(|_: FocusEvent| FlameAction::Rest);
    let sandwich_of = workspace.view_state.selected.clone().or_else(|| scene.widest(Half::Lower));
    let (tip_hit, tip_x, tip_y) = tooltip_target(&scene, &canvas_ref);
    let small = whole.get().map(|whole| minimap::minimap(&scene, &handlers, whole));
    html! {
        <div class="flame" {onfocusout}>
            <div class="flame-bar">
                { search }
                { controls::stack_controls(&workspace, sandwich_of, [orientation_select, colors_select]) }
            </div>
            <div class="flame-where">
                { controls::breadcrumbs(&scene, &workspace.dispatch) }
                { controls::expand_switch(&scene, &handlers) }
                { controls::zoom_status(&scene, &handlers, small) }
            </div>
            { progress(&lower, &upper) }
            <div ref={stage_ref} class={classes!("flame-stage", scene.is_sandwich().then_some("is-sandwich"))}>
                <canvas ref={&canvas_ref} class="flame-canvas" aria-hidden="true"
                    onpointerdown={on(&handlers, Handlers::down)} onpointermove={on(&handlers, Handlers::moved)}
                    onpointerup={on(&handlers, Handlers::up)} onpointercancel={on(&handlers, |handlers, _: &PointerEvent| handlers.give_up())}
                    onpointerleave={on(&handlers, |handlers, _: &PointerEvent| handlers.leave())}
                    ondblclick={on(&handlers, Handlers::double_click)} oncontextmenu={on(&handlers, Handlers::menu)}
                    onwheel={on(&handlers, Handlers::wheel)} />
                <canvas ref={outline_ref} class="flame-outline" aria-hidden="true" />
                <AccessibleTree scene={scene.clone()} handlers={handlers.clone()} />
                { placeholder(&scene, &lower, size.is_some()) }
                { sandwich_labels::sandwich_labels(&scene) }
            </div>
            { hidden_rows::hidden_rows(&scene, &handlers) }
            { explainer(QUESTION, explainer::SUMMARY, &explainer::SHAPES) }
            <FlameTooltip scene={scene.clone()} hit={tip_hit} x={tip_x} y={tip_y} />
            if let Some(at) = flame_state.menu.clone() {
                <FrameMenu {scene} {handlers} {at} />
            }
            if let Some(label) = flame_state.source_form.clone() {
                <SourceForm {label} on_close={on_form_close} />
            }
            <p class="flame-said" role="status">{ flame_state.announcement.clone() }</p>
        </div>
    }
}

fn on<E>(handlers: &Handlers, then: impl Fn(&Handlers, &E) + 'static) -> Callback<E> {
    let handlers = handlers.clone();
    Callback::from(move |event: E| then(&handlers, &event))
}

/// Shown while there is no graph.
fn placeholder(scene: &FlameScene, lower: &QueryState, is_laid_out: bool) -> Html {
    if let Some(error) = &lower.error {
        return empty::failed(error, &scene.workspace.view_state, &scene.workspace.dispatch);
    }
    match scene.flame(Half::Lower) {
        Some(picture) if picture.total <= 0.0 && !lower.is_waiting => html! { <empty::NothingLeft /> },
        Some(_) => Html::default(),
        None if is_laid_out => html! { <p class="flame-waiting" role="status">{ "Counting stacks…" }</p> },
        None => Html::default(),
    }
}

/// A narrow progress bar for slow queries.
fn progress(lower: &QueryState, upper: &QueryState) -> Html {
    let working = lower.progress.or(upper.progress).filter(|_| lower.is_waiting || upper.is_waiting);
    html! {
        <div class="flame-progress">
            if let Some(share) = working {
                <progress value={share.to_string()} aria-label="Counting stacks" />
            }
        </div>
    }
}

/// Returns the tooltip's frame and position: next to the pointer, or below the box at the keyboard cursor.
fn tooltip_target(scene: &FlameScene, stage: &NodeRef) -> (Option<Hit>, f64, f64) {
    let flame_state = &scene.flame_state;
    if flame_state.menu.is_some() || flame_state.source_form.is_some() {
        return (None, 0.0, 0.0);
    }
    if let Some((hit, pointer)) = scene.hovered().zip(flame_state.hover) {
        return (Some(hit), pointer.client.0, pointer.client.1);
    }
    let by_keyboard = scene.cursor_hit().filter(|_| flame_state.by_keyboard).and_then(|hit| {
        let area = scene.stage(hit.half)?.area(scene.box_at(hit)?)?;
        let stage = stage.cast::<web_sys::Element>()?.get_bounding_client_rect();
        Some((Some(hit), stage.left() + area.x, stage.top() + area.y + area.h - 8.0))
    });
    by_keyboard.unwrap_or((None, 0.0, 0.0))
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
