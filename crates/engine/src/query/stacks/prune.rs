//! Decides which stacks are kept, and merges the others into them.

use super::{Merged, OTHER_STACKS, StackList, StackNode, StacksHead};
use crate::query::flame::Weighed;
use crate::query::label::NO_FRAME;
use crate::query::tree::{GroupId, KeyId, Keys, Label, without_crumb};

/// A node whose total is large enough. All weights are raw.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    pub depth: u32,
    pub key: KeyId,
    /// Its total minus its kept children.
    pub own: f64,
    /// The weight of the stack that ends here. 0 if none does.
    pub stack: f64,
}

/// The root's total minus the kept nodes.
#[derive(Clone, Copy, Debug)]
pub struct Rest {
    pub own: f64,
    /// Whether it includes light stacks, or only objects without a frame.
    pub has_merged: bool,
    /// All stacks with a frame, kept or not.
    pub n_stacks: u64,
}

/// Returns whether a node's total is large enough.
pub fn is_kept(total: f64, least: f64) -> bool {
    total > 0.0 && total >= least
}

/// Adds weights below `least` to the node above, starting at the innermost nodes. `kept` is in tree order. Outermost
/// frames keep what is left. A node whose total reaches `least` always has a stack at or below it: if no callee has
/// one, the node gets its entire total.
pub fn prune(of: &Weighed<'_>, mut kept: Vec<Kept>, rest: Rest, least: f64, merged: Merged) -> StackList {
    let whole = of.weights.total(GroupId::ROOT);
    let mut n_whole = 0;
    let mut weight_whole = of.weights.own(of.tree.groups(), GroupId::ROOT);
    // By depth: what merged nodes at this depth pass up to their parent.
    let mut risen: Vec<f64> = Vec::new();
    for node in kept.iter_mut().rev() {
        let depth = node.depth as usize;
        risen.resize(risen.len().max(depth + 2), 0.0);
        node.own += std::mem::take(&mut risen[depth + 1]);
        if node.own < least && depth > 0 {
            risen[depth] += std::mem::take(&mut node.own);
        } else if node.stack > 0.0 {
            n_whole += 1;
            weight_whole += node.stack;
        }
    }
    if rest.own > 0.0 {
        kept.push(Kept { depth: 0, key: Keys::ROOT, own: rest.own, stack: 0.0 });
    }
    let merged = Merged {
        n_stacks: rest.n_stacks - n_whole,
        weight: without_crumb(whole - weight_whole, whole).max(0.0) * of.scale,
        ..merged
    };
    let mut frames = Frames::new(of, rest.has_merged);
    let nodes = kept.iter().map(|node| frames.node(node.depth, node.key, node.own)).collect();
    StackList { head: StacksHead { frames: frames.labels, total: whole * of.scale, merged }, nodes }
}

/// The frames that occur, numbered in order of occurrence.
struct Frames<'a> {
    of: &'a Weighed<'a>,
    has_merged: bool,
    labels: Vec<Label>,
    /// By key.
    places: Vec<Option<u32>>,
}

impl<'a> Frames<'a> {
    fn new(of: &'a Weighed<'a>, has_merged: bool) -> Frames<'a> {
        Frames { of, has_merged, labels: Vec::new(), places: vec![None; of.tree.keys().len()] }
    }

    fn node(&mut self, depth: u32, key: KeyId, own: f64) -> StackNode {
        let frame = *self.places[key.0 as usize].get_or_insert_with(|| {
            self.labels.push(label(self.of, key, self.has_merged));
            self.labels.len() as u32 - 1
        });
        StackNode { depth, frame, own: own * self.of.scale }
    }
}

/// Returns the label of a key. The root's key is for objects without a frame, and for light stacks if no frame is kept.
pub fn label(of: &Weighed<'_>, key: KeyId, has_merged: bool) -> Label {
    match key {
        Keys::ROOT => Label { name: if has_merged { OTHER_STACKS } else { NO_FRAME }.to_owned(), ..Label::default() },
        key => of.tree.keys().label(of.calls, key),
    }
}
