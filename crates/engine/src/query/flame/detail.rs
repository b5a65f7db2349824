//! One box in detail, and its next level as rows. Used by the side panel, the callers and callees below a table row,
//! and the tree for keyboards and screen readers.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Direction;
use super::box_selector::{BoxId, BoxSelector};
use super::walk::{Child, Node, Walk};
use super::weights::Weighed;
use crate::query::tree::{KeyId, Label, TreeWeights};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    pub id: BoxId,
    /// From the flame graph's top to the box, both included.
    pub path: Vec<Label>,
    /// In the measure's unit, like `own` and `all`.
    pub total: f64,
    pub own: f64,
    /// The weight of the flame graph's top.
    pub all: f64,
    pub samples: u64,
    pub own_samples: u64,
    /// The relative margin of the 95% interval of `total`. `None` without samples.
    pub error: Option<f64>,
    /// For the objects in `total`, weighted by bytes. Objects that were never collected live until the end of the
    /// trace.
    pub mean_lifetime_us: Option<f64>,
    pub n_children: u32,
}

/// `lifetimes` are the weights of [`crate::query::measure::Weight::SampleMicros`], if objects have lifetimes. Returns
/// `None` if the tree has no such box.
pub fn detail(
    of: &Weighed<'_>,
    lifetimes: Option<&TreeWeights>,
    direction: &Direction,
    selector: &BoxSelector,
) -> Option<Detail> {
    let keys = selector.keys(of, direction)?;
    let mut walk = Walk::new(of, direction)?;
    let node = walk.at(&keys);
    let (total, own) = (walk.total(&node), walk.own(&node));
    // The same box, weighted by lifetime.
    let sample_us = lifetimes.and_then(|lifetimes| {
        let by_lifetime = Weighed { weights: lifetimes, bottom: None, ..*of };
        let mut lives = Walk::new(&by_lifetime, direction)?;
        let lived = lives.at(&keys);
        Some(lives.total(&lived).weight)
    });
    let label = |key: &KeyId| of.tree.keys().label(of.calls, *key);
    Some(Detail {
        id: selector.id(&walk, &node),
        path: [walk.top().key].iter().chain(&keys).map(label).collect(),
        total: total.weight * of.scale,
        own: own.weight * of.scale,
        all: walk.total(walk.top()).weight * of.scale,
        samples: total.n_samples(),
        own_samples: own.n_samples(),
        error: of.error(total),
        mean_lifetime_us: sample_us.filter(|_| total.samples > 0.0).map(|sample_us| sample_us / total.samples),
        n_children: walk.children(&node).len() as u32,
    })
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BranchConfig {
    pub direction: Direction,
    pub parent: BoxSelector,
    /// The range of children to return, in their order.
    pub rows: Range<usize>,
}

/// The next level of a box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Branches {
    /// The part of the box that belongs to none of its children, in the measure's unit.
    pub own: f64,
    pub total: f64,
    pub n_children: usize,
    /// By weight, then by name.
    pub children: Vec<Branch>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    pub id: BoxId,
    pub label: Label,
    pub total: f64,
    pub own: f64,
    pub samples: u64,
    /// The relative margin of the 95% interval of `total`.
    pub error: Option<f64>,
    pub has_children: bool,
}

/// Returns `None` if the tree has no such parent.
pub fn branches(of: &Weighed<'_>, config: &BranchConfig) -> Option<Branches> {
    let keys = config.parent.keys(of, &config.direction)?;
    let mut walk = Walk::new(of, &config.direction)?;
    let parent = walk.at(&keys);
    let children = walk.sorted_children(&parent);
    let end = config.rows.end.min(children.len());
    let seen = &children[config.rows.start.min(end)..end];
    let keys: Vec<KeyId> = seen.iter().map(|child| child.key).collect();
    let nodes = walk.take(&parent, &keys);
    let branch = |(node, child): (Node, &Child)| Branch {
        id: BoxId::of(&walk, &node),
        label: of.tree.keys().label(of.calls, node.key),
        total: child.amount.weight * of.scale,
        own: walk.own(&node).weight * of.scale,
        samples: child.amount.n_samples(),
        error: of.error(child.amount),
        has_children: walk.has_children(&node),
    };
    Some(Branches {
        own: walk.own(&parent).weight * of.scale,
        total: walk.total(&parent).weight * of.scale,
        n_children: children.len(),
        children: nodes.into_iter().zip(seen).map(branch).collect(),
    })
}
