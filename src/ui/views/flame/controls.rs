//! The controls above the flame graph: direction and grouping of stacks, colors, and the zoom path.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::ui::components::breadcrumbs::Breadcrumbs;
use crate::ui::components::collapsed_frames::collapsed_switch;
use crate::ui::components::grain_select::grain_select;
use crate::ui::components::select::{SelectOption, select};
use crate::ui::context::WorkspaceContext;
use crate::ui::store::view::ViewAction;
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::{FlameScene, Orientation};
use crate::ui::views::flame::state::{FlameAction, Half};
use crate::ui::views::flame::{keys, minimap};
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::flame::{self, Colors};

pub const COLORS: [(Colors, &str, &str); 2] =
    [(Colors::Module, "module", "color by module"), (Colors::File, "file", "color by file")];
pub const ORIENTATIONS: [(Orientation, &str, &str); 2] =
    [(Orientation::Icicle, "icicle", "icicle"), (Orientation::Flame, "flame", "flame")];

/// `sandwich_of` is the function for the callers-and-callees direction, if the user chooses it.
pub fn stack_controls(
    workspace: &WorkspaceContext,
    sandwich_of: Option<Label>,
    [orientation_select, colors_select]: [Html; 2],
) -> Html {
    let WorkspaceContext { view_state, dispatch, .. } = workspace;
    let option =
        SelectOption { is_disabled: sandwich_of.is_none(), ..SelectOption::new("sandwich", "callers and callees") };
    let shown = &view_state.flame.direction;
    let sandwich = match shown.function() {
        Some(_) => shown.clone(),
        None => sandwich_of.map_or(Direction::TopDown, Direction::Callees),
    };
    let directions = vec![
        (Direction::TopDown, SelectOption::new("down", "top-down")),
        (Direction::Inverted, SelectOption::new("up", "bottom-up")),
        (sandwich, option),
    ];
    let on_fold = dispatch.reform(|event: Event| {
        ViewAction::FoldRecursion(event.target_dyn_into::<HtmlInputElement>().is_some_and(|field| field.checked()))
    });
    html! {
        <div class="flame-ways">
            { select("Direction", directions, shown, dispatch.reform(ViewAction::Direction)) }
            { grain_select("Group by", workspace) }
            // Callers and callees extend in both directions.
            if shown.function().is_none() {
                { orientation_select }
            }
            { colors_select }
            <label class="quiet flame-check" title="Merges repeated frames of a stack into the outermost one">
                <input type="checkbox" checked={view_state.fold_recursion} onchange={on_fold} />{ "fold recursion" }
            </label>
        </div>
    }
}

/// The path from the root to the zoomed frame, or the function of a sandwich.
pub fn breadcrumbs(scene: &FlameScene, dispatch: &Callback<ViewAction>) -> Html {
    if let Some(function) = scene.direction(Half::Lower).function() {
        let onclick = dispatch.reform(|_: MouseEvent| ViewAction::Direction(Direction::TopDown));
        return html! {
            <nav class="flame-crumbs" aria-label="Zoomed to">
                <ol>
                    <li><button class="flame-crumb" {onclick}>{ "all" }</button></li>
                    <li><b aria-current="location">{ format!("callers and callees of {}", flame::title(function)) }</b></li>
                </ol>
            </nav>
        };
    }
    let path: Vec<Label> = match scene.flame(Half::Lower) {
        Some(picture) => {
            let names = picture.path.iter().skip(1).filter_map(|&name| picture.names.get(name as usize));
            names.map(|name| name.label.clone()).collect()
        }
        None => scene.root().to_vec(),
    };
    let kind = scene.kind;
    html! { <Breadcrumbs {path} on_zoom={dispatch.reform(move |root| kind.root_action(root))} /> }
}

/// The button that expands or collapses frames.
pub fn expand_switch(scene: &FlameScene, handlers: &Handlers) -> Html {
    let n_frames = scene.collapsible_frames(Half::Lower).n_frames() + scene.collapsible_frames(Half::Upper).n_frames();
    let is_expanded = scene.flame_state.is_expanded;
    let onclick = handlers.flame_dispatch.reform(move |_: MouseEvent| FlameAction::Expand(!is_expanded));
    collapsed_switch(n_frames, is_expanded, onclick)
}

/// Shows the zoom factor and the visible range, on the `minimap` if there is one.
pub fn zoom_status(scene: &FlameScene, handlers: &Handlers, minimap: Option<Html>) -> Html {
    let zoom = scene.zoom();
    let Some(picture) = scene.flame(Half::Lower) else {
        return Html::default();
    };
    let span = zoom.lower.end - zoom.lower.start;
    let upper = zoom.upper.end - zoom.upper.start;
    let times = picture.all / (picture.total * span.min(upper)).max(f64::MIN_POSITIVE);
    let is_near = times.is_finite() && times >= 1.005;
    if !is_near && scene.root().is_empty() {
        return Html::default();
    }
    let onclick = {
        let handlers = handlers.clone();
        Callback::from(move |_: MouseEvent| keys::show_all(&handlers, &handlers.scene()))
    };
    let words = match times {
        // A frame with the same weight as its caller isn't zoomed any further.
        _ if !is_near => String::new(),
        times if times < 10.0 => format!("zoomed {times:.1}×"),
        times => format!("zoomed {times:.0}×"),
    };
    let extent = (span < 1.0 && minimap.is_none()).then(|| {
        html! {
            <svg class="flame-extent" width="96" height="8" role="img" aria-label={minimap::extent(&zoom.lower)}>
                <rect class="flame-extent-all" width="96" height="8" rx="2" />
                <rect class="flame-extent-seen" x={format!("{:.1}", zoom.lower.start * 96.0)}
                    width={format!("{:.1}", (span * 96.0).max(2.0))} height="8" rx="2" />
            </svg>
        }
    });
    html! {
        <div class="flame-near">
            { minimap }
            { extent }
            <span>{ words }</span>
            <button class="quiet" {onclick}><kbd>{ "0" }</kbd>{ " reset zoom" }</button>
        </div>
    }
}
