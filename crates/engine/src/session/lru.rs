//! A cache of the most recently used values.

/// Keeps up to `capacity` values and drops the least recently used one.
#[derive(Debug)]
pub struct Lru<K, V> {
    capacity: usize,
    /// Most recently used last.
    entries: Vec<(K, V)>,
}

impl<K: PartialEq, V> Lru<K, V> {
    pub fn new(capacity: usize) -> Lru<K, V> {
        Lru { capacity, entries: Vec::with_capacity(capacity) }
    }

    pub fn get(&mut self, key: &K) -> Option<&V> {
        let at = self.entries.iter().position(|(known, _)| known == key)?;
        let entry = self.entries.remove(at);
        self.entries.push(entry);
        self.entries.last().map(|(_, value)| value)
    }

    pub fn insert(&mut self, key: K, value: V) {
        self.entries.retain(|(known, _)| *known != key);
        if self.entries.len() == self.capacity {
            self.entries.remove(0);
        }
        self.entries.push((key, value));
    }

    /// Drops the least recently used value for which `may_go` is true. Returns whether there was one.
    pub fn drop_oldest(&mut self, may_go: impl Fn(&V) -> bool) -> bool {
        let at = self.entries.iter().position(|(_, value)| may_go(value));
        at.map(|at| self.entries.remove(at)).is_some()
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }

    pub fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.entries.iter()
    }

    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_is_dropped_first() {
        let mut recent = Lru::new(2);
        recent.insert("a", 1);
        recent.insert("b", 2);
        assert_eq!(recent.get(&"a"), Some(&1));
        recent.insert("c", 3);
        assert_eq!(["a", "b", "c"].map(|key| recent.get(&key).copied()), [Some(1), None, Some(3)]);
        recent.insert("a", 4);
        assert_eq!(recent.get(&"a"), Some(&4));
        assert_eq!(recent.iter().count(), 2);
    }
}
