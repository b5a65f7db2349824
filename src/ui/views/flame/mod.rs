//! The flame graph: a canvas for the eye and the pointer, a tree for the keyboard and for screen readers, and one scene
//! behind both. Zoomed-to frames, direction, search and selection are in the view state; how far the user has scrolled is not.

mod controls;
mod drawing;
mod empty;
mod explainer;
mod halves;
mod hidden;
mod keys;
mod matches;
mod menu;
mod minimap;
mod outside;
mod pointer;
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

use self::controls::Tastes;
use self::drawing::use_drawing;
use self::hidden::use_unhidden;
use self::matches::{Matches, use_step};
use self::menu::Menu;
use self::pointer::Handlers;
use self::scene::Scene;
use self::search::{Search, search};
use self::source::SourceForm;
use self::state::{FlameAction, FlameState, Half, Hit};
use self::tooltip::Tooltip;
use self::tree::AccessibleTree;
use crate::ui::components::explainer::{QUESTION, explainer};
use crate::ui::components::search::search_test;
use crate::ui::context::use_workspace;
use crate::ui::platform::canvas::Canvas;
use crate::ui::platform::keyboard::on_key;
use crate::ui::platform::pinch::use_pinch;
use crate::ui::platform::size::use_size;
use crate::ui::platform::theme::Theme;
use crate::ui::query::{QueryState, use_query};
use camlscope_engine::protocol::{Answer, Question};
use camlscope_engine::query::flame::Found;
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::draw::Op;
use camlscope_present::layout::flame::outline;

/// How long a notice stays.
const ANNOUNCEMENT_MS: u32 = 4000;

