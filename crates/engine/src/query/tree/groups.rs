//! A tree of groups. Each group is all frames with the same key under the same parent.

use std::ops::AddAssign;

use rustc_hash::FxHashMap;

use super::keys::KeyId;

/// A group of a tree; 0 is the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub u32);

impl GroupId {
    pub const ROOT: GroupId = GroupId(0);
}

#[derive(Debug)]
pub struct Groups {
    /// parent[i] < i (except for the root, which is its own parent), so one reverse pass sums subtrees.
    parent: Vec<u32>,
    /// The bit [`REPEATED`] is set if a group above has the same key.
    key: Vec<u32>,
    links: Vec<Links>,
}

/// Group ids, or 0 for none, since the root is nobody's child.
#[derive(Clone, Copy, Debug, Default)]
struct Links {
    first_child: u32,
    next_sibling: u32,
}

/// Set in the key of a group below another group with the same key. There are far fewer keys than this.
const REPEATED: u32 = 1 << 31;

/// Children that are searched linearly. Later ones are also in a hash table.
const SEARCHED: usize = 12;

/// The number of zeroed groups allocated at a time. Writing to existing entries is faster than appending.
const BATCH: usize = 1 << 10;

/// Groups under construction.
#[derive(Debug)]
pub struct GroupsBuilder {
    /// Has zeroed entries after the last group.
    groups: Groups,
    len: usize,
    more: FxHashMap<(u32, KeyId), u32>,
}

impl Groups {
    pub const BYTES_A_GROUP: usize = 2 * size_of::<u32>() + size_of::<Links>();

    pub fn len(&self) -> usize {
        self.parent.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    pub fn parent(&self, group: GroupId) -> GroupId {
        GroupId(self.parent[group.0 as usize])
    }

    pub fn key(&self, group: GroupId) -> KeyId {
        KeyId(self.key[group.0 as usize] & !REPEATED)
    }

    /// Returns whether no group above has the same key, as is true for the root.
    pub fn is_outermost(&self, group: GroupId) -> bool {
        self.outermost_key(group).is_some()
    }

    /// Returns the group's key if no group above has the same one. Totals count only these groups.
    #[inline(always)]
    pub fn outermost_key(&self, group: GroupId) -> Option<KeyId> {
        let key = self.key[group.0 as usize];
        (key & REPEATED == 0).then_some(KeyId(key))
    }

    /// In an unspecified but deterministic order.
    pub fn children(&self, group: GroupId) -> impl Iterator<Item = GroupId> + '_ {
        let mut next = self.links[group.0 as usize].first_child;
        std::iter::from_fn(move || {
            let at = next;
            (at != 0).then(|| {
                next = self.links[at as usize].next_sibling;
                GroupId(at)
            })
        })
    }

    /// All but the root, parents before children.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = GroupId> + use<> {
        (1..self.len() as u32).map(GroupId)
    }

    /// Turns each group's own weight into its total, including everything below it.
    pub fn sum_up<T: Copy + Default + PartialEq + AddAssign>(&self, weights: &mut [T]) {
        for at in (1..self.len()).rev() {
            let weight = weights[at];
            if weight != T::default() {
                weights[self.parent[at] as usize] += weight;
            }
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.len() * Groups::BYTES_A_GROUP
    }
}

impl GroupsBuilder {
    /// Reserves capacity for the expected number of groups. Grows if there are more.
    pub fn new(root: KeyId, n_expected: usize) -> GroupsBuilder {
        let capacity = n_expected + BATCH;
        let groups = Groups {
            parent: Vec::with_capacity(capacity),
            key: Vec::with_capacity(capacity),
            links: Vec::with_capacity(capacity),
        };
        let mut builder = GroupsBuilder { groups, len: 0, more: FxHashMap::default() };
        builder.push(0, root);
        builder
    }

    /// Returns the group of `key` under `parent`, adding it if necessary.
    #[inline(always)]
    pub fn child(&mut self, parent: GroupId, key: KeyId) -> GroupId {
        let first = self.groups.links[parent.0 as usize].first_child;
        if first == 0 {
            let new = self.push(parent.0, key);
            self.groups.links[parent.0 as usize].first_child = new;
            return GroupId(new);
        }
        if self.groups.key[first as usize] == key.0 {
            return GroupId(first);
        }
        self.later_child(parent, key, first)
    }

    /// Like [`GroupsBuilder::child`], if the first child has a different key.
    fn later_child(&mut self, parent: GroupId, key: KeyId, first: u32) -> GroupId {
        let mut last = first as usize;
        for _ in 1..SEARCHED {
            let at = self.groups.links[last].next_sibling;
            if at == 0 {
                let new = self.push(parent.0, key);
                self.groups.links[last].next_sibling = new;
                return GroupId(new);
            }
            if self.groups.key[at as usize] == key.0 {
                return GroupId(at);
            }
            last = at as usize;
        }
        if let Some(&at) = self.more.get(&(parent.0, key)) {
            return GroupId(at);
        }
        let new = self.push(parent.0, key);
        self.more.insert((parent.0, key), new);
        let next = std::mem::replace(&mut self.groups.links[last].next_sibling, new);
        self.groups.links[new as usize].next_sibling = next;
        GroupId(new)
    }

    pub fn key(&self, group: GroupId) -> KeyId {
        KeyId(self.groups.key[group.0 as usize])
    }

    pub fn heap_bytes(&self) -> usize {
        self.groups.parent.capacity() * Groups::BYTES_A_GROUP
    }

    /// All keys must be less than `n_keys`.
    pub fn finish(mut self, n_keys: usize) -> Groups {
        self.groups.resize(self.len);
        self.groups.shrink_to_fit();
        self.groups.mark_repeated(n_keys);
        self.groups
    }

    #[inline(always)]
    fn push(&mut self, parent: u32, key: KeyId) -> u32 {
        let at = self.len;
        if at == self.groups.len() {
            self.groups.resize(at + BATCH);
        }
        self.groups.parent[at] = parent;
        self.groups.key[at] = key.0;
        self.len += 1;
        at as u32
    }
}

impl Groups {
    #[cold]
    fn resize(&mut self, n: usize) {
        self.parent.resize(n, 0);
        self.key.resize(n, 0);
        self.links.resize(n, Links::default());
    }

    fn shrink_to_fit(&mut self) {
        self.parent.shrink_to_fit();
        self.key.shrink_to_fit();
        self.links.shrink_to_fit();
    }

    /// Walks the tree depth first and counts how often each key occurs on the current path.
    fn mark_repeated(&mut self, n_keys: usize) {
        let mut times = vec![0u32; n_keys];
        let mut at = self.links.first().map_or(0, |root| root.first_child);
        while at != 0 {
            let here = at as usize;
            let times_here = &mut times[self.key[here] as usize];
            *times_here += 1;
            // Branchless, since the branch would be mispredicted about half the time.
            self.key[here] |= if *times_here > 1 { REPEATED } else { 0 };
            at = self.links[here].first_child;
            let mut from = here;
            // Leave groups until one has an unvisited sibling.
            while at == 0 && from != 0 {
                times[(self.key[from] & !REPEATED) as usize] -= 1;
                at = self.links[from].next_sibling;
                from = self.parent[from] as usize;
            }
        }
    }
}
