//! The flame graph as a tree, for keyboard and screen readers. It contains only the current frame's ancestors, siblings
//! and children, which are queried as the user moves.
//!
//! Arrow keys move through the graph: down to the widest child, up to the parent, left and right to the siblings. If
//! stacks grow up, as in the upper half of a sandwich, up and down are swapped.

use std::cell::Cell;
use std::collections::VecDeque;
use std::iter;
use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use crate::ui::query::use_query;
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::FlameScene;
use crate::ui::views::flame::state::{Cursor, FlameAction, Half};
use crate::ui::views::flame::words;
use camlscope_engine::protocol::{Question, Request};
use camlscope_engine::query::flame::{BoxSelector, Branch, BranchConfig, Branches};
use camlscope_engine::query::tree::Label;
use camlscope_present::format;
use camlscope_present::layout::flame;
use camlscope_view::page::query::hook::QueryState;

/// The maximum number of siblings and children. Any others are too narrow to browse one by one.
const ROWS: usize = 100;

#[derive(Properties, PartialEq)]
pub struct AccessibleTreeProps {
    pub scene: FlameScene,
    pub handlers: Handlers,
}

#[component]
pub fn AccessibleTree(props: &AccessibleTreeProps) -> Html {
    let AccessibleTreeProps { scene, handlers } = props;
    let around = Rc::new(use_surroundings(scene));
    use_lost_frame(&around, handlers);
    let onkeydown = use_walk(&around, handlers);
    let onfocus = {
        let (handlers, cursor) = (handlers.clone(), around.cursor.clone());
        Callback::from(move |event: FocusEvent| {
            // The focus also returns here after a click on a button elsewhere. Then a tooltip would stay for no reason.
            let is_by_keyboard = event
                .target_dyn_into::<Element>()
                .is_some_and(|tree| tree.matches(":focus-visible").unwrap_or_default());
            if is_by_keyboard && handlers.scene().flame_state.hover.is_none() {
                handlers.flame_dispatch.emit(FlameAction::Cursor { cursor: cursor.clone(), by_keyboard: true });
            }
        })
    };
    html! {
        <div ref={handlers.tree.clone()} class="flame-tree" role="tree" tabindex="0" aria-orientation="horizontal"
            aria-label="Flame graph. Use arrow keys to navigate, Enter to zoom, m for the menu." aria-activedescendant="flame-current"
            aria-busy={(!around.is_fresh()).to_string()} {onkeydown} {onfocus}>
            { around.ancestors() }
            { around.row() }
            { around.children() }
        </div>
    }
}

/// If a filter has removed the current frame, moves to its caller.
#[hook]
fn use_lost_frame(around: &Rc<Surroundings>, handlers: &Handlers) {
    let is_nothing = around.is_fresh() && around.below().is_none_or(|below| below.total <= 0.0);
    let path = around.cursor.path.clone();
    let is_gone = is_nothing && path.len() > around.scene.root().len();
    let (handlers, around) = (handlers.clone(), Rc::clone(around));
    use_effect_with((is_gone, path), move |(is_gone, path)| {
        if let Some((_, above)) = path.split_last().filter(|_| *is_gone) {
            let cursor = around.scene.cursor_at(around.cursor.half, above.to_vec());
            let by_keyboard = around.scene.flame_state.by_keyboard;
            handlers.flame_dispatch.emit(FlameAction::Cursor { cursor, by_keyboard });
        }
    });
}

/// The surroundings of a frame arrive with a short delay. Keys pressed before that are queued.
#[hook]
fn use_walk(around: &Rc<Surroundings>, handlers: &Handlers) -> Callback<KeyboardEvent> {
    let ahead = use_mut_ref(VecDeque::new);
    let is_fresh = around.is_fresh();
    let walk = {
        let (around, handlers, ahead) = (Rc::clone(around), handlers.clone(), Rc::clone(&ahead));
        let may_go = Cell::new(is_fresh);
        Rc::new(move || {
            let mut steps = iter::from_fn(|| if may_go.get() { ahead.borrow_mut().pop_front() } else { None });
            let Cursor { half, path, .. } = &around.cursor;
            let is_elsewhere = |to: &(Half, Vec<Label>)| (to.0, &to.1) != (*half, path);
            if let Some((half, path)) = steps.find_map(|step| around.after(&step).filter(is_elsewhere)) {
                may_go.set(false);
                handlers.go_to(&around.scene, half, path);
            }
        })
    };
    use_effect_with((is_fresh, around.cursor.path.clone()), {
        let walk = Rc::clone(&walk);
        move |_| walk()
    });
    Callback::from(move |event: KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowDown" => TreeStep::Down,
            "ArrowUp" => TreeStep::Up,
            "ArrowLeft" => TreeStep::Beside(-1),
            "ArrowRight" => TreeStep::Beside(1),
            "Home" => TreeStep::Beside(isize::MIN),
            "End" => TreeStep::Beside(isize::MAX),
            _ => return,
        };
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        event.prevent_default();
        // Repeats of a held key are not queued, so that moving stops when the key is released.
        if is_fresh || !event.repeat() {
            ahead.borrow_mut().push_back(step);
            walk();
        }
    })
}

enum TreeStep {
    Down,
    Up,
    Beside(isize),
}

/// The frame at the keyboard cursor and its surroundings.
struct Surroundings {
    scene: FlameScene,
    cursor: Cursor,
    children: QueryState,
    siblings: QueryState,
}

#[hook]
fn use_surroundings(scene: &FlameScene) -> Surroundings {
    let cursor = scene.cursor();
    let children = use_query(Some(question(scene, cursor.half, &cursor.path)));
    let above = cursor.path.split_last().map(|(_, above)| question(scene, cursor.half, above));
    let siblings = use_query(above);
    Surroundings { scene: scene.clone(), cursor, children, siblings }
}

