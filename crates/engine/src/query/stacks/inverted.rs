//! Stacks from the allocation points to main, merged by the frames that they share at that end.
//!
//! Leaving out light callees first and turning the stacks around after that would be wrong: what a function allocates for
//! a thousand callers, little for each, would count for the callers. So callers are merged here, from the allocation
//! points on.

use super::prune::{Kept, Rest, is_kept, prune};
use super::{Merged, StackList};
use crate::query::flame::Weighed;
use crate::query::sorting::sort_by;
use crate::query::tree::{GroupId, KeyId, Keys, without_crumb};

/// `least_share` is [`super::StacksConfig::least_share`]. Takes 16 bytes for each stack besides the answer.
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

/// One stack on its way from its allocation point to main.
#[derive(Clone, Copy, Debug)]
struct StackClimb {
    /// The frame that comes next; the root where none is left.
    next: GroupId,
    /// The key of `next`, which would have to be fetched twice otherwise.
    key: KeyId,
    /// Raw.
    weight: f64,
}

/// All stacks whose innermost frames are the same.
#[derive(Debug)]
struct Branch {
    /// How many frames are the same.
    depth: u32,
    /// The last of these frames.
    key: KeyId,
    total: f64,
    climbs: Vec<StackClimb>,
}

#[derive(Clone, Copy, Debug, Default)]
struct KeySum {
    weight: f64,
    n_stacks: u32,
    /// One more than the place of the key's branch; 0 where it is left out.
    branch: u32,
}

#[derive(Debug)]
struct Climb<'a> {
    of: &'a Weighed<'a>,
    /// Raw.
    least: f64,
    /// By key; all zero between two branches.
    sums: Vec<KeySum>,
}

impl Climb<'_> {
    /// Every stack, at its allocation point.
    fn every_stack(&self) -> Vec<StackClimb> {
        let groups = self.of.tree.groups();
        let all = std::iter::once(GroupId::ROOT).chain(groups.iter());
        let climbs = all.filter(|&group| self.of.weights.total(group) > 0.0);
        let climbs =
            climbs.map(|next| StackClimb { next, key: groups.key(next), weight: self.of.weights.own(groups, next) });
        climbs.filter(|climb| climb.weight > 0.0).collect()
    }

    /// Takes the stacks of a branch one frame further. Returns what no kept branch takes over, which is the weight of the
    /// stacks that end here and of those that are merged, and the kept branches, the heaviest last.
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
