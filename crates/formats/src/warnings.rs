//! Problems in a file that still opened: counted by kind, with the offset of the first.

use serde::{Deserialize, Serialize};

/// All damage of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning<K> {
    pub kind: K,
    pub count: u64,
    /// Bytes skipped because of it.
    pub bytes: u64,
    pub first_offset: u64,
}

impl<K> Warning<K> {
    /// Returns the same warning with another type of kind.
    pub fn map<L>(self, kind: impl FnOnce(K) -> L) -> Warning<L> {
        let Warning { kind: of, count, bytes, first_offset } = self;
        Warning { kind: kind(of), count, bytes, first_offset }
    }
}

/// Counts warnings by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warnings<K> {
    /// One of each kind, in order of first offset.
    list: Vec<Warning<K>>,
}

impl<K> Default for Warnings<K> {
    fn default() -> Warnings<K> {
        Warnings { list: Vec::new() }
    }
}

impl<K: PartialEq> Warnings<K> {
    /// Adds `count` more of a kind. A count of 0 adds no warning.
    pub fn add(&mut self, kind: K, count: u64, bytes: u64, offset: u64) {
        if count == 0 {
            return;
        }
        match self.list.iter_mut().find(|warning| warning.kind == kind) {
            Some(warning) => {
                warning.count += count;
                warning.bytes += bytes;
            }
            None => insert_in_order(&mut self.list, Warning { kind, count, bytes, first_offset: offset }),
        }
    }

    /// Returns the warnings in order of first offset.
    pub fn into_sorted(self) -> Vec<Warning<K>> {
        self.list
    }

    /// Merges the warnings into others that are in this order. The others come first at equal offsets.
    pub fn into_sorted_with(self, mut others: Vec<Warning<K>>) -> Vec<Warning<K>> {
        self.list.into_iter().for_each(|warning| insert_in_order(&mut others, warning));
        others
    }
}

/// There are only a handful, and a sort would add 5 KB to the page.
fn insert_in_order<K>(list: &mut Vec<Warning<K>>, warning: Warning<K>) {
    let at = list.partition_point(|other| other.first_offset <= warning.first_offset);
    list.insert(at, warning);
}
