//! The boxes that a canvas shows.

use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::Direction;
use super::box_selector::{BoxId, BoxSelector};
use super::walk::{Child, Node, Walk};
use super::weights::{RawAmount, Weighed};
use crate::query::sorting::sort_by;
use crate::query::tree::{KeyId, Label};

/// The minimum share of the root for a collapsed frame. What branches off is too narrow to see.
pub const COLLAPSED_SHARE: f64 = 0.97;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlameConfig {
    pub direction: Direction,
    /// The box that fills the width.
    pub root: BoxSelector,
    /// The visible range of the root's width, as fractions.
    pub x: Range<f64>,
    /// The width of that range on the screen. Boxes narrower than a pixel are merged.
    pub width_px: f64,
    /// The visible levels. The root is at level 0.
    pub depths: Range<u32>,
}

/// Weights are in the measure's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flame {
    pub root: BoxId,
    /// From the top to the root, both included, as indices into `names`.
    pub path: Vec<u32>,
    /// The weight of the flame graph's top, whatever the root.
    pub all: f64,
    /// The weight of the root.
    pub total: f64,
    pub samples: u64,
    /// The number of requested levels down to the deepest box.
    pub n_depths: u32,
    /// Whether any box hides its children.
    pub is_deeper: bool,
    /// The names of the boxes, each listed once.
    pub names: Vec<FlameName>,
    /// By depth, then from left to right. Includes the chain of frames that carry nearly all of the root, even if they
    /// aren't visible.
    pub boxes: Vec<FlameBox>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlameName {
    /// The same in all responses for one tree.
    pub key: u32,
    pub label: Label,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlameBox {
    /// A merged box has its parent's id.
    pub id: BoxId,
    /// Levels below the root.
    pub depth: u32,
    /// Fractions of the root's width.
    pub x0: f64,
    pub x1: f64,
    /// An index into [`Flame::names`]. A merged box has its parent's.
    pub name: u32,
    pub total: f64,
    /// The part that belongs to none of its children. 0 for a merged box.
    pub own: f64,
    pub samples: u64,
    /// How many boxes narrower than a pixel were merged into this one. 0 for a single box.
    pub n_merged: u32,
    /// Whether its children are below the requested levels.
    pub hides_children: bool,
}

/// Returns `None` if the tree has no such root or function.
pub fn flame(of: &Weighed<'_>, config: &FlameConfig) -> Option<Flame> {
    let keys = config.root.keys(of, &config.direction)?;
    let mut walk = Walk::new(of, &config.direction)?;
    let mut names = Names { of, places: FxHashMap::default(), names: Vec::new() };
    let path = [walk.top().key].iter().chain(&keys).map(|&key| names.place(key)).collect();
    let all = walk.total(walk.top());
    let root = walk.at(&keys);
    let amount = walk.total(&root);
    let id = config.root.id(&walk, &root);
    let mut picture = Picture { of, window: Window::new(config, amount.weight), names, boxes: Vec::new() };
    let mut is_deeper = false;
    // The box opened last is unfolded first, so that few are open at a time.
    let mut open = Vec::new();
    if amount.weight > 0.0 && !picture.window.depths.is_empty() {
        open.push(Open { node: root, depth: 0, left: 0.0, amount });
    }
    while let Some(mut next) = open.pop() {
        walk.fill(&mut next.node);
        let is_last = next.depth + 1 == picture.window.depths.end;
        let hides_children = is_last && walk.has_children(&next.node);
        is_deeper |= hides_children;
        picture.draw(&walk, &next, hides_children);
        if !is_last {
            picture.unfold(&mut walk, &next, &mut open);
        }
    }
    let mut boxes = picture.boxes;
    sort_by(&mut boxes, |one, two| one.depth.cmp(&two.depth).then(one.x0.total_cmp(&two.x0)));
    let n_depths = boxes.last().map_or(0, |last| last.depth + 1);
    Some(Flame {
        root: id,
        path,
        all: all.weight * of.scale,
        total: amount.weight * of.scale,
        samples: amount.n_samples(),
        n_depths,
        is_deeper,
        names: picture.names.names,
        boxes,
    })
}

/// The visible part, in raw weights from the root's left edge.
struct Window {
    root_weight: f64,
    seen: Range<f64>,
    /// The weight of a pixel.
    narrowest: f64,
    depths: Range<u32>,
}

impl Window {
    fn new(config: &FlameConfig, root_weight: f64) -> Window {
        let (from, to) = (config.x.start.clamp(0.0, 1.0), config.x.end.clamp(0.0, 1.0));
        let narrowest = root_weight * (to - from).max(0.0) / config.width_px.max(1.0);
        let seen = root_weight * from..root_weight * to;
        Window { root_weight, seen, narrowest, depths: config.depths.clone() }
    }

    fn shows(&self, left: f64, weight: f64) -> bool {
        weight > 0.0 && left < self.seen.end && left + weight > self.seen.start
    }

    fn is_collapsed(&self, weight: f64) -> bool {
        weight >= COLLAPSED_SHARE * self.root_weight
    }
}

/// A box whose children may be drawn.
struct Open {
    node: Node,
    /// Levels below the root.
    depth: u32,
    left: f64,
    amount: RawAmount,
}

struct Picture<'a> {
    of: &'a Weighed<'a>,
    window: Window,
    names: Names<'a>,
    boxes: Vec<FlameBox>,
}

