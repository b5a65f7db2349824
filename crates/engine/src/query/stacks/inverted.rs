//! Stacks from the allocation points to main, merged by the frames they share at the allocation point.
//!
//! It would be wrong to drop light callees first and invert the stacks afterwards: if a function allocates a little for
//! each of a thousand callers, its bytes would be attributed to the callers. So callers are merged here, starting at
//! the allocation points.

use super::prune::{Kept, Rest, is_kept, prune};
use super::{Merged, StackList};
use crate::query::flame::Weighed;
use crate::query::sorting::sort_by;
use crate::query::tree::{GroupId, KeyId, Keys, without_crumb};

/// `least_share` is [`super::StacksConfig::least_share`]. Takes 16 bytes per stack in addition to the result.
pub fn inverted(of: &Weighed<'_>, least_share: f64) -> StackList {
    let whole = of.weights.total(GroupId::ROOT);
    let least = whole * least_share;
    let mut climb = Climb { of, least, sums: vec![KeySum::default(); of.tree.keys().len()] };
    let top = Branch { depth: 0, key: Keys::ROOT, total: whole, climbs: climb.every_stack() };
    let n_stacks = top.climbs.iter().filter(|climb| climb.next != GroupId::ROOT).count() as u64;
    let (rest, mut pending) = climb.open(top);
    let n_taken_over: usize = pending.iter().map(|branch| branch.climbs.len()).sum();
    let mut kept = Vec::new();
    while let Some(branch) = pending.pop() {
        let (depth, key) = (branch.depth - 1, branch.key);
        // No two stacks have the same frames.
        let stack = branch.climbs.iter().find(|climb| climb.next == GroupId::ROOT).map_or(0.0, |climb| climb.weight);
        let (own, children) = climb.open(branch);
        kept.push(Kept { depth, key, own, stack });
        pending.extend(children);
    }
    let rest = Rest { own: rest, has_merged: (n_taken_over as u64) < n_stacks, n_stacks };
    prune(of, kept, rest, least, Merged { least_share, is_inverted: true, ..Merged::default() })
}

/// A stack on its way from the allocation point to main.
#[derive(Clone, Copy, Debug)]
struct StackClimb {
    /// The next frame, or the root if none is left.
    next: GroupId,
    /// The key of `next`, stored because it is needed twice.
    key: KeyId,
    /// Raw.
    weight: f64,
}

/// All stacks with the same innermost frames.
#[derive(Debug)]
struct Branch {
    /// The number of shared frames.
    depth: u32,
    /// The outermost shared frame.
    key: KeyId,
    total: f64,
    climbs: Vec<StackClimb>,
}

#[derive(Clone, Copy, Debug, Default)]
struct KeySum {
    weight: f64,
    n_stacks: u32,
    /// The index of the key's branch plus 1, or 0 if it is dropped.
    branch: u32,
}

#[derive(Debug)]
struct Climb<'a> {
    of: &'a Weighed<'a>,
    /// Raw.
    least: f64,
    /// By key. All zero between branches.
    sums: Vec<KeySum>,
}

impl Climb<'_> {
    /// Returns every stack, at its allocation point.
    fn every_stack(&self) -> Vec<StackClimb> {
        let groups = self.of.tree.groups();
        let all = std::iter::once(GroupId::ROOT).chain(groups.iter());
        let climbs = all.filter(|&group| self.of.weights.total(group) > 0.0);
        let climbs =
            climbs.map(|next| StackClimb { next, key: groups.key(next), weight: self.of.weights.own(groups, next) });
        climbs.filter(|climb| climb.weight > 0.0).collect()
    }

    /// Moves the stacks of a branch one frame further. Returns the weight of the stacks that end here or are merged,
    /// and the branches that are kept, heaviest last.
    fn open(&mut self, branch: Branch) -> (f64, Vec<Branch>) {
        let groups = self.of.tree.groups();
        let mut keys = Vec::new();
        let on_the_way = || branch.climbs.iter().filter(|climb| climb.next != GroupId::ROOT);
        for climb in on_the_way() {
            let sum = &mut self.sums[climb.key.0 as usize];
            if sum.n_stacks == 0 {
                keys.push(climb.key);
            }
            sum.weight += climb.weight;
            sum.n_stacks += 1;
        }
        let mut own = branch.total;
        let mut kept = Vec::new();
        for &key in &keys {
            let sum = &mut self.sums[key.0 as usize];
            if is_kept(sum.weight, self.least) {
                own -= sum.weight;
                let climbs = Vec::with_capacity(sum.n_stacks as usize);
                kept.push(Branch { depth: branch.depth + 1, key, total: sum.weight, climbs });
                sum.branch = kept.len() as u32;
            }
        }
        for climb in on_the_way() {
            let place = self.sums[climb.key.0 as usize].branch;
            if place > 0 {
                let next = groups.parent(climb.next);
                kept[place as usize - 1].climbs.push(StackClimb { next, key: groups.key(next), ..*climb });
            }
        }
        for key in keys {
            self.sums[key.0 as usize] = KeySum::default();
        }
        let rank = |branch: &Branch| self.of.index.rank(branch.key);
        sort_by(&mut kept, |one, two| one.total.total_cmp(&two.total).then_with(|| rank(two).cmp(&rank(one))));
        (without_crumb(own, branch.total).max(0.0), kept)
    }
}
