//! Unfolds flame graphs box by box, and only the visible part.
//!
//! A box is a list of items: groups, each with its part of the box's weight. Top-down, an item steps to its children.
//! Inverted, it climbs to its parent and keeps its weight. In both cases the steps are merged by key, and the boxes
//! that are wide enough receive their items.
//!
//! Climbing never reaches a group twice: two items of a box have passed the same keys, and no group has two children
//! with the same key.

use super::Direction;
use super::weights::{Bottom, RawAmount, Weighed};
use crate::query::sorting::sort_by;
use crate::query::tree::{GroupId, KeyId, Keys};

#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// When going down, the group of the item. When climbing, the group where the climb began.
    pub group: GroupId,
    /// When climbing, the next caller, or the root if there is none. Unused when going down.
    above: GroupId,
    /// The key of `above`, stored because it is slow to fetch and needed twice.
    above_key: KeyId,
    pub amount: RawAmount,
}

/// All steps from a box to one key.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    pub key: KeyId,
    pub amount: RawAmount,
    /// Several steps may lead to the same group.
    pub n_steps: u32,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub key: KeyId,
    /// Steps from the top.
    pub depth: u32,
    /// Empty if the box has no weight, and for the top of an inverted flame graph, which covers all groups.
    pub items: Vec<Item>,
}

#[derive(Debug)]
pub struct Walk<'a> {
    of: &'a Weighed<'a>,
    way: Way,
    top: Node,
    /// By key: an index into a list of children, or [`NONE`].
    place_of_key: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Down,
    /// From the groups that allocated.
    UpFromBottom,
    Up,
}

const NONE: u32 = u32::MAX;

