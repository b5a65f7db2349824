//! The differential flame graph. Its boxes and tooltips are its own; everything else is the flame graph's.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::collapsed_frames::collapsed_words;
use crate::ui::components::picture::{self, PictureContent};
use crate::ui::components::search::{Matcher, use_matcher};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::platform::pictures::{Pictured, use_picture};
use crate::ui::platform::placement::{Anchor, place};
use crate::ui::platform::size::use_size;
use crate::ui::query::use_query;
use crate::ui::store::view::ViewAction;
use crate::ui::store::view::compare::{CompareAction, ComparePair};
use crate::ui::views::compare::diff_tree::diff_tree;
use crate::ui::views::compare::difference::Difference;
use crate::ui::views::compare::reveal::use_reveal;
use crate::ui::views::flame::drawing::{FlameDrawing, use_drawing};
use crate::ui::views::flame::graph::{announcement, canvases, tooltip_target, use_graph, use_graph_nodes};
use crate::ui::views::flame::matches::{self, Matches};
use crate::ui::views::flame::menu::frame_menu;
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::{Boxes, FlameScene, GraphKind, Orientation};
use crate::ui::views::flame::search::use_search_field;
use crate::ui::views::flame::state::{FlameAction, FlameState, Half, Hit};
use crate::ui::views::flame::{controls, hidden_rows};
use camlscope_engine::protocol::Question;
use camlscope_engine::query::compare::DiffFlame;
use camlscope_engine::query::flame::FlameName;
use camlscope_present::format;
use camlscope_present::layout::diff::{self, DiffPicture};
use camlscope_present::layout::draw::{Paint, TextWidth};
use camlscope_present::layout::flame::{self, Colors, tooltips};
use camlscope_view::page::components::comparison;
use camlscope_view::page::components::search::match_words;
use camlscope_view::page::query::event::SharedAnswer;
use camlscope_view::page::query::hook::QueryState;
use camlscope_view::page::shared::Shared;
use camlscope_view::page::views::compare::words;

#[derive(Properties, PartialEq)]
pub struct DiffFlameProps {
    pub pair: ComparePair,
    /// The controls next to the search field.
    pub controls: Html,
}

#[component]
pub fn DiffFlameGraph(props: &DiffFlameProps) -> Html {
    let workspace = use_workspace();
    let nodes = use_graph_nodes();
    let size = use_size(&nodes.stage);
    let flame_state = use_reducer_eq(FlameState::default);
    let mut scene = FlameScene {
        workspace: workspace.clone(),
        kind: GraphKind::Difference,
        size: size.unwrap_or_default(),
        ratio: gloo::utils::window().device_pixel_ratio().max(1.0),
        lower: None,
        upper: None,
        orientation: Orientation::Icicle,
        flame_state: Rc::new((*flame_state).clone()),
    };
    let query = use_query(scene.question(Half::Lower));
    let difference = use_difference(&workspace, props.pair, &query);
    scene.lower = difference.as_ref().map(|difference| Boxes::Difference(difference.picture.clone()));

    let handlers = use_graph(&nodes, &scene, &flame_state);
    let matcher = use_matcher(&workspace.view_state);
    let search = use_diff_search(&scene, &handlers, &matcher);
    let found = use_found(&scene, matcher.ok().flatten());
    let drawing = use_drawing(&nodes.canvas, &scene, found, Colors::default());
    use_diff_picture(&workspace, props.pair, &drawing, difference.as_ref());
    use_reveal(&scene, &handlers, difference.as_ref().filter(|_| !query.is_waiting), &nodes.stage);
    let onfocusout = handlers.flame_dispatch.reform(|_: FocusEvent| FlameAction::Rest);
    let tip = difference.as_ref().zip(tooltip_target(&scene, &nodes.canvas)).map(|(difference, (hit, x, y))| {
        html! { <DiffTooltip scene={scene.clone()} difference={difference.clone()} {hit} {x} {y} /> }
    });
    html! {
        <div class="diff" data-graph="difference" {onfocusout}>
            <div class="compare-bar">
                { search }
                { props.controls.clone() }
            </div>
            <div class="flame-where">
                { controls::breadcrumbs(&scene, &workspace.dispatch) }
                { controls::expand_switch(&scene, &handlers) }
                { controls::zoom_status(&scene, &handlers, None) }
            </div>
            <div ref={&nodes.stage} class="flame-stage diff-stage">
                { canvases(&nodes, &handlers) }
                if let Some(difference) = &difference {
                    { diff_tree(&scene, difference, &handlers) }
                }
                { placeholder(&workspace, &query, difference.as_ref()) }
            </div>
            { hidden_rows::hidden_rows(&scene, &handlers) }
            // Always one node, because Yew matches nodes by position.
            { tip.unwrap_or_default() }
            { frame_menu(&scene, &handlers) }
            { announcement(&flame_state) }
        </div>
    }
}

/// Returns the current boxes and their figures.
#[hook]
fn use_difference(workspace: &WorkspaceContext, pair: ComparePair, query: &QueryState) -> Option<Difference> {
    let WorkspaceContext { view_state, units, .. } = workspace;
    // The response doesn't name its root.
    let root = use_memo(query.answer.clone(), |_| view_state.compare.root.clone());
    let picture = use_memo((query.answer.clone(), view_state.compare.width), |(answer, width)| {
        let diff = answer.as_ref().and_then(SharedAnswer::get::<DiffFlame>)?;
        Some(Shared::new(diff::picture(diff, *width, &root)))
    });
    let (answer, picture) = query.answer.clone().zip((*picture).clone())?;
    Some(Difference {
        answer,
        picture,
        unit: comparison::measure(view_state, pair).unit(),
        units: *units,
        suffix: comparison::scale(view_state, pair).suffix(),
        is_exact: !workspace.capabilities.has_samples,
    })
}

