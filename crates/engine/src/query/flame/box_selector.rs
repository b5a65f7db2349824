//! Identifies boxes in a way that survives a change of weights. The page sends these ids back to zoom, select or query.
//!
//! A box of an inverted flame graph covers many groups, so a group alone can't identify it. But walking up from any of
//! its groups, for as many frames as the box is deep, gives its path of keys. So a group and a depth identify every
//! box.

use serde::{Deserialize, Serialize};

use super::Direction;
use super::walk::{Node, Walk};
use super::weights::Weighed;
use crate::query::tree::{GroupId, KeyId, Label};

/// Identifies a box. Valid for the same tree and direction, whatever the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BoxId {
    pub group: u32,
    /// Steps from the flame graph's top.
    pub depth: u32,
}

/// A box, as requested.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BoxSelector {
    #[default]
    Top,
    Id(BoxId),
    /// From the top, which is excluded. Valid for any tree that has these names.
    Path(Vec<Label>),
}

impl BoxSelector {
    /// Returns the keys from the top, which is excluded, to the box. `None` if the tree has no such box.
    pub(super) fn keys(&self, of: &Weighed<'_>, direction: &Direction) -> Option<Vec<KeyId>> {
        match self {
            BoxSelector::Top => Some(Vec::new()),
            BoxSelector::Id(id) => id.keys(of, direction),
            BoxSelector::Path(labels) => labels.iter().map(|label| of.index.find(of.calls, of.tree, label)).collect(),
        }
    }

    /// Returns the id of the selected box. A box requested by its id keeps it, even if it has no weight anymore.
    pub(super) fn id(&self, walk: &Walk<'_>, node: &Node) -> BoxId {
        match self {
            BoxSelector::Id(id) => *id,
            BoxSelector::Top | BoxSelector::Path(_) => BoxId::of(walk, node),
        }
    }
}

impl BoxId {
    pub(super) fn of(walk: &Walk<'_>, node: &Node) -> BoxId {
        BoxId { group: walk.group_of(node).0, depth: node.depth }
    }

    fn keys(self, of: &Weighed<'_>, direction: &Direction) -> Option<Vec<KeyId>> {
        if self.depth == 0 {
            return Some(Vec::new());
        }
        let groups = of.tree.groups();
        if self.group as usize >= groups.len() {
            return None;
        }
        let mut at = GroupId(self.group);
        // The function in the middle of a sandwich is the top of its flame graph.
        let middle = direction.function();
        let n_keys = self.depth as usize + usize::from(middle.is_some());
        let mut keys = Vec::new();
        while keys.len() < n_keys {
            if at == GroupId::ROOT {
                return None;
            }
            keys.push(groups.key(at));
            at = groups.parent(at);
        }
        match direction {
            Direction::TopDown if at != GroupId::ROOT => return None,
            Direction::TopDown | Direction::Callees(_) => keys.reverse(),
            Direction::Inverted | Direction::Callers(_) => {}
        }
        if let Some(function) = middle {
            let is_of_function = of.index.find(of.calls, of.tree, function) == keys.first().copied();
            return is_of_function.then(|| keys.split_off(1));
        }
        Some(keys)
    }
}
