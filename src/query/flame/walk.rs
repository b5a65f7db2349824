//! Pictures unfold box by box, and only where somebody looks.
//!
//! A box is a list of items: groups, each with the part of the box's weight that comes through it. Top-down an item
//! steps to its children; inverted it climbs to its parent and takes its weight along. In both cases the steps are
//! merged by key, and the boxes that are wide enough take over the items of theirs.

use super::Direction;
use super::weights::{Amount, Bottom, Weighed};
use crate::query::sorting::sort_by;
use crate::query::tree::{GroupId, KeyId, Keys};

#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub group: GroupId,
    /// Where the climb began; going down, the group itself.
    pub origin: GroupId,
    pub amount: Amount,
}

/// All steps from a box that lead to one key.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    pub key: KeyId,
    pub amount: Amount,
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
    /// By group: one more than its place among a child's items, or 0. Only climbing meets a group twice.
    place_of_group: Vec<u32>,
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
                let key = of.index.find(of.trace, of.tree, function)?;
                // Objects below several groups of the function count with the outermost.
                let starts =
                    of.index.groups_of(of.tree, key).iter().copied().filter(|&group| groups.is_outermost(group));
                (key, starts.collect())
            }
        };
        let items = starts.into_iter().filter_map(|group| item(group, of.total(group))).collect();
        Some(Walk {
            of,
            way,
            top: Node { key, depth: 0, items },
            place_of_key: vec![NONE; of.tree.keys().len()],
            place_of_group: if way == Way::Down { Vec::new() } else { vec![0; groups.len()] },
        })
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
        node.items.first().map_or(GroupId::ROOT, |item| if self.way == Way::Down { item.group } else { item.origin })
    }

    pub fn total(&self, node: &Node) -> Amount {
        match self.is_bottom(node) {
            true => self.of.total(GroupId::ROOT),
            false => node.items.iter().map(|item| item.amount).sum(),
        }
    }

    /// What of a box belongs to none of its children: allocated right there or, climbing, called by nobody.
    pub fn own(&self, node: &Node) -> Amount {
        match self.way {
            _ if self.is_bottom(node) => self.of.own(GroupId::ROOT),
            Way::Down => node.items.iter().map(|item| self.of.own(item.group)).sum(),
            Way::Up | Way::UpFromBottom => {
                node.items.iter().filter(|item| !self.has_caller(item)).map(|item| item.amount).sum()
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
            Way::Up | Way::UpFromBottom => node.items.iter().any(|item| self.has_caller(item)),
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
        self.steps(node, |key, item| {
            let place = &mut places[key.0 as usize];
            if *place == NONE {
                *place = children.len() as u32;
                children.push(Child { key, amount: Amount::default(), n_steps: 0 });
            }
            let child = &mut children[*place as usize];
            child.amount += item.amount;
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
            node.items = groups.filter_map(|&group| item(group, own(group)?)).collect();
        }
    }

    /// Gives each child the steps that lead to its key. Steps to the same group become one item.
    fn distribute(&mut self, from: &Node, children: &mut [Node]) {
        let mut places = std::mem::take(&mut self.place_of_key);
        let mut merged = std::mem::take(&mut self.place_of_group);
        for (place, child) in children.iter().enumerate() {
            places[child.key.0 as usize] = place as u32;
        }
        self.steps(from, |key, item| {
            let Some(child) = children.get_mut(places[key.0 as usize] as usize) else {
                return;
            };
            match merged.get_mut(item.group.0 as usize) {
                Some(place) if *place != 0 => child.items[*place as usize - 1].amount += item.amount,
                place => {
                    child.items.push(item);
                    if let Some(place) = place {
                        *place = child.items.len() as u32;
                    }
                }
            }
        });
        for child in children.iter() {
            places[child.key.0 as usize] = NONE;
            for item in &child.items {
                if let Some(place) = merged.get_mut(item.group.0 as usize) {
                    *place = 0;
                }
            }
        }
        (self.place_of_key, self.place_of_group) = (places, merged);
    }

    /// Visits every step that leads on from a box.
    #[inline(always)]
    fn steps(&self, node: &Node, mut visit: impl FnMut(KeyId, Item)) {
        let groups = self.of.tree.groups();
        match self.way {
            Way::Down => {
                let children = node.items.iter().flat_map(|item| groups.children(item.group));
                for child in children.filter_map(|child| item(child, self.of.total(child))) {
                    visit(groups.key(child.group), child);
                }
            }
            Way::Up | Way::UpFromBottom => {
                for item in node.items.iter().filter(|item| self.has_caller(item)) {
                    let parent = groups.parent(item.group);
                    visit(groups.key(parent), Item { group: parent, ..*item });
                }
            }
        }
    }

    #[inline(always)]
    fn has_caller(&self, item: &Item) -> bool {
        self.of.tree.groups().parent(item.group) != GroupId::ROOT
    }

    fn is_bottom(&self, node: &Node) -> bool {
        self.way == Way::UpFromBottom && node.depth == 0
    }
}

/// None without a sample.
#[inline(always)]
fn item(group: GroupId, amount: Amount) -> Option<Item> {
    (amount.samples > 0.0).then_some(Item { group, origin: group, amount })
}
