//! A representative choice from any number of items.

/// Keeps at most `capacity` items, each in proportion to its weight. It steps through the weights in order and doubles
/// the step whenever there are too many items. Nothing is random: the same items give the same sample.
#[derive(Debug)]
pub struct WeightedSample<T> {
    capacity: usize,
    /// The weight of one unit of the kept items.
    every: u64,
    /// The weight added since the last full unit.
    left: u64,
    kept: Vec<(T, u64)>,
}

impl<T> WeightedSample<T> {
    pub fn new(capacity: usize) -> WeightedSample<T> {
        WeightedSample { capacity: capacity.max(1), every: 1, left: 0, kept: Vec::new() }
    }

    pub fn add(&mut self, thing: T, weight: u64) {
        self.left = self.left.saturating_add(weight);
        let units = self.left / self.every;
        self.left %= self.every;
        if units == 0 {
            return;
        }
        self.kept.push((thing, units));
        while self.kept.len() > self.capacity {
            self.halve();
        }
    }

    fn halve(&mut self) {
        let mut over = 0;
        self.kept.retain_mut(|(_, units)| {
            over = units.saturating_add(over);
            *units = over / 2;
            over %= 2;
            *units > 0
        });
        self.left = self.left.saturating_add(over.saturating_mul(self.every));
        self.every = self.every.saturating_mul(2);
    }

    /// Returns the kept items with the weight that each represents.
    pub fn iter(&self) -> impl Iterator<Item = (&T, u64)> {
        self.kept.iter().map(|(thing, units)| (thing, units.saturating_mul(self.every)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_items_are_all_kept_with_their_weights() {
        let mut sample = WeightedSample::new(3);
        for thing in [("a", 5), ("b", 1), ("c", 2)] {
            sample.add(thing.0, thing.1);
        }
        assert_eq!(sample.iter().collect::<Vec<_>>(), [(&"a", 5), (&"b", 1), (&"c", 2)]);
    }

    #[test]
    fn many_items_keep_their_shares() {
        let mut sample = WeightedSample::new(100);
        // One in ten is heavy: it weighs as much as the other nine together.
        for i in 0..100_000_u64 {
            sample.add(i % 10 == 0, if i % 10 == 0 { 9 } else { 1 });
        }
        let all: u64 = sample.iter().map(|(_, weight)| weight).sum();
        let heavy: u64 = sample.iter().filter(|(is_heavy, _)| **is_heavy).map(|(_, weight)| weight).sum();
        assert!(sample.iter().count() <= 100);
        assert!(all <= 180_000 && all > 175_000, "{all}");
        assert!((heavy as f64 / all as f64 - 0.5).abs() < 0.1, "{heavy} of {all}");
    }
}
