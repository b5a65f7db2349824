//! The differential flame graph as a tree, for keyboard and screen readers. It contains only the current frame's
//! ancestors, siblings and children.
//!
//! Arrow keys move through the graph: down to the widest child, up to the parent, left and right to the siblings. Enter
//! zooms in, and `0` shows everything.

use yew::prelude::*;

use crate::ui::store::view::ViewAction;
use crate::ui::store::view::compare::CompareAction;
use crate::ui::views::compare::scene::DiffScene;
use crate::ui::views::compare::words;
use camlscope_engine::query::flame::FlameBox;
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::flame;

/// `cursor` is the path to the keyboard cursor, without the root. `None` if the focus is elsewhere.
pub fn diff_tree(scene: &DiffScene, cursor: Option<&[Label]>, on_cursor: &Callback<Option<Vec<Label>>>) -> Html {
    let boxes = &scene.picture.flame.boxes;
    let at = cursor.and_then(|path| flame::locate(&scene.picture.flame, path)).unwrap_or_default();
    let onkeydown = {
        let (scene, on_cursor) = (scene.clone(), on_cursor.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() {
                return;
            }
            let to = match event.key().as_str() {
                "ArrowDown" => widest_child(&scene, at),
                "ArrowUp" => parent(&scene, at),
                "ArrowLeft" => neighbor(&scene, at, -1),
                "ArrowRight" => neighbor(&scene, at, 1),
                "Enter" => {
                    event.prevent_default();
                    return scene.zoom_to(at);
                }
                "0" => {
                    event.prevent_default();
                    on_cursor.emit(None);
                    return scene.dispatch.emit(ViewAction::Compare(CompareAction::Zoom(Vec::new())));
                }
                _ => return,
            };
            event.prevent_default();
            let to = to.unwrap_or(at);
            on_cursor.emit(Some(flame::path_to(&scene.picture.flame, to)));
        })
    };
    let onfocus = {
        let (scene, on_cursor) = (scene.clone(), on_cursor.clone());
        Callback::from(move |_: FocusEvent| on_cursor.emit(Some(flame::path_to(&scene.picture.flame, at))))
    };
    let onblur = on_cursor.reform(|_: FocusEvent| None);
    let Some(current) = boxes.get(at) else {
        return Html::default();
    };
    let above: Vec<usize> = ancestors(scene, at);
    let beside = match above.last() {
        Some(above) => children(scene, *above),
        None => vec![at],
    };
    let item = |place: usize, is_current: bool, (position, n): (usize, usize)| {
        let level = boxes[place].depth + 1;
        html! {
            <div key={place} role="treeitem" id={is_current.then_some("diff-current")} aria-level={level.to_string()}
                aria-selected={is_current.to_string()} aria-posinset={position.to_string()} aria-setsize={n.to_string()}>
                { describe(scene, place) }
            </div>
        }
    };
    let row = |places: &[usize]| -> Html {
        let n = places.len();
        places.iter().zip(1..).map(|(&place, position)| item(place, place == at, (position, n))).collect()
    };
    let below = if current.n_merged > 0 { Vec::new() } else { children(scene, at) };
    html! {
        <div class="flame-tree" role="tree" tabindex="0" aria-orientation="horizontal" aria-activedescendant="diff-current"
            aria-label="Difference flame graph. Use arrow keys to navigate and Enter to zoom." {onkeydown} {onfocus} {onblur}>
            { for above.iter().map(|&place| item(place, false, (1, 1))) }
            { row(&beside) }
            { row(&below) }
        </div>
    }
}

/// Returns `Report.run: 8.70 MiB → 16.9 MiB, +8.20 MiB: grew`.
fn describe(scene: &DiffScene, place: usize) -> String {
    let (Some(label), Some(diff_box)) = (scene.label(place), scene.diff_box(place)) else {
        return String::new();
    };
    let name = match diff_box.merged {
        0 => flame::title(label),
        n => format!("{n} frames"),
    };
    format!(
        "{name}: {}; {}",
        words::box_change((scene.unit, scene.units), scene.suffix, diff_box),
        words::box_verdict(diff_box, scene.is_exact)
    )
}

/// Returns the ancestors of a box, root first.
fn ancestors(scene: &DiffScene, place: usize) -> Vec<usize> {
    let mut above: Vec<usize> = std::iter::successors(parent(scene, place), |&place| parent(scene, place)).collect();
    above.reverse();
    above
}

fn parent(scene: &DiffScene, place: usize) -> Option<usize> {
    let boxes = &scene.picture.flame.boxes;
    let flame_box = boxes.get(place).filter(|flame_box| flame_box.depth > 0)?;
    let middle = (flame_box.x0 + flame_box.x1) / 2.0;
    boxes.partition_point(|other| (other.depth, other.x0) <= (flame_box.depth - 1, middle)).checked_sub(1)
}

/// Returns the children of a box from left to right.
fn children(scene: &DiffScene, place: usize) -> Vec<usize> {
    let boxes = &scene.picture.flame.boxes;
    let Some(flame_box) = boxes.get(place) else { return Vec::new() };
    let first = boxes.partition_point(|other| (other.depth, other.x0) < (flame_box.depth + 1, flame_box.x0));
    let is_child = |other: &&FlameBox| other.depth == flame_box.depth + 1 && other.x0 < flame_box.x1;
    (first..first + boxes[first..].iter().take_while(is_child).count()).collect()
}

fn widest_child(scene: &DiffScene, place: usize) -> Option<usize> {
    let width = |place: &usize| scene.picture.flame.boxes[*place].total;
    let children = children(scene, place).into_iter();
    children.reduce(|widest, place| if width(&place) > width(&widest) { place } else { widest })
}

fn neighbor(scene: &DiffScene, place: usize, by: isize) -> Option<usize> {
    let beside = children(scene, parent(scene, place)?);
    let at = beside.iter().position(|other| *other == place)?;
    beside.get(at.checked_add_signed(by)?).copied()
}
