//! Which stacks are kept, and what is added to them.

use super::{Merged, OTHER_STACKS, StackList, StackNode, StacksHead};
use crate::query::flame::Weighed;
use crate::query::label::NO_FRAME;
use crate::query::tree::{GroupId, KeyId, Keys, Label, without_crumb};

/// A node that weighs enough with all below it. All weights are raw.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    pub depth: u32,
    pub key: KeyId,
    /// What its kept children leave of its total.
    pub own: f64,
    /// What the stack that ends here weighs alone; 0 if there is none.
    pub stack: f64,
}

/// What the kept nodes leave of the root.
#[derive(Clone, Copy, Debug)]
pub struct Rest {
    pub own: f64,
    /// Whether light stacks are part of it, or only objects without a frame.
    pub has_merged: bool,
    /// All stacks with a frame, kept or not.
    pub n_stacks: u64,
}

/// Whether a node's total is large enough.
pub fn is_kept(total: f64, least: f64) -> bool {
    total > 0.0 && total >= least
}

/// Adds what is below `least` to the node above, from the innermost nodes on; `kept` is in tree order. Outermost frames
/// keep what is left. A node whose total reaches `least` always has a stack at or below it: if no callee has one, all of
/// its total comes to itself.
pub fn prune(of: &Weighed<'_>, mut kept: Vec<Kept>, rest: Rest, least: f64, merged: Merged) -> StackList {
    let whole = of.weights.total(GroupId::ROOT);
    let mut n_whole = 0;
    let mut weight_whole = of.weights.own(of.tree.groups(), GroupId::ROOT);
    // By depth: what has come up so far for the next node there.
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

/// The frames that occur, numbered as they come.
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

/// The root's key stands for objects without a frame, and for light stacks where no frame is kept.
pub fn label(of: &Weighed<'_>, key: KeyId, has_merged: bool) -> Label {
    match key {
        Keys::ROOT => Label { name: if has_merged { OTHER_STACKS } else { NO_FRAME }.to_owned(), ..Label::default() },
        key => of.tree.keys().label(of.calls, key),
    }
}