impl<'a> Walk<'a> {
    /// Returns `None` if the tree doesn't have the function of the direction.
    pub fn new(of: &'a Weighed<'a>, direction: &Direction) -> Option<Walk<'a>> {
        let groups = of.tree.groups();
        let way = match direction {
            Direction::TopDown | Direction::Callees(_) => Way::Down,
            Direction::Inverted => Way::UpFromBottom,
            Direction::Callers(_) => Way::Up,
        };
        let (key, starts) = match direction.function() {
            None if way == Way::UpFromBottom => (Keys::ROOT, Vec::new()),
            None => (Keys::ROOT, vec![GroupId::ROOT]),
            Some(function) => {
                let key = of.index.find(of.calls, of.tree, function)?;
                // Objects below several groups of the function count toward the outermost.
                let starts =
                    of.index.groups_of(of.tree, key).iter().copied().filter(|&group| groups.is_outermost(group));
                (key, starts.collect())
            }
        };
        let mut walk = Walk {
            of,
            way,
            top: Node { key, depth: 0, items: Vec::new() },
            place_of_key: vec![NONE; of.tree.keys().len()],
        };
        walk.top.items = starts.into_iter().filter_map(|group| walk.item(group, of.total(group))).collect();
        Some(walk)
    }

    pub fn top(&self) -> &Node {
        &self.top
    }

    /// Follows the keys from the top.
    pub fn at(&mut self, keys: &[KeyId]) -> Node {
        keys.iter().fold(self.top.clone(), |node, &key| self.take(&node, &[key]).remove(0))
    }

    /// Returns the group that identifies a box together with its depth.
    pub fn group_of(&self, node: &Node) -> GroupId {
        node.items.first().map_or(GroupId::ROOT, |item| item.group)
    }

    pub fn total(&self, node: &Node) -> RawAmount {
        match self.is_bottom(node) {
            true => self.of.total(GroupId::ROOT),
            false => node.items.iter().map(|item| item.amount).sum(),
        }
    }

    /// Returns the part of a box that belongs to none of its children: allocated right there or, when climbing, without
    /// another caller.
    pub fn own(&self, node: &Node) -> RawAmount {
        match self.way {
            _ if self.is_bottom(node) => self.of.own(GroupId::ROOT),
            Way::Down => node.items.iter().map(|item| self.of.own(item.group)).sum(),
            Way::Up | Way::UpFromBottom => {
                node.items.iter().filter(|item| item.above == GroupId::ROOT).map(|item| item.amount).sum()
            }
        }
    }

    pub fn has_children(&self, node: &Node) -> bool {
        match self.way {
            _ if self.is_bottom(node) => self.of.samples.total(GroupId::ROOT) > self.of.own(GroupId::ROOT).samples,
            Way::Down => {
                let groups = self.of.tree.groups();
                let mut children = node.items.iter().flat_map(|item| groups.children(item.group));
                children.any(|child| self.of.samples.total(child) > 0.0)
            }
            Way::Up | Way::UpFromBottom => node.items.iter().any(|item| item.above != GroupId::ROOT),
        }
    }

    /// Returns the children of a box, by weight, then by name.
    pub fn sorted_children(&mut self, node: &Node) -> Vec<Child> {
        let mut children = self.children(node);
        self.sort(&mut children);
        children
    }

    pub fn sort(&self, children: &mut Vec<Child>) {
        sort_by(children, |one, two| {
            let by_weight = two.amount.weight.total_cmp(&one.amount.weight);
            by_weight.then_with(|| self.of.index.rank(one.key).cmp(&self.of.index.rank(two.key)))
        });
    }

    /// Returns the children of a box, in no particular order.
    pub fn children(&mut self, node: &Node) -> Vec<Child> {
        if self.is_bottom(node) {
            let Weighed { tree, weights, samples, .. } = self.of;
            let child = |(key, amount)| Child { key, amount, n_steps: 0 };
            return match self.of.bottom {
                Some(bottom) => bottom.iter().map(child).collect(),
                None => Bottom::new(tree, weights, samples).iter().map(child).collect(),
            };
        }
        let mut places = std::mem::take(&mut self.place_of_key);
        let mut children: Vec<Child> = Vec::new();
        self.steps(node, |key, amount| {
            let place = &mut places[key.0 as usize];
            if *place == NONE {
                *place = children.len() as u32;
                children.push(Child { key, amount: RawAmount::default(), n_steps: 0 });
            }
            let child = &mut children[*place as usize];
            child.amount += amount;
            child.n_steps += 1;
        });
        for child in &children {
            places[child.key.0 as usize] = NONE;
        }
        self.place_of_key = places;
        children
    }

    /// Returns the children with these distinct keys, in the same order. A key without a child gets a node without
    /// items.
    pub fn take(&mut self, node: &Node, keys: &[KeyId]) -> Vec<Node> {
        let mut nodes: Vec<Node> =
            keys.iter().map(|&key| Node { key, depth: node.depth + 1, items: Vec::new() }).collect();
        if self.is_bottom(node) {
            nodes.iter_mut().for_each(|node| self.fill(node));
        } else {
            self.distribute(node, &mut nodes);
        }
        nodes
    }

    /// Like [`Walk::take`], for children that are already known. Together, the children of the bottom may cover most of
    /// the tree, so each stays empty until [`Walk::fill`].
    pub fn open(&mut self, node: &Node, children: &[Child]) -> Vec<Node> {
        let depth = node.depth + 1;
        let node_of = |child: &Child| Node { key: child.key, depth, items: Vec::with_capacity(child.n_steps as usize) };
        let mut nodes: Vec<Node> = children.iter().map(node_of).collect();
        if !self.is_bottom(node) {
            self.distribute(node, &mut nodes);
        }
        nodes
    }

    /// Adds the items of a child of the bottom. Other nodes already have theirs.
    pub fn fill(&self, node: &mut Node) {
        if self.way == Way::UpFromBottom && node.depth == 1 && node.items.is_empty() {
            let Weighed { tree, index, weights, samples, bottom, .. } = self.of;
            let own = |group| match bottom {
                Some(bottom) => bottom.own(tree.groups(), weights, samples, group),
                None => Some(self.of.own(group)),
            };
            let groups = index.groups_of(tree, node.key).iter();
            node.items = groups.filter_map(|&group| self.item(group, own(group)?)).collect();
        }
    }

    /// Assigns each child the steps that lead to its key.
    fn distribute(&mut self, from: &Node, children: &mut [Node]) {
        let mut places = std::mem::take(&mut self.place_of_key);
        for (place, child) in children.iter().enumerate() {
            places[child.key.0 as usize] = place as u32;
        }
        let groups = self.of.tree.groups();
        match self.way {
            Way::Down => {
                for group in from.items.iter().flat_map(|item| groups.children(item.group)) {
                    if let Some(child) = children.get_mut(places[groups.key(group).0 as usize] as usize) {
                        child.items.extend(self.item(group, self.of.total(group)));
                    }
                }
            }
            Way::Up | Way::UpFromBottom => {
                for item in from.items.iter().filter(|item| item.above != GroupId::ROOT) {
                    if let Some(child) = children.get_mut(places[item.above_key.0 as usize] as usize) {
                        let above = groups.parent(item.above);
                        child.items.push(Item { above, above_key: groups.key(above), ..*item });
                    }
                }
            }
        }
        for child in children.iter() {
            places[child.key.0 as usize] = NONE;
        }
        self.place_of_key = places;
    }

    /// Visits every step from a box.
    #[inline(always)]
    fn steps(&self, node: &Node, mut visit: impl FnMut(KeyId, RawAmount)) {
        let groups = self.of.tree.groups();
        match self.way {
            Way::Down => {
                for child in node.items.iter().flat_map(|item| groups.children(item.group)) {
                    let amount = self.of.total(child);
                    if amount.samples > 0.0 {
                        visit(groups.key(child), amount);
                    }
                }
            }
            Way::Up | Way::UpFromBottom => {
                for item in node.items.iter().filter(|item| item.above != GroupId::ROOT) {
                    visit(item.above_key, item.amount);
                }
            }
        }
    }

    /// Returns `None` without samples.
    #[inline(always)]
    fn item(&self, group: GroupId, amount: RawAmount) -> Option<Item> {
        if amount.samples <= 0.0 {
            return None;
        }
        let groups = self.of.tree.groups();
        let above = if self.way == Way::Down { GroupId::ROOT } else { groups.parent(group) };
        Some(Item { group, above, above_key: groups.key(above), amount })
    }

    fn is_bottom(&self, node: &Node) -> bool {
        self.way == Way::UpFromBottom && node.depth == 0
    }
}
