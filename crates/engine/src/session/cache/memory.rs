//! How much memory the cache takes, and what it drops to make room.

use std::rc::Rc;

use super::{Cache, Work};
use crate::query::table::SumsBuffer;

impl Cache {
    /// Drops entries that no current query uses, cheapest to recompute first, until this many more bytes fit.
    pub(super) fn make_way(&mut self, bytes: usize) {
        while self.heap_bytes().saturating_add(bytes) > self.limit && self.give_up_one() {}
    }

    /// Drops everything that no current query uses.
    pub fn clear(&mut self) {
        while self.give_up_one() {}
    }

    /// Returns whether there was anything to drop.
    fn give_up_one(&mut self) -> bool {
        if self.sums_buffer.heap_bytes() > 0 {
            self.sums_buffer = SumsBuffer::default();
            return true;
        }
        self.under_way.take().is_some()
            || self.events.drop_oldest(|index| Rc::strong_count(index) == 1)
            || self.sums.drop_oldest(|sums| Rc::strong_count(sums) == 1)
            || self.weights.drop_oldest(|weights| Rc::strong_count(weights) == 1)
            || self.allocators.drop_oldest(|allocators| Rc::strong_count(allocators) == 1)
            || self.trees.drop_oldest(|tree| Rc::strong_count(&tree.index) == 1)
            || self.bases.drop_oldest(|base| Rc::strong_count(base) == 1)
            || self.selections.drop_oldest(|selection| Rc::strong_count(selection) == 1)
    }

    pub fn heap_bytes(&self) -> usize {
        let under_way = match &self.under_way {
            None => 0,
            Some(Work::Select { words, .. }) => words.len() * size_of::<u64>(),
            Some(Work::Tree(_, builder)) => builder.heap_bytes(),
            Some(Work::Weigh { builder, .. }) => builder.heap_bytes(),
            Some(Work::Sum { builder, .. }) => builder.heap_bytes(),
        };
        under_way
            + self.selections.values().map(|selection| selection.heap_bytes()).sum::<usize>()
            + self.allocators.values().map(|allocators| allocators.heap_bytes()).sum::<usize>()
            + self.bases.values().map(|base| base.heap_bytes()).sum::<usize>()
            + self.trees.values().map(|tree| tree.heap_bytes()).sum::<usize>()
            + self.weights.values().map(|weights| weights.heap_bytes()).sum::<usize>()
            + self.sums.values().map(|sums| sums.heap_bytes()).sum::<usize>()
            + self.sums_buffer.heap_bytes()
            + self.events.values().map(|index| index.heap_bytes()).sum::<usize>()
    }
}