/// Returns the search field.
#[hook]
fn use_diff_search(scene: &FlameScene, handlers: &Handlers, matcher: &Result<Option<Matcher>, String>) -> Html {
    let is_searching = matches!(matcher, Ok(Some(_)));
    let whole = use_query(matches::question(scene, Half::Lower).filter(|_| is_searching));
    let settings = &scene.workspace.view_state.compare;
    let about = (whole.answer.clone().filter(|_| !whole.is_waiting), settings.width, matcher.clone().ok().flatten());
    let matches = use_memo(about, |(answer, width, matcher)| {
        let (answer, matcher) = (answer.as_ref()?, matcher.as_ref()?);
        let picture: DiffPicture = diff::picture(answer.get()?, *width, &settings.root);
        let is_match = |name: &FlameName| matcher.finds(&name.label);
        Some(Matches::new(Boxes::Difference(Shared::new(picture)), None, is_match))
    });
    let words = match matcher {
        Err(problem) => Err(problem.clone()),
        Ok(_) => Ok((*matches).as_ref().map_or_else(Html::default, |matches| match matches.len() {
            0 => html! { "no match in the graph" },
            n => html! { match_words(matches.position(scene), n) },
        })),
    };
    use_search_field(scene, handlers, &matches, words)
}

/// Returns the keys of names that match the search, in ascending order.
#[hook]
fn use_found(scene: &FlameScene, matcher: Option<Matcher>) -> Option<Vec<u32>> {
    let found = use_memo((scene.lower.clone(), matcher), |(boxes, matcher)| {
        let (flame, matcher) = (boxes.as_ref()?.flame()?, matcher.as_ref()?);
        Some(flame.names.iter().filter(|name| matcher.finds(&name.label)).map(|name| name.key).collect())
    });
    (*found).clone()
}

/// Shown while there are no boxes.
fn placeholder(workspace: &WorkspaceContext, query: &QueryState, difference: Option<&Difference>) -> Html {
    let WorkspaceContext { view_state, dispatch, .. } = workspace;
    match (&query.error, difference) {
        (Some(error), _) => html! {
            <div class="compare-words" role="alert">
                { format!("{} {} ", error.text, error.advice) }
                { show_all(view_state.compare.root.is_empty(), dispatch) }
            </div>
        },
        (None, Some(difference)) if difference.picture.flame.boxes.is_empty() => {
            html! { <p class="compare-words">{ nothing(difference) }</p> }
        }
        (None, None) => html! { <p class="compare-words" role="status">{ "Comparing…" }</p> },
        (None, Some(_)) => Html::default(),
    }
}

/// Explains why there are no boxes: either both sides are empty, or the side that determines the widths is.
fn nothing(difference: &Difference) -> &'static str {
    let root = difference.flame().and_then(|diff| diff.boxes.first()).map(|diff_box| diff_box.before + diff_box.after);
    match root {
        Some(weight) if weight > 0.0 => "No data on this side. Switch the width to the other side.",
        _ => "Nothing passes the filter on either side.",
    }
}

fn show_all(is_all: bool, dispatch: &Callback<ViewAction>) -> Html {
    if is_all {
        return Html::default();
    }
    let onclick = dispatch.reform(|_: MouseEvent| ViewAction::Compare(CompareAction::Zoom(Vec::new())));
    html! { <button class="button" {onclick}>{ "Show all" }</button> }
}

/// Registers the image for export.
#[hook]
fn use_diff_picture(
    workspace: &WorkspaceContext,
    pair: ComparePair,
    drawing: &FlameDrawing,
    difference: Option<&Difference>,
) {
    let draw = difference.map(|difference| {
        let (workspace, drawing, difference) = (workspace.clone(), drawing.clone(), difference.clone());
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
            let same = if difference.is_exact { "unchanged" } else { "not significant" };
            let flame = &difference.picture.flame;
            let drawn = PictureContent {
                name: "Difference",
                about: vec![
                    format!("{}: {sides}", picture::counted_words(&amount, &request.view.filter)),
                    picture::stack_words(&workspace, &view_state.compare.root),
                ],
                legend: vec![
                    picture::entry(Paint::Change(-diff::SHADES), "less"),
                    picture::entry(Paint::Change(0), same),
                    picture::entry(Paint::Change(diff::SHADES), "more"),
                ],
                ops: drawing.ops(text),
                tooltips: drawing.stage().map(|stage| tooltips(flame, stage, false)).unwrap_or_default(),
                size: drawing.size(),
                is_both: pair == ComparePair::Traces,
            };
            picture::with_words(&workspace, drawn)
        }
    });
    use_picture(Pictured::View, draw);
}

#[derive(Properties, PartialEq)]
struct DiffTooltipProps {
    scene: FlameScene,
    difference: Difference,
    hit: Hit,
    /// The position of the pointer or the box in the window.
    x: f64,
    y: f64,
}

#[component]
fn DiffTooltip(props: &DiffTooltipProps) -> Html {
    let DiffTooltipProps { scene, difference, hit, x, y } = props;
    let node = use_node_ref();
    use_effect_with((node.clone(), *x, *y, *hit), |(node, x, y, _)| place(node, &Anchor::Pointer(*x, *y)));
    let (Some(diff_box), Some(label)) = (difference.diff_box(hit.place), difference.label(hit.place)) else {
        return Html::default();
    };
    if scene.is_collapsed(*hit) {
        let names = collapsed_words(&difference.picture.flame, scene.collapsed_frames(Half::Lower));
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
                { words::box_change((difference.unit, difference.units), difference.suffix, diff_box) }
            </p>
            <p>{ words::box_verdict(diff_box, difference.is_exact) }</p>
        </div>
    }
}
