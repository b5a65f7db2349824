//! The picture as a tree, for the keyboard and for screen readers. Only what lies around the current frame is there: the
//! frames above it, its neighbours, and what it calls, asked for as the user gets there.
//!
//! Arrow keys go where the picture goes: down to the widest child, up to the parent, left and right to the neighbours. Where
//! stacks rise, as in the upper half of a sandwich, up and down change places.

use std::cell::Cell;
use std::collections::VecDeque;
use std::iter;
use std::rc::Rc;

use yew::prelude::*;

use crate::ui::query::{QueryState, use_query};
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::Scene;
use crate::ui::views::flame::state::{FlameAction, Half};
use crate::ui::views::flame::words;
use camlscope_engine::protocol::{Answer, Question, Request};
use camlscope_engine::query::flame::{BoxSelector, Branch, BranchConfig, Branches};
use camlscope_engine::query::tree::Label;
use camlscope_present::format;
use camlscope_present::layout::flame;

/// So many neighbours and children are there at once; those beyond are too narrow to be looked for one by one.
const ROWS: usize = 100;

#[derive(Properties, Clone)]
pub struct AccessibleTreeProps {
    pub scene: Scene,
    pub handlers: Handlers,
}

/// Drawn again with each change of the scene.
impl PartialEq for AccessibleTreeProps {
    fn eq(&self, _: &AccessibleTreeProps) -> bool {
        false
    }
}

#[component]
pub fn AccessibleTree(props: &AccessibleTreeProps) -> Html {
    let AccessibleTreeProps { scene, handlers } = props;
    let cursor = scene.cursor();
    let path = &cursor.path;
    let children_of = use_query(Some(question(scene, cursor.half, path)));
    let above = path.split_last().map(|(_, above)| question(scene, cursor.half, above));
    let siblings_of = use_query(above);
    let below = branches(&children_of);
    let beside = branches(&siblings_of);
    let is_fresh = !children_of.is_waiting && !siblings_of.is_waiting;
    // A filter may have taken the frame: then its caller is where the user stands.
    let is_nothing = is_fresh && below.is_none_or(|below| below.total <= 0.0);
    let is_gone = is_nothing && path.len() > scene.root().len();
    use_effect_with((is_gone, path.clone()), {
        let (handlers, half, by_keyboard, scene) =
            (handlers.clone(), cursor.half, scene.flame_state.by_keyboard, scene.clone());
        move |(is_gone, path)| {
            if let Some((_, above)) = path.split_last().filter(|_| *is_gone) {
                handlers
                    .flame_dispatch
                    .emit(FlameAction::Cursor { cursor: scene.cursor_at(half, above.to_vec()), by_keyboard });
            }
        }
    });

    // What lies around a frame is known in a moment; keys pressed before that wait for it.
    let ahead = use_mut_ref(VecDeque::new);
    let walk = {
        let (scene, handlers, cursor, ahead) = (scene.clone(), handlers.clone(), cursor.clone(), ahead.clone());
        let (below, beside) = (below.cloned(), beside.cloned());
        let may_go = Cell::new(is_fresh);
        Rc::new(move || {
            let mut steps = iter::from_fn(|| if may_go.get() { ahead.borrow_mut().pop_front() } else { None });
            let from = (cursor.half, cursor.path.as_slice());
            let step = |step: Step| step.from(&scene, from, below.as_ref(), beside.as_ref());
            let moved = steps.find_map(|next| step(next).filter(|(half, path)| (*half, path.as_slice()) != from));
            if let Some((half, path)) = moved {
                may_go.set(false);
                let cursor = scene.cursor_at(half, path);
                handlers.flame_dispatch.emit(FlameAction::Cursor { cursor: cursor.clone(), by_keyboard: true });
                let drawn = scene.flame(half).and_then(|picture| {
                    let place = flame::locate(picture, &cursor.path)?;
                    picture.boxes.get(place)
                });
                let shown = drawn.and_then(|of| scene.reveal(half, of));
                shown.into_iter().for_each(|flame_dispatch| handlers.flame_dispatch.emit(flame_dispatch));
            }
        })
    };
    use_effect_with((is_fresh, path.clone()), {
        let walk = walk.clone();
        move |_| walk()
    });
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowDown" => Step::Down,
            "ArrowUp" => Step::Up,
            "ArrowLeft" => Step::Beside(-1),
            "ArrowRight" => Step::Beside(1),
            "Home" => Step::Beside(isize::MIN),
            "End" => Step::Beside(isize::MAX),
            _ => return,
        };
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        event.prevent_default();
        // A key held down does not go on once it is let go.
        if is_fresh || !event.repeat() {
            ahead.borrow_mut().push_back(step);
            walk();
        }
    });
    let onfocus = {
        let (handlers, cursor) = (handlers.clone(), cursor.clone());
        Callback::from(move |_: FocusEvent| {
            // A click brings the focus too, and says itself where the cursor is.
            if handlers.scene().is_some_and(|scene| scene.flame_state.hover.is_none()) {
                handlers.flame_dispatch.emit(FlameAction::Cursor { cursor: cursor.clone(), by_keyboard: true });
            }
        })
    };
    let all = scene.flame(cursor.half).map_or(0.0, |flame| flame.all);
    let measure = scene.workspace.view_state.measure;
    let top = match scene.workspace.view_state.flame.direction.function() {
        Some(function) => flame::title(function),
        None => "all".to_owned(),
    };
    let n_children = below.map(|below| below.n_children);
    let current = |name: String, total: Option<f64>, place: (usize, usize), level: usize| {
        let share = total.map(|total| {
            format!(", {} of {}", format::percent(total / all.max(f64::MIN_POSITIVE)), words::of_what(measure))
        });
        let children = n_children.map_or_else(String::new, |n| match n {
            0 => ", no children".to_owned(),
            1 => ", 1 child".to_owned(),
            n => format!(", {n} children"),
        });
        html! {
            <div role="treeitem" id="flame-current" aria-selected="true" aria-level={level.to_string()}
                aria-posinset={place.0.to_string()} aria-setsize={place.1.to_string()}
                aria-expanded={(n_children.unwrap_or(0) > 0).to_string()}>
                { format!("{name}{}{children}", share.unwrap_or_default()) }
            </div>
        }
    };
    let item = |branch: &Branch, place: (usize, usize), level: usize| {
        let share = format::percent(branch.total / all.max(f64::MIN_POSITIVE));
        let text = format!("{}, {share} of {}", flame::title(&branch.label), words::of_what(measure));
        html! {
            <div role="treeitem" aria-selected="false" aria-level={level.to_string()}
                aria-posinset={place.0.to_string()} aria-setsize={place.1.to_string()}
                aria-expanded={branch.has_children.then_some("false")}>{ text }</div>
        }
    };
    let level = path.len() + 1;
    let ancestors = iter::once(top.clone()).chain(path.iter().map(flame::title)).take(path.len());
    let ancestors = ancestors.zip(1..).map(|(name, level): (String, usize)| {
        html! { <div role="treeitem" aria-selected="false" aria-level={level.to_string()} aria-expanded="true">{ name }</div> }
    });
    let row = match (path.last(), beside) {
        (None, _) => current(top, below.map(|below| below.total), (1, 1), 1),
        (Some(label), Some(beside)) => {
            let n = beside.n_children;
            let items = beside.children.iter().zip(1..).map(|(branch, place)| match branch.label == *label {
                true => current(flame::title(label), Some(branch.total), (place, n), level),
                false => item(branch, (place, n), level),
            });
            let is_listed = beside.children.iter().any(|branch| branch.label == *label);
            let narrow =
                (!is_listed).then(|| current(flame::title(label), below.map(|below| below.total), (n, n), level));
            html! { <>{ for items }{ narrow }</> }
        }
        (Some(label), None) => current(flame::title(label), below.map(|below| below.total), (1, 1), level),
    };
    let children = below.map(|below| {
        let n = below.n_children;
        html! { <>{ for below.children.iter().zip(1..).map(|(branch, place)| item(branch, (place, n), level + 1)) }</> }
    });
    html! {
        <div ref={handlers.tree.clone()} class="flame-tree" role="tree" tabindex="0" aria-orientation="horizontal"
            aria-label="Flame graph: arrow keys walk it, Enter zooms, m opens the menu" aria-activedescendant="flame-current"
            aria-busy={(!is_fresh).to_string()} {onkeydown} {onfocus}>
            { for ancestors }
            { row }
            { children }
        </div>
    }
}

