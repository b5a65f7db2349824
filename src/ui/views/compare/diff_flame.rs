//! The differential flame graph: a canvas for display and pointer, and a tree for keyboard and screen readers.
//!
//! Clicking a frame zooms in, and clicking the frame that fills the width zooms out. The graph is as tall as its stacks
//! are deep, and scrolls with the page.

use web_sys::{HtmlElement, MouseEvent, PointerEvent};
use yew::prelude::*;

use crate::ui::components::collapsed_frames::{collapsed_switch, collapsed_words};
use crate::ui::components::comparison;
use crate::ui::components::picture::{self, PictureContent};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::platform::pictures::{Pictured, use_picture};
use crate::ui::platform::placement::{Anchor, place};
use crate::ui::platform::pointer::Pointer;
use crate::ui::platform::size::use_size;
use crate::ui::platform::use_canvas::use_canvas;
use crate::ui::query::{SharedAnswer, use_query};
use crate::ui::shared::Shared;
use crate::ui::store::view::ViewAction;
use crate::ui::store::view::compare::{CompareAction, ComparePair};
use crate::ui::views::compare::diff_tree::diff_tree;
use crate::ui::views::compare::scene::{DiffScene, Matcher};
use crate::ui::views::compare::words;
use camlscope_engine::protocol::Question;
use camlscope_engine::query::compare::DiffConfig;
use camlscope_engine::query::tree::Label;
use camlscope_present::format;
use camlscope_present::layout::diff::{self, DiffPicture};
use camlscope_present::layout::draw::{Op, Paint, TextWidth};
use camlscope_present::layout::flame::{self, CollapsedFrames, Marks, ROW, Stage, draw, outline, tooltips};
use camlscope_present::words::errors::UserError;

/// Deeper stacks are visible after zooming in.
const MAX_LEVELS: usize = 100;
/// The minimum height in rows, so that the table below rarely moves.
const MIN_ROWS: f64 = 8.0;

#[derive(Properties, PartialEq)]
pub struct DiffFlameProps {
    pub pair: ComparePair,
    /// The search, or `None` if there is none.
    pub matcher: Option<Matcher>,
}

#[component]
pub fn DiffFlameGraph(props: &DiffFlameProps) -> Html {
    let workspace = use_workspace();
    let WorkspaceContext { view_state, dispatch, .. } = &workspace;
    let (stage_ref, canvas_ref, outline_ref) = (use_node_ref(), use_node_ref(), use_node_ref());
    let hover = use_state_eq(|| None::<Pointer>);
    let cursor = use_state_eq(|| None::<Vec<Label>>);
    let is_expanded = use_state_eq(|| false);
    let (scene, error) = use_scene(&workspace, props.pair, &stage_ref, *is_expanded);
    let hovered = scene.as_ref().zip(*hover).and_then(|(scene, at)| scene.stage.hit(&scene.picture.flame, at.x, at.y));
    let at_cursor = scene.as_ref().zip(cursor.as_ref());
    let at_cursor = at_cursor.and_then(|(scene, path)| flame::locate(&scene.picture.flame, path));
    use_height(&stage_ref, scene.as_ref().map_or(MIN_ROWS * ROW, |scene| scene.stage.height));
    use_drawing(&canvas_ref, scene.as_ref(), view_state.selected.as_ref(), props.matcher.as_ref());
    use_outline(&outline_ref, scene.as_ref(), hovered, at_cursor);
    use_diff_picture(&workspace, props, scene.as_ref());

    let on_pointer = {
        let (canvas, hover) = (canvas_ref.clone(), hover.setter());
        Callback::from(move |event: PointerEvent| hover.set(Pointer::on(&canvas, &event)))
    };
    let on_leave = Callback::from(hover.setter()).reform(|_: PointerEvent| None);
    let on_click = {
        let (canvas, scene, cursor, hover) = (canvas_ref.clone(), scene.clone(), cursor.setter(), hover.setter());
        let is_expanded = is_expanded.setter();
        Callback::from(move |event: MouseEvent| {
            let Some((scene, at)) = scene.as_ref().zip(Pointer::on(&canvas, &event)) else { return };
            if let Some(place) = scene.stage.hit(&scene.picture.flame, at.x, at.y) {
                hover.set(None);
                cursor.set(None);
                match scene.is_collapsed(place) {
                    true => is_expanded.set(true),
                    false => scene.zoom_to(place),
                }
            }
        })
    };
    let on_cursor = {
        let (cursor, hover) = (cursor.setter(), hover.setter());
        Callback::from(move |path: Option<Vec<Label>>| {
            hover.set(None);
            cursor.set(path);
        })
    };
    let tip = scene.as_ref().and_then(|scene| {
        let by_pointer = hovered.zip(*hover).map(|(place, at)| (place, at.client));
        let (place, (x, y)) = by_pointer.or_else(|| {
            let place = at_cursor?;
            let area = scene.stage.area(scene.picture.flame.boxes.get(place)?)?;
            let canvas = canvas_ref.cast::<HtmlElement>()?.get_bounding_client_rect();
            Some((place, (canvas.left() + area.x, canvas.top() + area.y + area.h - 8.0)))
        })?;
        Some(html! { <DiffTooltip scene={scene.clone()} {place} {x} {y} /> })
    });
    let words = match (&error, &scene) {
        (Some(error), _) => html! {
            <div class="compare-words" role="alert">
                { format!("{} {} ", error.text, error.advice) }
                { show_all(view_state.compare.root.is_empty(), dispatch) }
            </div>
        },
        (None, Some(scene)) if scene.picture.flame.boxes.is_empty() => {
            html! { <p class="compare-words">{ nothing(scene) }</p> }
        }
        (None, None) => html! { <p class="compare-words" role="status">{ "Comparing…" }</p> },
        (None, Some(_)) => Html::default(),
    };
    html! {
        <div class="diff-scroll">
            if let Some(scene) = &scene {
                { expand_button(scene, &is_expanded) }
            }
            <div ref={stage_ref} class="diff-stage">
                <canvas ref={canvas_ref} class="flame-canvas" aria-hidden="true" onpointermove={on_pointer}
                    onpointerleave={on_leave} onclick={on_click} />
                <canvas ref={outline_ref} class="flame-outline" aria-hidden="true" />
                if let Some(scene) = &scene {
                    { diff_tree(scene, cursor.as_deref(), &on_cursor) }
                }
                { words }
            </div>
            { tip.unwrap_or_default() }
        </div>
    }
}