#[component]
pub fn FlameView() -> Html {
    let workspace = use_workspace();
    let (stage_ref, tree_ref) = (use_node_ref(), use_node_ref());
    let (canvas_ref, outline_ref) = (use_node_ref(), use_node_ref());
    let size = use_size(&stage_ref);
    let flame_state = use_reducer_eq(FlameState::default);
    let colors = use_state_eq(controls::remembered_colors);
    let orientation = use_state_eq(controls::remembered_orientation);
    let ratio = gloo::utils::window().device_pixel_ratio().max(1.0);
    let mut scene = Scene {
        workspace: workspace.clone(),
        size: size.unwrap_or_default(),
        ratio,
        lower: None,
        upper: None,
        orientation: *orientation,
        flame_state: Rc::new((*flame_state).clone()),
    };
    let question = |half| size.and_then(|_| scene.question(half));
    let lower = use_query(question(Half::Lower));
    let upper = use_query(question(Half::Upper));
    let whole = use_query(size.and_then(|_| minimap::question(&scene)));
    let test = search_test(&workspace.view_state.search);
    let searched = |half| size.filter(|_| test.is_some()).and_then(|_| matches::question(&scene, half));
    let whole_lower = use_query(searched(Half::Lower));
    let whole_upper = use_query(searched(Half::Upper));
    let find = use_query(test.map(|test| workspace.view_state.request(Question::Find(test))));
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
    use_keys(&handlers);
    use_pinch(&canvas_ref, {
        let handlers = handlers.clone();
        move |pinch| handlers.pinch(pinch)
    });
    use_folded(&handlers, scene.n_folded());
    use_unhidden(&handlers, &scene);
    use_announcement_timeout(&handlers, &flame_state.announcement);
    let found = found_in(&find);
    use_drawing(&canvas_ref, &scene, found.clone(), *colors);
    use_outline(&outline_ref, &scene);

    let matches = use_memo((find.clone(), whole_lower, whole_upper), |(find, lower, upper)| {
        Matches::new(&found_in(find)?, lower, upper)
    });
    let at = (*matches).as_ref().and_then(|matches| matches.position(&scene));
    let n_matches = (*matches).as_ref().map(Matches::len);
    let on_step = use_step(&handlers, &matches);
    let on_leave = {
        let handlers = handlers.clone();
        Callback::from(move |()| handlers.take_focus())
    };
    let on_form_close = {
        let handlers = handlers.clone();
        Callback::from(move |()| {
            handlers.flame_dispatch.emit(FlameAction::SourceForm(None));
            handlers.take_focus();
        })
    };
    let (text, dispatch) = (&workspace.view_state.search, &workspace.dispatch);
    let search =
        search(Search { text, query: &find, found: found.as_ref(), at, n_matches, dispatch, on_step, on_leave });
    let onfocusout = flame_dispatch.reform(|_: FocusEvent| FlameAction::Rest);
    let sandwich_of = workspace.view_state.selected.clone().or_else(|| widest(&scene));
    let (tip_hit, tip_x, tip_y) = tip(&scene, &canvas_ref);
    let small = match whole.answer.as_deref() {
        Some(Answer::Flame(whole)) => Some(minimap::minimap(&scene, &handlers, whole)),
        _ => None,
    };
    let tastes = Tastes { colors: &colors, orientation: &orientation };
    html! {
        <div class="flame" {onfocusout}>
            <div class="flame-bar">
                { search }
                { controls::ways(&workspace.view_state, &workspace.dispatch, sandwich_of, &tastes) }
            </div>
            <div class="flame-where">
                { controls::crumbs(&scene, &workspace.dispatch) }
                { controls::trunk(&scene, &handlers) }
                { controls::nearness(&scene, &handlers, small) }
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
                { instead(&scene, &lower, size.is_some()) }
                { halves::halves(&scene) }
            </div>
            { outside::outside(&scene, &handlers) }
            { explainer(QUESTION, explainer::SUMMARY, &explainer::SHAPES) }
            <Tooltip scene={scene.clone()} hit={tip_hit} x={tip_x} y={tip_y} />
            if let Some(at) = flame_state.menu.clone() {
                <Menu {scene} {handlers} {at} />
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

/// What stands there when no picture does.
fn instead(scene: &Scene, lower: &QueryState, is_laid_out: bool) -> Html {
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

/// A thin line, once an answer takes a while.
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

fn found_in(query: &QueryState) -> Option<Found> {
    match query.answer.as_deref() {
        Some(Answer::Find(found)) => Some(found.clone()),
        _ => None,
    }
}

/// The widest frame below the top: what callers and callees are shown of where nothing is selected.
fn widest(scene: &Scene) -> Option<Label> {
    let picture = scene.flame(Half::Lower)?;
    let of = picture.boxes.iter().find(|of| of.depth == 1 && of.n_merged == 0)?;
    picture.names.get(of.name as usize).map(|name| name.label.clone())
}

/// What the tooltip is about, and where it stands: beside the pointer, or below the box that the keyboard is at.
fn tip(scene: &Scene, stage: &NodeRef) -> (Option<Hit>, f64, f64) {
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

#[hook]
fn use_keys(handlers: &Handlers) {
    let handlers = handlers.clone();
    use_effect_with((), move |()| {
        let listener = on_key(move |event| keys::pressed(&handlers, event));
        move || drop(listener)
    });
}

/// As many more levels are asked for as frames share a row.
#[hook]
fn use_folded(handlers: &Handlers, n_folded: u32) {
    let flame_dispatch = handlers.flame_dispatch.clone();
    use_effect_with(n_folded, move |n_folded| flame_dispatch.emit(FlameAction::Folded(*n_folded)));
}

/// What was said goes after a while.
#[hook]
fn use_announcement_timeout(handlers: &Handlers, announcement: &str) {
    let flame_dispatch = handlers.flame_dispatch.clone();
    use_effect_with(announcement.to_owned(), move |announcement| {
        let timeout = (!announcement.is_empty())
            .then(|| Timeout::new(ANNOUNCEMENT_MS, move || flame_dispatch.emit(FlameAction::Say(String::new()))));
        move || drop(timeout)
    });
}

/// What pointer and keyboard are at, on a canvas of its own.
#[hook]
fn use_outline(canvas_ref: &NodeRef, scene: &Scene) {
    let theme = use_context::<Theme>().unwrap_or_default();
    let outline = |half: Half| {
        let place = |hit: Option<Hit>| hit.filter(|hit| hit.half == half).map(|hit| hit.place);
        let cursor = scene.cursor_hit().filter(|_| scene.flame_state.cursor.is_some());
        let (picture, stage) = (scene.flame(half)?, scene.stage(half)?);
        Some(outline(picture, &stage, place(scene.hovered()), place(cursor)))
    };
    let ops: Vec<Op> = [Half::Lower, Half::Upper].into_iter().filter_map(outline).flatten().collect();
    let canvas_ref = canvas_ref.clone();
    use_effect_with((ops, scene.size, theme), move |(ops, size, _)| {
        if let Some(canvas) = Canvas::of(&canvas_ref, *size) {
            canvas.draw(ops);
        }
    });
}
