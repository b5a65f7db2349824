//! The difference flame graph: both call trees merged by name, with a weight of each side at every node.
//!
//! Frames that only one side has must be seen, too, so no side's widths alone will do. A box therefore has its place in
//! both sides' own layouts, with the same order of children; the picture may show either, or the mean of the two, and
//! in each of them children and self make up the parent exactly.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::Side;
use crate::query::measure::Measure;
use crate::query::sorting::sort_by;
use crate::query::tree::{GroupId, Label};

/// Nodes come behind their parents; the first is the root.
#[derive(Clone, Debug)]
pub struct DiffTree {
    labels: Vec<Label>,
    nodes: Vec<Node>,
    /// What the sides' raw weights are multiplied by.
    scales: [f64; 2],
}

#[derive(Clone, Debug)]
struct Node {
    parent: u32,
    label: u32,
    children: Vec<u32>,
    /// Before and after, raw.
    own: [f64; 2],
    total: [f64; 2],
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiffConfig {
    /// The way from the tree's root to the box that fills the picture.
    pub root: Vec<Label>,
    pub width_px: f64,
    pub max_levels: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiffFlame {
    pub names: Vec<Label>,
    /// Parents before children; the first is the root.
    pub boxes: Vec<DiffBox>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiffBox {
    /// The number of the box above; the root's is its own.
    pub parent: usize,
    pub level: usize,
    /// In [`DiffFlame::names`]; none for the root, and for the remainder.
    pub name: Option<usize>,
    /// So many frames, too narrow to be drawn, are one box; 0 where it is a frame.
    pub merged: usize,
    pub before: f64,
    pub after: f64,
    /// Where the box begins in each side's own layout, in the same unit.
    pub x_before: f64,
    pub x_after: f64,
}

/// A line of folded stacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiffStack {
    pub frames: Vec<Label>,
    pub before: f64,
    pub after: f64,
}

impl DiffTree {
    /// Both sides must be read in the same shape.
    pub fn new(before: Side<'_>, after: Side<'_>, measure: Measure, per_second: bool) -> DiffTree {
        let mut tree = DiffTree {
            labels: Vec::new(),
            nodes: vec![Node { parent: 0, label: 0, children: Vec::new(), own: [0.0; 2], total: [0.0; 2] }],
            scales: [before, after].map(|side| side.scale(measure, per_second)),
        };
        let mut label_ids: FxHashMap<Label, u32> = FxHashMap::default();
        let mut children: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for (which, side) in [before, after].into_iter().enumerate() {
            tree.add(which, side, &mut label_ids, &mut children);
        }
        for at in (1..tree.nodes.len()).rev() {
            let (parent, total) = (tree.nodes[at].parent as usize, tree.nodes[at].total);
            (0..2).for_each(|which| tree.nodes[parent].total[which] += total[which]);
        }
        tree.sort_children();
        tree
    }

    /// Every stack with a weight of its own, in the order of the names.
    pub fn folded(&self) -> Vec<DiffStack> {
        let with_own = self.nodes.iter().enumerate().filter(|(_, node)| node.own != [0.0; 2]);
        let mut stacks: Vec<DiffStack> = with_own
            .map(|(at, node)| {
                let [before, after] = self.scaled(node.own);
                DiffStack { frames: self.path(at), before, after }
            })
            .collect();
        sort_by(&mut stacks, |one, two| one.frames.cmp(&two.frames));
        stacks
    }

    /// The boxes below a root; none where the way to it does not exist.
    pub fn flame(&self, config: &DiffConfig) -> Option<DiffFlame> {
        let root = config.root.iter().try_fold(0, |at, label| self.child(at, label))?;
        let root_total = self.nodes[root].total;
        let is_drawn = |total: [f64; 2]| {
            let share = |which: usize| total[which] / root_total[which].max(f64::MIN_POSITIVE);
            share(0).max(share(1)) * config.width_px >= 1.0
        };
        let mut flame = DiffFlame { names: Vec::new(), boxes: Vec::new() };
        let mut name_ids: FxHashMap<u32, usize> = FxHashMap::default();
        // Boxes whose children are still to be drawn, with where they begin, raw.
        let mut open = vec![(root, 0, [0.0; 2])];
        flame.boxes.push(self.drawn(root, 0, 0, None, [0.0; 2]));
        while let Some((node, drawn, mut at)) = open.pop() {
            let level = flame.boxes[drawn].level + 1;
            if level > config.max_levels {
                continue;
            }
            let mut rest = ([0.0; 2], 0);
            for &child in &self.nodes[node].children {
                let total = self.nodes[child as usize].total;
                if !is_drawn(total) {
                    rest = (sum(rest.0, total), rest.1 + 1);
                    continue;
                }
                let name = *name_ids.entry(self.nodes[child as usize].label).or_insert_with(|| {
                    flame.names.push(self.labels[self.nodes[child as usize].label as usize].clone());
                    flame.names.len() - 1
                });
                open.push((child as usize, flame.boxes.len(), at));
                flame.boxes.push(self.drawn(child as usize, drawn, level, Some(name), at));
                at = sum(at, total);
            }
            if rest.1 > 0 {
                flame.boxes.push(self.placed(drawn, level, None, rest.1, rest.0, at));
            }
        }
        Some(flame)
    }

    fn add(
        &mut self,
        which: usize,
        side: Side<'_>,
        label_ids: &mut FxHashMap<Label, u32>,
        children: &mut FxHashMap<(u32, u32), u32>,
    ) {
        let label_of: Vec<u32> = (side.tree.keys().iter())
            .map(|(key, _)| {
                let label = side.tree.keys().label(side.trace, key);
                let labels = &mut self.labels;
                *label_ids.entry(label).or_insert_with_key(|label| {
                    labels.push(label.clone());
                    labels.len() as u32 - 1
                })
            })
            .collect();
        let groups = side.tree.groups();
        let totals = side.totals();
        let mut node_of = vec![0u32; groups.len()];
        for group in std::iter::once(GroupId::ROOT).chain(groups.iter()) {
            let at = group.0 as usize;
            if totals[at].samples == 0.0 {
                continue;
            }
            if group != GroupId::ROOT {
                let parent = node_of[groups.parent(group).0 as usize];
                let label = label_of[groups.key(group).0 as usize];
                let nodes = &mut self.nodes;
                node_of[at] = *children.entry((parent, label)).or_insert_with(|| {
                    let new = nodes.len() as u32;
                    nodes.push(Node { parent, label, children: Vec::new(), own: [0.0; 2], total: [0.0; 2] });
                    nodes[parent as usize].children.push(new);
                    new
                });
            }
            let own = side.own(group);
            let node = &mut self.nodes[node_of[at] as usize];
            node.own[which] += own;
            node.total[which] += own;
        }
    }

    /// The larger share of either side first, then by name.
    fn sort_children(&mut self) {
        let root = self.nodes[0].total;
        let share = |total: [f64; 2]| {
            let of = |which: usize| total[which] / root[which].max(f64::MIN_POSITIVE);
            of(0).max(of(1))
        };
        for at in 0..self.nodes.len() {
            let mut children = std::mem::take(&mut self.nodes[at].children);
            sort_by(&mut children, |&one, &two| {
                let (one, two) = (&self.nodes[one as usize], &self.nodes[two as usize]);
                let by_share = share(two.total).total_cmp(&share(one.total));
                by_share.then_with(|| self.labels[one.label as usize].cmp(&self.labels[two.label as usize]))
            });
            self.nodes[at].children = children;
        }
    }

    fn child(&self, at: usize, label: &Label) -> Option<usize> {
        let mut children = self.nodes[at].children.iter().map(|&child| child as usize);
        children.find(|&child| self.labels[self.nodes[child].label as usize] == *label)
    }

    fn path(&self, mut at: usize) -> Vec<Label> {
        let mut path = Vec::new();
        while at != 0 {
            path.push(self.labels[self.nodes[at].label as usize].clone());
            at = self.nodes[at].parent as usize;
        }
        path.reverse();
        path
    }

    fn drawn(&self, node: usize, parent: usize, level: usize, name: Option<usize>, at: [f64; 2]) -> DiffBox {
        self.placed(parent, level, name, 0, self.nodes[node].total, at)
    }

    fn placed(
        &self,
        parent: usize,
        level: usize,
        name: Option<usize>,
        merged: usize,
        total: [f64; 2],
        at: [f64; 2],
    ) -> DiffBox {
        let ([before, after], [x_before, x_after]) = (self.scaled(total), self.scaled(at));
        DiffBox { parent, level, name, merged, before, after, x_before, x_after }
    }

    fn scaled(&self, raw: [f64; 2]) -> [f64; 2] {
        [raw[0] * self.scales[0], raw[1] * self.scales[1]]
    }
}

fn sum(one: [f64; 2], two: [f64; 2]) -> [f64; 2] {
    [one[0] + two[0], one[1] + two[1]]
}