/// Returns the current graph, or the error.
#[hook]
fn use_scene(
    workspace: &WorkspaceContext,
    pair: ComparePair,
    stage_ref: &NodeRef,
    is_expanded: bool,
) -> (Option<DiffScene>, Option<UserError>) {
    let WorkspaceContext { view_state, dispatch, units, .. } = workspace;
    let width_px = use_size(stage_ref).map(|(width, _)| width);
    let root = view_state.compare.root.clone();
    let request = width_px.map(|width_px| {
        let config = DiffConfig { root: root.clone(), width_px, max_levels: MAX_LEVELS };
        let question = Question::DiffFlame { versus: comparison::versus(view_state, pair), config };
        comparison::request(view_state, pair, question)
    });
    let query = use_query(request);
    let picture = use_memo((query.answer.clone(), view_state.compare.width), {
        let root = root.clone();
        move |(answer, width)| {
            answer.as_ref().and_then(SharedAnswer::get).map(|diff| Shared::new(diff::picture(diff, *width, &root)))
        }
    });
    let scene = query.answer.clone().zip((*picture).clone()).zip(width_px).map(|((answer, picture), width)| {
        let collapsed = if is_expanded { CollapsedFrames::default() } else { CollapsedFrames::of(&picture.flame) };
        let n_rows = picture.flame.n_depths.checked_sub(1).map_or(0, |last| collapsed.row(last) + 1);
        let height = f64::from(n_rows).max(MIN_ROWS) * ROW;
        let ratio = gloo::utils::window().device_pixel_ratio().max(1.0);
        let stage = Stage { x: 0.0..1.0, width, height, top: 0.0, is_upward: false, collapsed, ratio };
        let unit = comparison::measure(view_state, pair).unit();
        let suffix = comparison::scale(view_state, pair).suffix();
        DiffScene {
            answer,
            picture,
            stage,
            unit,
            units: *units,
            suffix,
            is_exact: !workspace.capabilities.has_samples,
            root,
            is_fresh: !query.is_waiting,
            dispatch: dispatch.clone(),
        }
    });
    (scene, query.error)
}

/// Explains why there are no boxes: either both sides are empty, or the side that determines the widths is.
fn nothing(scene: &DiffScene) -> &'static str {
    let root = scene.diff().and_then(|diff| diff.boxes.first()).map(|diff_box| diff_box.before + diff_box.after);
    match root {
        Some(weight) if weight > 0.0 => "No data on this side. Switch the width to the other side.",
        _ => "Nothing passes the filter on either side.",
    }
}

/// The button that expands or collapses frames.
fn expand_button(scene: &DiffScene, is_expanded: &UseStateHandle<bool>) -> Html {
    let n_frames = CollapsedFrames::of(&scene.picture.flame).n_frames();
    let onclick = {
        let is_expanded = is_expanded.clone();
        Callback::from(move |_: MouseEvent| is_expanded.set(!*is_expanded))
    };
    collapsed_switch(n_frames, **is_expanded, onclick)
}

fn show_all(is_all: bool, dispatch: &Callback<ViewAction>) -> Html {
    if is_all {
        return Html::default();
    }
    let onclick = dispatch.reform(|_: MouseEvent| ViewAction::Compare(CompareAction::Zoom(Vec::new())));
    html! { <button class="button" {onclick}>{ "Show all" }</button> }
}

/// Sets the stage's height to its number of rows. The content security policy forbids inline styles in markup, so code
/// sets it.
#[hook]
fn use_height(stage_ref: &NodeRef, height: f64) {
    let stage_ref = stage_ref.clone();
    use_effect_with(height.to_bits(), move |height| {
        if let Some(stage) = stage_ref.cast::<HtmlElement>() {
            let _ = stage.style().set_property("height", &format!("{}px", f64::from_bits(*height)));
        }
    });
}

