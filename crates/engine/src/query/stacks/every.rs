//! Every stack, read directly from the call tree, since a list of all stacks would be larger than the trace.

use super::prune::label;
use super::walk::Walk;
use super::{StackNode, StackSource, StacksHead};
use crate::query::flame::Weighed;
use crate::query::tree::{GroupId, KeyId, Keys};

/// The stacks of a weighed tree, from main to the allocation points.
#[derive(Debug)]
pub struct EveryStack<'a> {
    of: Weighed<'a>,
    head: StacksHead,
    /// By key: its index in the head's frames. Unused for keys that don't occur.
    places: Vec<u32>,
}

impl<'a> EveryStack<'a> {
    /// Takes one pass over the tree's groups to find the frames that occur.
    pub fn new(of: Weighed<'a>) -> EveryStack<'a> {
        let (groups, keys, weights) = (of.tree.groups(), of.tree.keys(), of.weights);
        let mut occurs = vec![false; keys.len()];
        for group in groups.iter().filter(|&group| weights.total(group) > 0.0) {
            occurs[groups.key(group).0 as usize] = true;
        }
        occurs[Keys::ROOT.0 as usize] = weights.own(groups, GroupId::ROOT) > 0.0;
        let mut places = vec![0; keys.len()];
        let mut frames = Vec::new();
        for (key, _) in keys.iter().filter(|(key, _)| occurs[key.0 as usize]) {
            places[key.0 as usize] = frames.len() as u32;
            frames.push(label(&of, key, false));
        }
        let total = weights.total(GroupId::ROOT) * of.scale;
        EveryStack { of, head: StacksHead { frames, total, ..StacksHead::default() }, places }
    }

    fn node(&self, depth: u32, key: KeyId, own: f64) -> StackNode {
        StackNode { depth, frame: self.places[key.0 as usize], own: own * self.of.scale }
    }
}

impl StackSource for EveryStack<'_> {
    fn head(&self) -> &StacksHead {
        &self.head
    }

    fn nodes(&self) -> Box<dyn Iterator<Item = StackNode> + '_> {
        let walk = Walk::new(&self.of, 0.0);
        // Objects without a frame come last.
        let rest = (walk.root_own > 0.0).then(|| self.node(0, Keys::ROOT, walk.root_own));
        let groups = self.of.tree.groups();
        Box::new(walk.map(|visit| self.node(visit.depth, groups.key(visit.group), visit.own)).chain(rest))
    }
}