impl Picture<'_> {
    fn draw(&mut self, walk: &Walk<'_>, open: &Open, hides_children: bool) {
        if open.depth < self.window.depths.start {
            return;
        }
        let name = self.names.place(open.node.key);
        self.boxes.push(FlameBox {
            id: BoxId::of(walk, &open.node),
            depth: open.depth,
            x0: open.left / self.window.root_weight,
            x1: (open.left + open.amount.weight) / self.window.root_weight,
            name,
            total: open.amount.weight * self.of.scale,
            own: walk.own(&open.node).weight * self.of.scale,
            samples: open.amount.n_samples(),
            n_merged: 0,
            hides_children,
        });
    }

    /// Opens the children that are visible and wide enough, and draws the narrow ones as one box.
    fn unfold(&mut self, walk: &mut Walk<'_>, open: &Open, next: &mut Vec<Open>) {
        let window = &self.window;
        let (mut wide, narrow): (Vec<Child>, Vec<Child>) = walk
            .children(&open.node)
            .into_iter()
            .filter(|child| child.amount.weight > 0.0)
            .partition(|child| child.amount.weight >= window.narrowest);
        walk.sort(&mut wide);
        let mut left = open.left;
        let (mut seen, mut lefts) = (Vec::new(), Vec::new());
        for child in wide {
            if window.shows(left, child.amount.weight) || window.is_collapsed(child.amount.weight) {
                seen.push(child);
                lefts.push(left);
            }
            left += child.amount.weight;
        }
        let depth = open.depth + 1;
        let nodes = walk.open(&open.node, &seen).into_iter();
        next.extend(nodes.zip(seen).zip(lefts).map(|((node, child), left)| Open {
            node,
            depth,
            left,
            amount: child.amount,
        }));
        let rest: RawAmount = narrow.iter().map(|child| child.amount).sum();
        if self.window.shows(left, rest.weight) && self.window.depths.contains(&depth) {
            let name = self.names.place(open.node.key);
            self.boxes.push(FlameBox {
                id: BoxId::of(walk, &open.node),
                depth,
                x0: left / self.window.root_weight,
                x1: (left + rest.weight) / self.window.root_weight,
                name,
                total: rest.weight * self.of.scale,
                own: 0.0,
                samples: rest.n_samples(),
                n_merged: narrow.len() as u32,
                hides_children: false,
            });
        }
    }
}

struct Names<'a> {
    of: &'a Weighed<'a>,
    places: FxHashMap<KeyId, u32>,
    names: Vec<FlameName>,
}

impl Names<'_> {
    fn place(&mut self, key: KeyId) -> u32 {
        let names = &mut self.names;
        *self.places.entry(key).or_insert_with(|| {
            let label = self.of.tree.keys().label(self.of.calls, key);
            names.push(FlameName { key: key.0, label });
            names.len() as u32 - 1
        })
    }
}
