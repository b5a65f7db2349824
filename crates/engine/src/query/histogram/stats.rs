//! Statistics that are exact over the samples, in two passes and little memory. The first pass counts values in fine
//! buckets, which narrow down each quantile. The second, which the variance needs anyway, sorts the values in those few
//! buckets.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// The sum of the weights: samples, bytes or blocks.
    pub count: f64,
    pub mean: f64,
    /// Of the weighted values themselves, not an estimate for a larger population.
    pub variance: f64,
    pub sd: f64,
    /// The lowest value with at least half of the weight at or below it.
    pub median: u64,
    pub p90: u64,
    pub p99: u64,
    pub max: u64,
    /// The share of the weight in blocks above 256 words, in percent.
    pub large_percent: f64,
}

const QUANTILES: [f64; 3] = [0.5, 0.9, 0.99];

/// Values below this have a bucket each. Above it, each power of two has half as many buckets.
const SINGLE: u64 = 1 << SINGLE_BITS;
const SINGLE_BITS: u32 = 11;
const N_BUCKETS: usize = (1 << SINGLE_BITS) + (64 - SINGLE_BITS as usize) * (1 << (SINGLE_BITS - 1));

#[derive(Debug)]
pub struct FirstPass {
    buckets: Vec<f64>,
    weight: f64,
    weighted: f64,
    large: f64,
    max: u64,
}

#[derive(Debug)]
pub struct SecondPass {
    first: FirstPass,
    mean: f64,
    squares: f64,
    /// The buckets of the quantiles that cover more than one value, and the values in them.
    within: Vec<(usize, Vec<(u64, f64)>)>,
}

impl Default for FirstPass {
    fn default() -> FirstPass {
        FirstPass { buckets: vec![0.0; N_BUCKETS], weight: 0.0, weighted: 0.0, large: 0.0, max: 0 }
    }
}

impl FirstPass {
    #[inline(always)]
    pub fn add(&mut self, value: u64, weight: f64, is_large: bool) {
        self.buckets[bucket(value)] += weight;
        self.weight += weight;
        self.weighted += weight * value as f64;
        self.large += if is_large { weight } else { 0.0 };
        self.max = self.max.max(value);
    }

    pub fn max(&self) -> u64 {
        self.max
    }

    pub fn finish(self) -> SecondPass {
        let mean = if self.weight > 0.0 { self.weighted / self.weight } else { 0.0 };
        let wide = QUANTILES.iter().filter_map(|&share| self.find(share)).map(|(bucket, _)| bucket);
        let mut within: Vec<_> = wide.filter(|&bucket| bucket as u64 >= SINGLE).map(|at| (at, Vec::new())).collect();
        within.dedup_by_key(|bucket| bucket.0);
        SecondPass { first: self, mean, squares: 0.0, within }
    }

    /// Returns the bucket of a quantile, and the weight before it.
    fn find(&self, share: f64) -> Option<(usize, f64)> {
        let enough = share * self.weight;
        let mut sum = 0.0;
        let mut last = None;
        for (bucket, &weight) in self.buckets.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            last = Some((bucket, sum));
            sum += weight;
            if sum >= enough {
                break;
            }
        }
        // The last bucket if rounding leaves the sum slightly below the total.
        last
    }
}

impl SecondPass {
    #[inline(always)]
    pub fn add(&mut self, value: u64, weight: f64) {
        let off = value as f64 - self.mean;
        self.squares += weight * off * off;
        if value >= SINGLE && weight > 0.0 {
            self.collect(value, weight);
        }
    }

    #[inline(always)]
    fn collect(&mut self, value: u64, weight: f64) {
        let bucket = bucket(value);
        if let Some((_, values)) = self.within.iter_mut().find(|(at, _)| *at == bucket) {
            values.push((value, weight));
        }
    }

    /// `scale` converts raw weights to the unit of the count.
    pub fn finish(mut self, scale: f64) -> Stats {
        self.within.iter_mut().for_each(|(_, values)| values.sort_unstable_by_key(|value| value.0));
        let FirstPass { weight, large, max, .. } = self.first;
        let of_weight = |sum: f64| if weight > 0.0 { sum / weight } else { 0.0 };
        let [median, p90, p99] = QUANTILES.map(|share| self.quantile(share));
        Stats {
            count: weight * scale,
            mean: self.mean,
            variance: of_weight(self.squares),
            sd: of_weight(self.squares).sqrt(),
            median,
            p90,
            p99,
            max,
            large_percent: 100.0 * of_weight(large),
        }
    }

    fn quantile(&self, share: f64) -> u64 {
        let Some((bucket, mut sum)) = self.first.find(share) else {
            return 0;
        };
        let Some((_, values)) = self.within.iter().find(|(at, _)| *at == bucket) else {
            return bucket as u64;
        };
        let enough = share * self.first.weight;
        let reached = values.iter().find(|(_, weight)| {
            sum += weight;
            sum >= enough
        });
        reached.or(values.last()).map_or(0, |value| value.0)
    }
}

/// Returns the bucket of a value. Larger values never have lower buckets.
#[inline(always)]
fn bucket(value: u64) -> usize {
    if value < SINGLE {
        return value as usize;
    }
    let log = 63 - value.leading_zeros();
    let half = SINGLE / 2;
    let within = (value >> (log - (SINGLE_BITS - 1))) - half;
    (SINGLE + u64::from(log - SINGLE_BITS) * half + within) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_ascend_with_the_values_up_to_the_largest() {
        let mut values: Vec<u64> =
            (0..64).flat_map(|log| [1u64 << log, (1 << log) + 1, (1u64 << log) + (1 << log) / 3]).collect();
        values.extend([u64::MAX, 0]);
        values.sort_unstable();
        assert!(values.is_sorted_by_key(|&value| bucket(value)));
        assert_eq!(bucket(u64::MAX), N_BUCKETS - 1);
        assert_eq!((bucket(SINGLE - 1), bucket(SINGLE)), (SINGLE as usize - 1, SINGLE as usize));
    }
}
