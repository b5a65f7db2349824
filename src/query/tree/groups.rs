//! A tree of groups: each is all frames with the same key under the same parent.

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
    /// parent[i] < i (but for the root, its own parent), so one reverse pass sums subtrees.
    parent: Vec<u32>,
    key: Vec<KeyId>,
    /// 0: none, since the root is nobody's child.
    first_child: Vec<u32>,
    next_sibling: Vec<u32>,
    /// Whether no group above has the same key: what totals count.
    is_outermost: Vec<bool>,
}

/// Children that are searched one by one; those behind them are also in a table.
const SEARCHED: usize = 12;

/// Groups while they are found.
#[derive(Debug)]
pub struct GroupsBuilder {
    groups: Groups,
    more: FxHashMap<(u32, KeyId), u32>,
}

impl Groups {
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
        self.key[group.0 as usize]
    }

    /// Whether no group above has the same key. The root is.
    pub fn is_outermost(&self, group: GroupId) -> bool {
        self.is_outermost[group.0 as usize]
    }

    /// In no particular order, but always the same.
    pub fn children(&self, group: GroupId) -> impl Iterator<Item = GroupId> + '_ {
        let mut next = self.first_child[group.0 as usize];
        std::iter::from_fn(move || {
            let at = next;
            (at != 0).then(|| {
                next = self.next_sibling[at as usize];
                GroupId(at)
            })
        })
    }

    /// All but the root, parents before children.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = GroupId> + use<> {
        (1..self.len() as u32).map(GroupId)
    }

    /// Turns what each group has itself into what it has with all below it.
    pub fn sum_up(&self, weights: &mut [f64]) {
        for at in (1..self.len()).rev() {
            let weight = weights[at];
            if weight != 0.0 {
                weights[self.parent[at] as usize] += weight;
            }
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.len() * (4 * size_of::<u32>() + 1)
    }
}

impl GroupsBuilder {
    /// With room for so many groups, and for more where they come.
    pub fn new(root: KeyId, n_expected: usize) -> GroupsBuilder {
        let mut groups = Groups {
            parent: Vec::with_capacity(n_expected),
            key: Vec::with_capacity(n_expected),
            first_child: Vec::with_capacity(n_expected),
            next_sibling: Vec::with_capacity(n_expected),
            is_outermost: Vec::new(),
        };
        groups.push(0, root);
        GroupsBuilder { groups, more: FxHashMap::default() }
    }

    /// The group of `key` under `parent`.
    #[inline(always)]
    pub fn child(&mut self, parent: GroupId, key: KeyId) -> GroupId {
        let groups = &mut self.groups;
        let mut last = 0;
        let mut at = groups.first_child[parent.0 as usize];
        for _ in 0..SEARCHED {
            if at == 0 {
                let new = groups.push(parent.0, key);
                match last {
                    0 => groups.first_child[parent.0 as usize] = new,
                    last => groups.next_sibling[last as usize] = new,
                }
                return GroupId(new);
            }
            if groups.key[at as usize] == key {
                return GroupId(at);
            }
            last = at;
            at = groups.next_sibling[at as usize];
        }
        self.further_child(parent, key, last)
    }

    fn further_child(&mut self, parent: GroupId, key: KeyId, last_searched: u32) -> GroupId {
        let groups = &mut self.groups;
        let at = *self.more.entry((parent.0, key)).or_insert_with(|| {
            let new = groups.push(parent.0, key);
            let behind = &mut groups.next_sibling[last_searched as usize];
            let next = std::mem::replace(behind, new);
            groups.next_sibling[new as usize] = next;
            new
        });
        GroupId(at)
    }

    /// `n_keys` bounds the keys that were given.
    pub fn finish(mut self, n_keys: usize) -> Groups {
        self.groups.find_outermost(n_keys);
        self.groups
    }
}

impl Groups {
    fn push(&mut self, parent: u32, key: KeyId) -> u32 {
        let at = self.parent.len() as u32;
        self.parent.push(parent);
        self.key.push(key);
        self.first_child.push(0);
        self.next_sibling.push(0);
        at
    }

    /// Walks the tree depth first and counts how often each key stands on the way down.
    fn find_outermost(&mut self, n_keys: usize) {
        let mut times = vec![0u32; n_keys];
        self.is_outermost = vec![true; self.len()];
        let mut at = self.first_child.first().copied().unwrap_or(0);
        while at != 0 {
            let here = at as usize;
            let times_here = &mut times[self.key[here].0 as usize];
            *times_here += 1;
            self.is_outermost[here] = *times_here == 1;
            at = self.first_child[here];
            let mut from = here;
            // Leaves groups until one has a sibling that is still to be seen.
            while at == 0 && from != 0 {
                times[self.key[from].0 as usize] -= 1;
                at = self.next_sibling[from];
                from = self.parent[from] as usize;
            }
        }
    }
}
