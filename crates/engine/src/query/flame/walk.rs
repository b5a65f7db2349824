//! Pictures unfold box by box, and only where somebody looks.
//!
//! A box is a list of items: groups, each with the part of the box's weight that comes through it. Top-down an item
//! steps to its children; inverted it climbs to its parent and takes its weight along. In both cases the steps are
//! merged by key, and the boxes that are wide enough take over the items of theirs.
//!
//! Climbing never meets a group twice: two items of a box have passed the same keys, and no group has two children of one
//! key.

use super::Direction;
use super::weights::{Bottom, RawAmount, Weighed};
use crate::query::sorting::sort_by;
use crate::query::tree::{GroupId, KeyId, Keys};

#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Going down, where the item is; climbing, where its climb began.
    pub group: GroupId,
    /// Climbing, the caller that comes next, or the root where none does; going down, not used.
    above: GroupId,
    /// The key of `above`, which is fetched from far away and needed twice.
    above_key: KeyId,
    pub amount: RawAmount,
}

/// All steps from a box that lead to one key.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    pub key: KeyId,
    pub amount: RawAmount,
    /// Several may lead to one group.
    pub n_steps: u32,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub key: KeyId,
    /// Steps from the top.
    pub depth: u32,
    /// None where nothing weighs here, and for the top of the inverted picture, which stands for all groups.
    pub items: Vec<Item>,
}

#[derive(Debug)]
pub struct Walk<'a> {
    of: &'a Weighed<'a>,
    way: Way,
    top: Node,
    /// By key: a place in a list of children, or [`NONE`].
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
    /// None where the tree does not have the function that the direction names.
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
                // Objects below several groups of the function count with the outermost.
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

    /// The group that, with its depth, names a box.
    pub fn group_of(&self, node: &Node) -> GroupId {
        node.items.first().map_or(GroupId::ROOT, |item| item.group)
    }

    pub fn total(&self, node: &Node) -> RawAmount {
        match self.is_bottom(node) {
            true => self.of.total(GroupId::ROOT),
            false => node.items.iter().map(|item| item.amount).sum(),
        }
    }

    /// What of a box belongs to none of its children: allocated right there or, climbing, called by nobody.
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

    /// The children of a box, by weight, then by name.
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

    /// The children of a box, in no particular order.
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

    /// The children with these keys, which must differ, in their order; one that is none has no item.
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

    /// The same for children that were found before. Those of the bottom may be most of the tree together, so they are
    /// left empty until each is filled ([`Walk::fill`]).
    pub fn open(&mut self, node: &Node, children: &[Child]) -> Vec<Node> {
        let depth = node.depth + 1;
        let node_of = |child: &Child| Node { key: child.key, depth, items: Vec::with_capacity(child.n_steps as usize) };
        let mut nodes: Vec<Node> = children.iter().map(node_of).collect();
        if !self.is_bottom(node) {
            self.distribute(node, &mut nodes);
        }
        nodes
    }

    /// Gives a child of the bottom its items; others have theirs.
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

    /// Gives each child the steps that lead to its key.
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

    /// Visits every step that leads on from a box.
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

    /// `None` without a sample.
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
