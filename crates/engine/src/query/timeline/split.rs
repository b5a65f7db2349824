//! Classifies objects by allocating frame, heap or domain, with one lookup in a small array per object.

use super::By;
use crate::query::filter::heap_of;
use crate::query::tree::{AllocatorValues, Allocators};
use crate::trace::{Columns, Rows, Trace};

/// A value for each object, by its class.
#[derive(Clone, Debug)]
pub enum Classes<'a, T> {
    /// By the allocating frame.
    Frames(AllocatorValues<'a, T>),
    /// By [`crate::query::filter::Heap`].
    Heaps([T; 4]),
    /// By domain id.
    Domains(&'a Columns, Vec<T>),
}

impl<'a> Classes<'a, u32> {
    /// Returns the classes that series distinguish. `None` if there are none, as for frames without allocators.
    pub fn new(trace: &'a Trace, allocators: Option<&'a Allocators>, by: Option<By>) -> Option<Classes<'a, u32>> {
        match (by, allocators) {
            (Some(By::Grain(_)), Some(allocators)) => Some(Classes::frames(trace, allocators)),
            (Some(By::Heap), _) => Some(Classes::heaps()),
            (Some(By::Domain), _) => Some(Classes::domains(trace)),
            (Some(By::Grain(_)) | None, _) => None,
        }
    }

    /// By key of the allocating frame.
    pub fn frames(trace: &'a Trace, allocators: &'a Allocators) -> Classes<'a, u32> {
        Classes::Frames(allocators.values(&trace.calls, |key| key.0))
    }

    pub fn heaps() -> Classes<'a, u32> {
        Classes::Heaps([0, 1, 2, 3])
    }

    /// By domain id.
    pub fn domains(trace: &'a Trace) -> Classes<'a, u32> {
        let last = trace.domain_ids.last().copied().unwrap_or(0);
        Classes::Domains(&trace.columns, (0..=u32::from(last)).collect())
    }

    /// The largest class number plus 1.
    pub fn n_classes(&self) -> usize {
        let largest = match self {
            Classes::Frames(AllocatorValues::ByCode { values, root, .. }) => values.iter().chain([root]).max(),
            Classes::Frames(AllocatorValues::ByStack { values, .. }) => values.iter().max(),
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
            Classes::Frames(frames) => frames.of_stack(rows.stack(place)),
            Classes::Heaps(by_heap) => by_heap[heap_of(rows, place) as usize],
            Classes::Domains(columns, by_domain) => by_domain[usize::from(columns.domain(rows.row(place)))],
        }
    }

    /// Converts the values of all classes.
    pub fn map<U: Copy>(&self, value: impl Fn(T) -> U) -> Classes<'a, U> {
        match self {
            Classes::Frames(frames) => Classes::Frames(frames.map(value)),
            Classes::Heaps(by_heap) => Classes::Heaps(by_heap.map(value)),
            Classes::Domains(columns, by_domain) => {
                Classes::Domains(columns, by_domain.iter().map(|&of| value(of)).collect())
            }
        }
    }
}