impl Surroundings {
    fn is_fresh(&self) -> bool {
        !self.children.is_waiting && !self.siblings.is_waiting
    }

    /// Returns the frame's children, or `None` while they are being queried.
    fn below(&self) -> Option<&Branches> {
        self.children.get().filter(|_| !self.children.is_waiting)
    }

    /// Returns the frame's siblings, including itself, or `None` while they are being queried.
    fn beside(&self) -> Option<&Branches> {
        self.siblings.get().filter(|_| !self.siblings.is_waiting)
    }

    /// Returns the target of a step.
    fn after(&self, step: &TreeStep) -> Option<(Half, Vec<Label>)> {
        let (scene, Cursor { half, path, .. }) = (&self.scene, &self.cursor);
        let is_away = match (step, scene.grows_up(*half)) {
            (TreeStep::Down, false) | (TreeStep::Up, true) => true,
            // From the middle row of a sandwich, both directions lead away.
            (TreeStep::Down | TreeStep::Up, _) if path.is_empty() && scene.is_sandwich() => {
                let other = if *half == Half::Lower { Half::Upper } else { Half::Lower };
                return Some((other, vec![scene.widest(other)?]));
            }
            (TreeStep::Down | TreeStep::Up, _) => false,
            (TreeStep::Beside(by), _) => {
                let (label, above) = path.split_last()?;
                let all = &self.beside()?.children;
                let at = all.iter().position(|branch| branch.label == *label)?;
                let to = at.saturating_add_signed(*by).min(all.len() - 1);
                return Some((*half, [above, &[all[to].label.clone()]].concat()));
            }
        };
        if is_away {
            let first = self.below()?.children.first()?.label.clone();
            return Some((*half, [path.as_slice(), &[first]].concat()));
        }
        // Don't go above the zoomed frame.
        (path.len() > scene.root().len()).then(|| (*half, path[..path.len() - 1].to_vec()))
    }

    /// Returns the names of the frames on the path, starting at the root.
    fn names(&self) -> impl Iterator<Item = String> {
        let top = self.scene.workspace.view_state.flame.direction.function();
        let top = top.map_or_else(|| "all".to_owned(), flame::title);
        iter::once(top).chain(self.cursor.path.iter().map(flame::title))
    }

    fn ancestors(&self) -> Html {
        let ancestor = |(name, level): (String, usize)| {
            html! { <div role="treeitem" aria-selected="false" aria-level={level.to_string()} aria-expanded="true">{ name }</div> }
        };
        self.names().zip(1..).take(self.cursor.path.len()).map(ancestor).collect()
    }

    /// The frame among its siblings.
    fn row(&self) -> Html {
        let total = self.below().map(|below| below.total);
        let (Some(label), Some(beside)) = (self.cursor.path.last(), self.beside()) else {
            return self.current(total, (1, 1));
        };
        let n = beside.n_children;
        let level = self.cursor.path.len() + 1;
        let items = beside.children.iter().zip(1..).map(|(branch, place)| match branch.label == *label {
            true => self.current(Some(branch.total), (place, n)),
            false => self.item(branch, (place, n), level),
        });
        let is_listed = beside.children.iter().any(|branch| branch.label == *label);
        html! { <>{ for items }{ (!is_listed).then(|| self.current(total, (n, n))) }</> }
    }

    fn children(&self) -> Html {
        let level = self.cursor.path.len() + 2;
        let item = |below: &Branches| -> Html {
            let n = below.n_children;
            below.children.iter().zip(1..).map(|(branch, place)| self.item(branch, (place, n), level)).collect()
        };
        self.below().map(item).unwrap_or_default()
    }

    /// Returns `, 27% of live bytes`.
    fn share(&self, total: f64) -> String {
        let all = self.scene.flame(self.cursor.half).map_or(0.0, |flame| flame.all);
        let what = words::of_what(self.scene.workspace.view_state.measure);
        format!(", {} of {what}", format::percent(total / all.max(f64::MIN_POSITIVE)))
    }

    fn current(&self, total: Option<f64>, place: (usize, usize)) -> Html {
        let n_children = self.below().map(|below| below.n_children);
        let children = n_children.map_or_else(String::new, |n| match n {
            0 => ", no children".to_owned(),
            1 => ", 1 child".to_owned(),
            n => format!(", {n} children"),
        });
        let (name, share) = (self.names().last().unwrap_or_default(), total.map(|total| self.share(total)));
        html! {
            <div role="treeitem" id="flame-current" aria-selected="true" aria-level={(self.cursor.path.len() + 1).to_string()}
                aria-posinset={place.0.to_string()} aria-setsize={place.1.to_string()}
                aria-expanded={(n_children.unwrap_or(0) > 0).to_string()}>
                { format!("{name}{}{children}", share.unwrap_or_default()) }
            </div>
        }
    }

    fn item(&self, branch: &Branch, place: (usize, usize), level: usize) -> Html {
        html! {
            <div role="treeitem" aria-selected="false" aria-level={level.to_string()}
                aria-posinset={place.0.to_string()} aria-setsize={place.1.to_string()}
                aria-expanded={branch.has_children.then_some("false")}>
                { format!("{}{}", flame::title(&branch.label), self.share(branch.total)) }
            </div>
        }
    }
}

fn question(scene: &FlameScene, half: Half, parent: &[Label]) -> Request {
    let parent = if parent.is_empty() { BoxSelector::Top } else { BoxSelector::Path(parent.to_vec()) };
    scene.workspace.view_state.request(Question::Branches(BranchConfig {
        direction: scene.direction(half),
        parent,
        rows: 0..ROWS,
    }))
}