enum Step {
    Down,
    Up,
    Beside(isize),
}

impl Step {
    fn from(
        &self,
        scene: &Scene,
        (half, path): (Half, &[Label]),
        below: Option<&Branches>,
        beside: Option<&Branches>,
    ) -> Option<(Half, Vec<Label>)> {
        let is_away = match (self, scene.grows_up(half)) {
            (Step::Down, false) | (Step::Up, true) => true,
            // From the middle row of a sandwich both ways lead away from it.
            (Step::Down | Step::Up, _) if path.is_empty() && scene.is_sandwich() => {
                let other = if half == Half::Lower { Half::Upper } else { Half::Lower };
                let first = scene.flame(other).and_then(first_child)?;
                return Some((other, vec![first]));
            }
            (Step::Down | Step::Up, _) => false,
            (Step::Beside(by), _) => {
                let (label, above) = path.split_last()?;
                let all = &beside?.children;
                let at = all.iter().position(|branch| branch.label == *label)?;
                let to = at.saturating_add_signed(*by).min(all.len() - 1);
                return Some((half, [above, &[all[to].label.clone()]].concat()));
            }
        };
        if is_away {
            let first = below?.children.first()?.label.clone();
            return Some((half, [path, &[first]].concat()));
        }
        // Not above what the picture is zoomed to.
        (path.len() > scene.root().len()).then(|| (half, path[..path.len() - 1].to_vec()))
    }
}

fn first_child(picture: &camlscope_engine::query::flame::Flame) -> Option<Label> {
    let of = picture.boxes.iter().find(|of| of.depth == 1 && of.n_merged == 0)?;
    picture.names.get(of.name as usize).map(|name| name.label.clone())
}

fn question(scene: &Scene, half: Half, parent: &[Label]) -> Request {
    let parent = if parent.is_empty() { BoxSelector::Top } else { BoxSelector::Path(parent.to_vec()) };
    scene.workspace.view_state.request(Question::Branches(BranchConfig {
        direction: scene.direction(half),
        parent,
        rows: 0..ROWS,
    }))
}

/// None while they are asked for.
fn branches(query: &QueryState) -> Option<&Branches> {
    match query.answer.as_deref() {
        Some(Answer::Branches(branches)) if !query.is_waiting => Some(branches),
        _ => None,
    }
}
