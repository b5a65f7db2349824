//! The difference flame graph: both call trees merged by name, with a weight of each side in every box.
//!
//! Frames that only one side has must be visible, so the widths of one side aren't enough. A box therefore has a
//! position in both sides' own layouts, with the same order of children. The page can show either layout or the mean of
//! the two, and in each of them children and self add up exactly to the parent.
//!
//! The trees are walked in parallel from the root, and only where a box is wide enough to draw. So the cost depends on
//! the screen, not on the trees.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::change::{Change, Drawn, Tested, Verdict};
use super::compared_side::{GroupSums, SideSum, SideSums};
use super::{ByLabel, ComparedSide, Scale};
use crate::query::measure::Measure;
use crate::query::sorting::sort_by;
use crate::query::tree::{GroupId, Label};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiffConfig {
    /// The path from the tree's root to the box that fills the width.
    pub root: Vec<Label>,
    pub width_px: f64,
    pub max_levels: usize,
    /// The part of the root that is drawn, as fractions of its width in the layout of a side.
    pub x: Range<f64>,
    /// 0 is before, 1 is after.
    pub x_of: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiffFlame {
    pub names: Vec<Label>,
    /// Parents before children. The first is the root.
    pub boxes: Vec<DiffBox>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiffBox {
    /// The index of the parent box. The root is its own parent.
    pub parent: usize,
    pub level: usize,
    /// An index into [`DiffFlame::names`]. `None` for the root and for merged boxes.
    pub name: Option<usize>,
    /// How many frames too narrow to draw were merged into this box. 0 for a single frame.
    pub merged: usize,
    pub before: f64,
    pub after: f64,
    pub samples_before: u64,
    pub samples_after: u64,
    /// The margin of the change's 95% interval.
    pub error: f64,
    pub verdict: Verdict,
    /// Where the box begins in each side's own layout, in the same unit.
    pub x_before: f64,
    pub x_after: f64,
}

/// Returns the boxes below a root. `None` if the path to it doesn't exist. Both sides must have the same shape.
pub fn diff_flame(
    before: ComparedSide<'_>,
    after: ComparedSide<'_>,
    measure: Measure,
    scale: Scale,
    config: &DiffConfig,
) -> Option<DiffFlame> {
    let sides = [before, after];
    let trees = Trees { weights: sides.map(GroupSums::of), drawn: sides.map(|side| side.drawn(measure, scale)), sides };
    let totals = [0, 1].map(|which| SideSums::of_groups(sides[which], &trees.weights[which]));
    let significance = ByLabel::new(sides, totals).significance(trees.drawn);
    let top = trees.top();
    let root = config.root.iter().try_fold(top.clone(), |node, label| {
        trees.children(&node).into_iter().find(|(name, _)| name == label).map(|(_, child)| child)
    })?;
    let is_drawn = |node: &Node| root.share_of(node) * config.width_px >= 1.0;
    let side = config.x_of.min(1);
    let (first, last) = (config.x.start * root.total(side), config.x.end * root.total(side));
    // Boxes without a width on this side count, too: the page may draw the other one.
    let is_seen = |at: [f64; 2], width: f64| at[side] <= last && at[side] + width >= first;
    let mut flame = DiffFlame { names: Vec::new(), boxes: Vec::new() };
    let mut name_ids: FxHashMap<Label, usize> = FxHashMap::default();
    let place = |flame: &mut DiffFlame, parent, level, name, merged, sums: &[SideSum; 2], at: [f64; 2]| {
        let [x_before, x_after] = [0, 1].map(|which| at[which] * trees.drawn[which].scale);
        let change = significance.decide(&Tested::new([&sums[0], &sums[1]], trees.drawn));
        let Change { before, after, samples_before, samples_after, error, verdict, .. } = change;
        flame.boxes.push(DiffBox {
            parent,
            level,
            name,
            merged,
            before,
            after,
            samples_before,
            samples_after,
            error,
            verdict,
            x_before,
            x_after,
        });
    };
    place(&mut flame, 0, 0, None, 0, &root.sums, [0.0; 2]);
    // Boxes whose children haven't been drawn yet, with their raw positions.
    let mut open = vec![(root.clone(), 0, [0.0; 2])];
    while let Some((node, drawn, mut at)) = open.pop() {
        let level = flame.boxes[drawn].level + 1;
        if level > config.max_levels {
            continue;
        }
        let (mut rest, mut n_rest) = ([SideSum::default(); 2], 0);
        let mut wide = Vec::new();
        for (label, child) in trees.children(&node) {
            if is_drawn(&child) {
                wide.push((label, child));
            } else {
                rest.iter_mut().zip(&child.sums).for_each(|(rest, sums)| rest.add(sums));
                n_rest += 1;
            }
        }
        // By the larger share of either side, so that the order doesn't depend on the zoom. Ties stay ordered by name.
        sort_by(&mut wide, |(_, one), (_, two)| top.share_of(two).total_cmp(&top.share_of(one)));
        for (label, child) in wide {
            let width = [child.total(0), child.total(1)];
            let begin = at;
            at = [at[0] + width[0], at[1] + width[1]];
            if !is_seen(begin, width[side]) {
                continue;
            }
            let name = *name_ids.entry(label).or_insert_with_key(|label| {
                flame.names.push(label.clone());
                flame.names.len() - 1
            });
            place(&mut flame, drawn, level, Some(name), 0, &child.sums, begin);
            open.push((child, flame.boxes.len() - 1, begin));
        }
        if n_rest > 0 && is_seen(at, rest[side].weight) {
            place(&mut flame, drawn, level, None, n_rest, &rest, at);
        }
    }
    Some(flame)
}

struct Trees<'a> {
    sides: [ComparedSide<'a>; 2],
    weights: [GroupSums; 2],
    drawn: [Drawn; 2],
}

/// The groups of both trees with the same path of names from the root.
#[derive(Clone, Debug, Default)]
struct Node {
    /// By side: usually one group, none if the side has no such stack, several if two keys have the same name.
    groups: [Vec<GroupId>; 2],
    /// Before and after, raw.
    sums: [SideSum; 2],
}

impl Trees<'_> {
    fn top(&self) -> Node {
        let mut top = Node::default();
        for which in 0..2 {
            top.add(which, GroupId::ROOT, &self.weights[which].get(GroupId::ROOT));
        }
        top
    }

    /// Returns all children with any weight on either side, by name.
    fn children(&self, node: &Node) -> Vec<(Label, Node)> {
        let mut by_label: BTreeMap<Label, Node> = BTreeMap::new();
        for (which, side) in self.sides.iter().enumerate() {
            let groups = side.tree.groups();
            for child in node.groups[which].iter().flat_map(|&group| groups.children(group)) {
                let sums = self.weights[which].get(child);
                if sums.weight > 0.0 {
                    let label = side.tree.keys().label(side.calls, groups.key(child));
                    by_label.entry(label).or_default().add(which, child, &sums);
                }
            }
        }
        by_label.into_iter().collect()
    }
}

impl Node {
    fn add(&mut self, which: usize, group: GroupId, sums: &SideSum) {
        self.groups[which].push(group);
        self.sums[which].add(sums);
    }

    /// Raw, for one side.
    fn total(&self, which: usize) -> f64 {
        self.sums[which].weight
    }

    /// Returns another node's share of this one, on the side where it is larger.
    fn share_of(&self, other: &Node) -> f64 {
        let share = |which: usize| other.total(which) / self.total(which).max(f64::MIN_POSITIVE);
        share(0).max(share(1))
    }
}
