//! Objects told apart by what allocated them, by heap or by domain, at the cost of a small array an object.

use crate::query::filter::heap_of;
use crate::query::tree::{CallTree, GroupId, ShapedTree};
use crate::trace::{Columns, Rows, Trace};

/// A value for each object, by its class.
#[derive(Clone, Debug)]
pub enum Classes<'a, T> {
    /// By group of the base tree: its allocating frame.
    Frames(&'a CallTree, Vec<T>),
    /// By [`crate::query::filter::Heap`].
    Heaps([T; 4]),
    /// By a domain's id.
    Domains(&'a Columns, Vec<T>),
}

impl<'a> Classes<'a, u32> {
    /// By key of the tree: the one of the innermost frame that the shape leaves.
    pub fn frames(tree: &'a ShapedTree) -> Classes<'a, u32> {
        let groups = tree.groups();
        let root = groups.key(GroupId::ROOT).0;
        let keys: Vec<u32> = std::iter::once(root).chain(groups.iter().map(|group| groups.key(group).0)).collect();
        Classes::by_group(tree, keys, root)
    }

    /// By group of the tree, the root's first; and what is outside of it.
    pub fn by_group(tree: &'a ShapedTree, by_group: Vec<u32>, outside: u32) -> Classes<'a, u32> {
        Classes::Frames(tree.base(), tree.by_base_group(by_group, outside))
    }

    pub fn heaps() -> Classes<'a, u32> {
        Classes::Heaps([0, 1, 2, 3])
    }

    /// By a domain's id.
    pub fn domains(trace: &'a Trace) -> Classes<'a, u32> {
        let last = trace.domain_ids.last().copied().unwrap_or(0);
        Classes::Domains(&trace.columns, (0..=u32::from(last)).collect())
    }
}

impl Classes<'_, u32> {
    /// One more than the largest number of a class.
    pub fn n_classes(&self) -> usize {
        let largest = match self {
            Classes::Frames(_, by_group) => by_group.iter().max(),
            Classes::Heaps(by_heap) => by_heap.iter().max(),
            Classes::Domains(_, by_domain) => by_domain.iter().max(),
        };
        largest.map_or(0, |&class| class as usize + 1)
    }
}

impl<'a, T: Copy> Classes<'a, T> {
    #[inline(always)]
    pub fn of(&self, rows: &Rows<'_>, place: usize) -> T {
        match self {
            Classes::Frames(tree, by_group) => by_group[tree.of_stack(rows.stack(place))],
            Classes::Heaps(by_heap) => by_heap[heap_of(rows.source(place), rows.promoted(place)) as usize],
            Classes::Domains(columns, by_domain) => by_domain[usize::from(columns.domain(rows.row(place)))],
        }
    }

    /// The same classes with other values.
    pub fn map<U>(&self, value: impl Fn(T) -> U) -> Classes<'a, U> {
        match self {
            Classes::Frames(tree, by_group) => Classes::Frames(tree, by_group.iter().map(|&of| value(of)).collect()),
            Classes::Heaps(by_heap) => Classes::Heaps(by_heap.map(value)),
            Classes::Domains(columns, by_domain) => {
                Classes::Domains(columns, by_domain.iter().map(|&of| value(of)).collect())
            }
        }
    }
}