#[hook]
fn use_drawing(canvas_ref: &NodeRef, scene: Option<&DiffScene>, selected: Option<&Label>, matcher: Option<&Matcher>) {
    let drawn = scene.map(|scene| ((scene.clone(), selected.cloned(), matcher.cloned()), scene.size()));
    use_canvas(canvas_ref, drawn, |(scene, selected, matcher), canvas| {
        Some(ops(scene, selected.as_ref(), matcher.as_ref(), canvas))
    });
}

fn ops(scene: &DiffScene, selected: Option<&Label>, matcher: Option<&Matcher>, text: &dyn TextWidth) -> Vec<Op> {
    let found = matcher.map(|matcher| found(&scene.picture, matcher));
    let marks = Marks { selected, found: found.as_deref(), paints: Some(&scene.picture.paints), ..Marks::default() };
    draw(&scene.picture.flame, &scene.stage, &marks, text)
}

/// Registers the image for export.
#[hook]
fn use_diff_picture(workspace: &WorkspaceContext, props: &DiffFlameProps, scene: Option<&DiffScene>) {
    let draw = scene.cloned().map(|scene| {
        let (workspace, pair, matcher) = (workspace.clone(), props.pair, props.matcher.clone());
        move |text: &dyn TextWidth| {
            let view_state = &workspace.view_state;
            let request = comparison::request(view_state, pair, Question::Summary);
            let (amount, sides) = match pair {
                ComparePair::Traces => {
                    (camlscope_present::words::measure::counted(view_state.measure), "A (before), B (after)".to_owned())
                }
                ComparePair::Times { before, after } => {
                    let [before, after] = [before, after].map(comparison::time_words);
                    ("live bytes".to_owned(), format!("{before} before, {after} after"))
                }
            };
            let same = if scene.is_exact { "unchanged" } else { "not significant" };
            let drawn = PictureContent {
                name: "Difference",
                about: vec![
                    format!("{}: {sides}", picture::counted_words(&amount, &request.view.filter)),
                    picture::stack_words(&workspace, &scene.root),
                ],
                legend: vec![
                    picture::entry(Paint::Change(-diff::SHADES), "less"),
                    picture::entry(Paint::Change(0), same),
                    picture::entry(Paint::Change(diff::SHADES), "more"),
                ],
                ops: ops(&scene, view_state.selected.as_ref(), matcher.as_ref(), text),
                tooltips: tooltips(&scene.picture.flame, &scene.stage, false),
                size: scene.size(),
                is_both: pair == ComparePair::Traces,
            };
            picture::with_words(&workspace, drawn)
        }
    });
    use_picture(Pictured::View, draw);
}

/// Returns the keys of names that match the search, in ascending order.
fn found(picture: &DiffPicture, matcher: &Matcher) -> Vec<u32> {
    let names = picture.flame.names.iter().filter(|name| matcher.names.is_match(&name.label.name));
    names.map(|name| name.key).collect()
}

#[hook]
fn use_outline(canvas_ref: &NodeRef, scene: Option<&DiffScene>, hovered: Option<usize>, cursor: Option<usize>) {
    let drawn = scene.map(|scene| ((scene.clone(), hovered, cursor), scene.size()));
    use_canvas(canvas_ref, drawn, |(scene, hovered, cursor), _| {
        Some(outline(&scene.picture.flame, &scene.stage, *hovered, *cursor))
    });
}

#[derive(Properties, PartialEq)]
struct DiffTooltipProps {
    scene: DiffScene,
    place: usize,
    /// The position of the pointer or the box in the window.
    x: f64,
    y: f64,
}

#[component]
fn DiffTooltip(props: &DiffTooltipProps) -> Html {
    let DiffTooltipProps { scene, place: at, x, y } = props;
    let node = use_node_ref();
    use_effect_with((node.clone(), *x, *y, *at), |(node, x, y, _)| place(node, &Anchor::Pointer(*x, *y)));
    let (Some(diff_box), Some(label)) = (scene.diff_box(*at), scene.label(*at)) else {
        return Html::default();
    };
    if scene.is_collapsed(*at) {
        let names = collapsed_words(&scene.picture.flame, scene.stage.collapsed);
        return html! {
            <div ref={node} class="flame-tip" role="tooltip"><b>{ names.0 }</b><p>{ names.1 }</p></div>
        };
    }
    let title = match diff_box.merged {
        0 => flame::title(label),
        n => format!("{} boxes too narrow to draw", format::count(n as u64)),
    };
    let file = match diff_box.merged {
        0 => label.location(),
        _ => format!("below {}; click to zoom in", flame::title(label)),
    };
    html! {
        <div ref={node} class="flame-tip" role="tooltip">
            <b>{ title }</b>
            if !file.is_empty() {
                <p>{ file }</p>
            }
            <p class="diff-tip-change" data-figure="diff.change" data-value={(diff_box.after - diff_box.before).to_string()}>
                { words::box_change((scene.unit, scene.units), scene.suffix, diff_box) }
            </p>
            <p>{ words::box_verdict(diff_box, scene.is_exact) }</p>
        </div>
    }
}
