//! The flame graph: a canvas for display and pointer, a tree for keyboard and screen readers, and one scene shared by
//! both. The zoomed frame, direction, search and selection are in the view state, but the scroll position is not.
//!
//! The Compare tab draws its difference graph with the same scene, gestures and keys.

pub mod controls;
mod double_click;
pub mod drawing;
mod empty;
pub mod explainer;
pub mod graph;
mod hidden_functions;
pub mod hidden_rows;
mod keys;
pub mod matches;
pub mod menu;
mod minimap;
pub mod pointer;
mod sandwich_labels;
pub mod scene;
pub mod search;
mod source;
pub mod state;
mod tooltip;
mod tree;
mod words;

use std::rc::Rc;

use yew::prelude::*;

use self::controls::{COLORS, ORIENTATIONS};
use self::drawing::{use_drawing, use_flame_picture};
use self::graph::{announcement, canvases, tooltip_target, use_graph, use_graph_nodes};
use self::scene::{Boxes, FlameScene, GraphKind};
use self::search::use_search;
use self::state::{FlameAction, FlameState, Half};
use self::tooltip::FlameTooltip;
use self::tree::AccessibleTree;
use crate::ui::components::search::use_matcher;
use crate::ui::components::select::use_remembered_select;
use crate::ui::context::use_workspace;
use crate::ui::platform::size::use_size;
use crate::ui::query::use_query;
use camlscope_view::page::query::hook::QueryState;

#[component]
pub fn FlameView() -> Html {
    let workspace = use_workspace();
    let nodes = use_graph_nodes();
    let size = use_size(&nodes.stage);
    let flame_state = use_reducer_eq(FlameState::default);
    let (colors, colors_select) = use_remembered_select("Colors", "camlscope.colors", &COLORS);
    let (orientation, orientation_select) =
        use_remembered_select("Orientation", "camlscope.orientation", &ORIENTATIONS);
    let ratio = gloo::utils::window().device_pixel_ratio().max(1.0);
    let mut scene = FlameScene {
        workspace: workspace.clone(),
        kind: GraphKind::Stacks,
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
    scene.lower = lower.answer.clone().map(Boxes::Stacks);
    scene.upper = upper.answer.clone().map(Boxes::Stacks);

    let handlers = use_graph(&nodes, &scene, &flame_state);
    let matcher = use_matcher(&workspace.view_state);
    let (search, found) = use_search(&scene, &handlers, matcher);
    let drawing = use_drawing(&nodes.canvas, &scene, found.map(|found| found.keys), colors);
    use_flame_picture(&drawing, &scene);
    let onfocusout = handlers.flame_dispatch.reform(|_: FocusEvent| FlameAction::Rest);
    let sandwich_of = workspace.view_state.selected.clone().or_else(|| scene.widest(Half::Lower));
    let tip = tooltip_target(&scene, &nodes.canvas);
    let (tip_hit, (x, y)) = tip.map_or((None, (0.0, 0.0)), |(hit, x, y)| (Some(hit), (x, y)));
    let small = whole.get().map(|whole| minimap::minimap(&scene, &handlers, whole));
    html! {
        <div class="flame" data-graph="stacks" {onfocusout}>
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
            <div ref={&nodes.stage} class={classes!("flame-stage", scene.is_sandwich().then_some("is-sandwich"))}>
                { canvases(&nodes, &handlers) }
                <AccessibleTree scene={scene.clone()} handlers={handlers.clone()} />
                { placeholder(&scene, &lower, size.is_some()) }
                { sandwich_labels::sandwich_labels(&scene) }
            </div>
            { hidden_rows::hidden_rows(&scene, &handlers) }
            <FlameTooltip scene={scene.clone()} hit={tip_hit} {x} {y} />
            { menu::frame_menu(&scene, &handlers) }
            { announcement(&flame_state) }
        </div>
    }
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
