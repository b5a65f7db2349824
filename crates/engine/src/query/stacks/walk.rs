//! A walk over the call tree, from main to the allocation points.

use super::prune::is_kept;
use crate::query::flame::Weighed;
use crate::query::sorting::sort_by;
use crate::query::tree::{GroupId, without_crumb};

/// Visits groups depth first, siblings by weight, then by name. Stores only the pending siblings along one path.
#[derive(Debug)]
pub struct Walk<'a> {
    of: &'a Weighed<'a>,
    /// Raw. Lighter groups are skipped.
    least: f64,
    /// Groups to visit and their depths, the next one last.
    pending: Vec<(GroupId, u32)>,
    /// The root's total minus the visited groups, raw.
    pub root_own: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct Visit {
    pub group: GroupId,
    pub depth: u32,
    /// Its total minus the visited children, raw.
    pub own: f64,
}

impl<'a> Walk<'a> {
    pub fn new(of: &'a Weighed<'a>, least: f64) -> Walk<'a> {
        let mut walk = Walk { of, least, pending: Vec::new(), root_own: 0.0 };
        walk.root_own = walk.open(GroupId::ROOT, 0);
        walk
    }

    /// Queues the children to visit, and returns the group's total minus their weights.
    fn open(&mut self, group: GroupId, depth: u32) -> f64 {
        let Weighed { tree, index, weights, .. } = self.of;
        let groups = tree.groups();
        let total = weights.total(group);
        let mut own = total;
        let mut children = Vec::new();
        for child in groups.children(group) {
            let weight = weights.total(child);
            if is_kept(weight, self.least) {
                own -= weight;
                children.push((weight, child));
            }
        }
        if children.len() > 1 {
            let rank = |group: GroupId| index.rank(groups.key(group));
            sort_by(&mut children, |one, two| two.0.total_cmp(&one.0).then_with(|| rank(one.1).cmp(&rank(two.1))));
        }
        self.pending.extend(children.iter().rev().map(|(_, child)| (*child, depth)));
        without_crumb(own, total).max(0.0)
    }
}

impl Iterator for Walk<'_> {
    type Item = Visit;

    fn next(&mut self) -> Option<Visit> {
        let (group, depth) = self.pending.pop()?;
        Some(Visit { group, depth, own: self.open(group, depth + 1) })
    }
}
