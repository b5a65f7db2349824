//! Stacks from main to the allocation points, without the invisible ones.

use super::prune::{Kept, Rest, is_kept, prune};
use super::walk::{Visit, Walk};
use super::{Merged, StackList};
use crate::query::flame::Weighed;
use crate::query::tree::GroupId;

/// `least_share` is [`super::StacksConfig::least_share`].
pub fn visible(of: &Weighed<'_>, least_share: f64) -> StackList {
    let (groups, weights) = (of.tree.groups(), of.weights);
    let least = weights.total(GroupId::ROOT) * least_share;
    let mut walk = Walk::new(of, least);
    let keep = |Visit { group, depth, own }: Visit| {
        let stack = weights.own(groups, group).max(0.0);
        Kept { depth, key: groups.key(group), own, stack }
    };
    let kept: Vec<Kept> = walk.by_ref().map(keep).collect();
    let weighs = |group: &GroupId| weights.total(*group) > 0.0;
    let rest = Rest {
        own: walk.root_own,
        has_merged: groups.children(GroupId::ROOT).any(|group| weighs(&group) && !is_kept(weights.total(group), least)),
        n_stacks: groups.iter().filter(weighs).filter(|&group| weights.own(groups, group) > 0.0).count() as u64,
    };
    prune(of, kept, rest, least, Merged { least_share, ..Merged::default() })
}
