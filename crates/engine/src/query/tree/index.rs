//! Lookups that a tree's groups don't provide directly: the groups of a key, and the order of names. Built once per
//! tree, regardless of the filter.

use std::cell::OnceCell;

use super::groups::Groups;
use super::keys::{KeyId, Keys, Label};
use super::{GroupId, ShapedTree};
use crate::query::sorting::sort_by;
use crate::trace::Calls;

#[derive(Clone, Debug)]
pub struct TreeIndex {
    by_name: Vec<KeyId>,
    /// By key: its index in `by_name`.
    rank: Vec<u32>,
    /// Built on demand, since only sandwiches and inverted flame graphs need it.
    places: OnceCell<KeyPlaces>,
}

/// The groups of each key.
#[derive(Clone, Debug)]
struct KeyPlaces {
    /// By key, plus an entry for the end: where its groups begin in `groups`.
    starts: Vec<u32>,
    groups: Vec<GroupId>,
}

impl TreeIndex {
    pub fn new(calls: &Calls, tree: &ShapedTree) -> TreeIndex {
        let keys = tree.keys();
        let mut by_name: Vec<KeyId> = keys.iter().map(|(id, _)| id).collect();
        let labels: Vec<Label> = by_name.iter().map(|&id| keys.label(calls, id)).collect();
        sort_by(&mut by_name, |one, two| labels[one.0 as usize].cmp(&labels[two.0 as usize]).then(one.cmp(two)));
        let mut rank = vec![0; by_name.len()];
        for (at, id) in by_name.iter().enumerate() {
            rank[id.0 as usize] = at as u32;
        }
        TreeIndex { by_name, rank, places: OnceCell::new() }
    }

    /// Returns all groups of a key except the root, ascending.
    pub fn groups_of(&self, tree: &ShapedTree, key: KeyId) -> &[GroupId] {
        let places = self.places.get_or_init(|| KeyPlaces::new(tree.keys(), tree.groups()));
        let at = key.0 as usize;
        &places.groups[places.starts[at] as usize..places.starts[at + 1] as usize]
    }

    pub fn heap_bytes(&self) -> usize {
        let n_places = self.places.get().map_or(0, |places| places.groups.len());
        (n_places + 2 * self.by_name.len()) * size_of::<u32>()
    }

    /// Returns a key's position in the order of labels. No two keys share one.
    #[inline(always)]
    pub fn rank(&self, key: KeyId) -> u32 {
        self.rank[key.0 as usize]
    }

    /// Returns the key with this label. If there are several, the first one in the trace.
    pub fn find(&self, calls: &Calls, tree: &ShapedTree, label: &Label) -> Option<KeyId> {
        let label_at = |key: KeyId| tree.keys().label(calls, key);
        let at = self.by_name.partition_point(|&key| label_at(key) < *label);
        let mut alike = self.by_name[at..].iter().copied().take_while(|&key| label_at(key) == *label);
        // A function may have the same name as the root.
        alike.find(|&key| key != Keys::ROOT)
    }
}

impl KeyPlaces {
    fn new(keys: &Keys, groups: &Groups) -> KeyPlaces {
        let mut starts = vec![0u32; keys.len() + 1];
        for group in groups.iter() {
            starts[groups.key(group).0 as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut ends = starts.clone();
        let mut sorted = vec![GroupId::ROOT; groups.len() - 1];
        for group in groups.iter() {
            let end = &mut ends[groups.key(group).0 as usize];
            sorted[*end as usize] = group;
            *end += 1;
        }
        KeyPlaces { starts, groups: sorted }
    }
}
