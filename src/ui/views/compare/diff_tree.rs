//! The differential flame graph as a tree, for keyboard and screen readers. It contains only the current frame's
//! ancestors, siblings and children.
//!
//! Arrow keys move through the graph: down to the widest child, up to the parent, left and right to the siblings.

use yew::prelude::*;

use crate::ui::views::compare::difference::Difference;
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::FlameScene;
use crate::ui::views::flame::state::{FlameAction, Half};
use camlscope_engine::query::flame::FlameBox;
use camlscope_present::layout::flame;
use camlscope_view::page::views::compare::words;

pub fn diff_tree(scene: &FlameScene, difference: &Difference, handlers: &Handlers) -> Html {
    let boxes = &difference.picture.flame.boxes;
    let at = scene.cursor_hit().map_or(0, |hit| hit.place);
    let onkeydown = {
        let (scene, difference, handlers) = (scene.clone(), difference.clone(), handlers.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() {
                return;
            }
            let to = match event.key().as_str() {
                "ArrowDown" => widest_child(&difference, at),
                "ArrowUp" => parent(&difference, at),
                "ArrowLeft" => neighbor(&difference, at, -1),
                "ArrowRight" => neighbor(&difference, at, 1),
                _ => return,
            };
            event.prevent_default();
            let path = flame::path_to(&difference.picture.flame, to.unwrap_or(at));
            handlers.go_to(&scene, Half::Lower, path);
        })
    };
    let onfocus = {
        let (handlers, cursor) = (handlers.clone(), scene.cursor());
        Callback::from(move |_: FocusEvent| {
            // A click also moves the focus, but sets the cursor itself.
            if handlers.scene().flame_state.hover.is_none() {
                handlers.flame_dispatch.emit(FlameAction::Cursor { cursor: cursor.clone(), by_keyboard: true });
            }
        })
    };
    let Some(current) = boxes.get(at) else {
        return Html::default();
    };
    let above: Vec<usize> = ancestors(difference, at);
    let siblings = match above.last() {
        Some(above) => children(difference, *above),
        None => vec![at],
    };
    let item = |place: usize, is_current: bool, (position, n): (usize, usize)| {
        let level = boxes[place].depth + 1;
        html! {
            <div key={place} role="treeitem" id={is_current.then_some("diff-current")} aria-level={level.to_string()}
                aria-selected={is_current.to_string()} aria-posinset={position.to_string()} aria-setsize={n.to_string()}>
                { describe(difference, place) }
            </div>
        }
    };
    let row = |places: &[usize]| -> Html {
        let n = places.len();
        places.iter().zip(1..).map(|(&place, position)| item(place, place == at, (position, n))).collect()
    };
    let below = if current.n_merged > 0 { Vec::new() } else { children(difference, at) };
    html! {
        <div class="flame-tree" role="tree" tabindex="0" aria-orientation="horizontal" aria-activedescendant="diff-current"
            ref={handlers.tree.clone()}
            aria-label="Difference flame graph. Use arrow keys to navigate, Enter to zoom, m for the menu." {onkeydown} {onfocus}>
            { for above.iter().map(|&place| item(place, false, (1, 1))) }
            { row(&siblings) }
            { row(&below) }
        </div>
    }
}

/// Returns `Report.run: 8.70 MiB → 16.9 MiB, +8.20 MiB: grew`.
fn describe(difference: &Difference, place: usize) -> String {
    let (Some(label), Some(diff_box)) = (difference.label(place), difference.diff_box(place)) else {
        return String::new();
    };
    let name = match diff_box.merged {
        0 => flame::title(label),
        n => format!("{n} frames"),
    };
    format!(
        "{name}: {}; {}",
        words::box_change((difference.unit, difference.units), difference.suffix, diff_box),
        words::box_verdict(diff_box, difference.is_exact)
    )
}

/// Returns the ancestors of a box, root first.
fn ancestors(difference: &Difference, place: usize) -> Vec<usize> {
    let mut above: Vec<usize> =
        std::iter::successors(parent(difference, place), |&place| parent(difference, place)).collect();
    above.reverse();
    above
}

fn parent(difference: &Difference, place: usize) -> Option<usize> {
    let boxes = &difference.picture.flame.boxes;
    let flame_box = boxes.get(place).filter(|flame_box| flame_box.depth > 0)?;
    let middle = (flame_box.x0 + flame_box.x1) / 2.0;
    boxes.partition_point(|other| (other.depth, other.x0) <= (flame_box.depth - 1, middle)).checked_sub(1)
}

/// Returns the children of a box from left to right.
fn children(difference: &Difference, place: usize) -> Vec<usize> {
    let boxes = &difference.picture.flame.boxes;
    let Some(flame_box) = boxes.get(place) else { return Vec::new() };
    let first = boxes.partition_point(|other| (other.depth, other.x0) < (flame_box.depth + 1, flame_box.x0));
    let is_child = |other: &&FlameBox| other.depth == flame_box.depth + 1 && other.x0 < flame_box.x1;
    (first..first + boxes[first..].iter().take_while(is_child).count()).collect()
}

fn widest_child(difference: &Difference, place: usize) -> Option<usize> {
    let width = |place: &usize| difference.picture.flame.boxes[*place].total;
    let children = children(difference, place).into_iter();
    children.reduce(|widest, place| if width(&place) > width(&widest) { place } else { widest })
}

fn neighbor(difference: &Difference, place: usize, by: isize) -> Option<usize> {
    let siblings = children(difference, parent(difference, place)?);
    let at = siblings.iter().position(|other| *other == place)?;
    siblings.get(at.checked_add_signed(by)?).copied()
}
