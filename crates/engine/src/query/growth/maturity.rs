//! How old an object must be before "never freed" means anything.
//!
//! Most objects alive at the end of a trace are simply in use and will be freed later. How many to expect at a given
//! age follows from the objects that were freed. One that lived for `l` was alive and older than `a` for `l − a`. In a
//! trace of duration `T`, it is only seen to be freed if it was allocated in the first `T − l`. So at any time,
//! including the end, the number of objects that are alive, older than `a` and still in use is the sum of
//! `(l − a) / (T − l)` over freed objects. An age is old enough once this is a small part of all objects that are alive
//! and older.
//!
//! This is an average. Collections free many objects at once, so a trace may end right before one. Therefore nearly all
//! lifetimes must also be shorter than an age that is old enough.

const BINS_PER_OCTAVE: usize = 8;
/// Ages from 1/4096 of the trace on are distinguished.
const OCTAVES: usize = 12;
/// Each bin of ages is 9% wider than the one before. The first holds everything younger.
pub const AGES: usize = BINS_PER_OCTAVE * OCTAVES + 1;

/// How many of the objects that are alive and old enough may still be in use, in standard errors of their number.
const MAX_IN_USE: f64 = 0.2;
/// The same limit as a number of objects, if few are alive. Growth takes ten times as many.
const FEW_IN_USE: f64 = 0.5;
/// The maximum share of lifetimes that are longer than an age that is old enough.
const MAX_LONGER: f64 = 0.005;
/// This many of the longest lifetimes don't count. An object or two that outlive all others, such as a table that is
/// rebuilt once, don't make everything else too young.
const STRAYS: f64 = 2.0;
/// The maximum weight of an object. Lifetimes nearly as long as the trace are seen too rarely to count for more.
const MAX_WEIGHT: f64 = 4.0;

/// The number of objects, by age.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lives {
    /// By the age at which they were freed.
    pub freed: [u64; AGES],
    /// Never freed, by age at the end.
    pub alive: [u64; AGES],
}

impl Lives {
    pub const NONE: Lives = Lives { freed: [0; AGES], alive: [0; AGES] };

    pub fn add(&mut self, other: &Lives) {
        self.freed.iter_mut().zip(&other.freed).for_each(|(sum, n)| *sum += n);
        self.alive.iter_mut().zip(&other.alive).for_each(|(sum, n)| *sum += n);
    }

    pub fn n_freed(&self) -> u64 {
        self.freed.iter().sum()
    }

    /// Removes the `n` oldest objects that were never freed.
    pub fn remove_oldest_alive(&mut self, mut n: u64) {
        for alive in self.alive.iter_mut().rev() {
            let removed = n.min(*alive);
            *alive -= removed;
            n -= removed;
        }
    }

    /// Returns the youngest age that is old enough, as a bin, or [`AGES`] if there is none.
    pub fn old_enough(&self) -> usize {
        let freed = self.freed_without_strays();
        let in_use = in_use_by_age(&freed);
        let mut n_alive = self.alive.iter().sum::<u64>() as f64;
        let mut n_longer = freed.iter().sum::<f64>();
        let few = MAX_LONGER * n_longer;
        for age in 0..AGES {
            if n_longer <= few && in_use[age] <= (MAX_IN_USE * n_alive.sqrt()).max(FEW_IN_USE) {
                return age;
            }
            n_alive -= self.alive[age] as f64;
            n_longer -= freed[age];
        }
        AGES
    }

    /// Returns the longest lifetime of the freed objects, as a bin.
    pub fn longest(&self) -> usize {
        self.freed.iter().rposition(|&n| n > 0).map_or(0, |bin| bin + 1)
    }

    /// Returns the maximum number of objects of that age or older that may be in use at the end, including strays: the
    /// expected number plus two standard errors.
    pub fn most_in_use(&self, age: usize) -> f64 {
        let youngest = share_of_trace(age);
        let of_bin = |bin: usize| {
            let life = share_of_trace(bin + 1);
            (self.freed[bin] as f64, weight(life) * (life - youngest))
        };
        let (mean, variance) = (age..AGES)
            .map(of_bin)
            .fold((0.0, 0.0), |(mean, variance), (n, in_use)| (mean + n * in_use, variance + n * in_use * in_use));
        mean + 2.0 * variance.sqrt()
    }

    fn freed_without_strays(&self) -> [f64; AGES] {
        let mut freed = self.freed.map(|n| n as f64);
        let mut n_strays = STRAYS;
        for n in freed.iter_mut().rev() {
            let removed = n_strays.min(*n);
            *n -= removed;
            n_strays -= removed;
        }
        freed
    }
}

/// Returns by age how many objects of that age or older are in use at any time, given how many were freed at each age.
fn in_use_by_age(freed: &[f64; AGES]) -> [f64; AGES] {
    let mut in_use = [0.0; AGES];
    // For the objects freed at this age or later: the sum of weights, and of weights times lifetimes.
    let (mut weights, mut lives) = (0.0, 0.0);
    for age in (0..AGES).rev() {
        let life = share_of_trace(age + 1);
        let weight = freed[age] * weight(life);
        weights += weight;
        lives += weight * life;
        in_use[age] = lives - weights * share_of_trace(age);
    }
    in_use
}

/// Returns how many objects are represented by one that lived for this share of the trace. The others were allocated
/// too late to be freed.
fn weight(life: f64) -> f64 {
    (1.0 / (1.0 - life)).min(MAX_WEIGHT)
}

/// Returns the bin of an age, given the duration of the trace.
#[inline(always)]
pub fn age_bin(age_us: u64, trace_us: u64) -> usize {
    let octaves = (age_us as f64 / trace_us.max(1) as f64).log2() + OCTAVES as f64;
    // An age of 0 is minus infinity here, and ends up in the first bin.
    ((octaves * BINS_PER_OCTAVE as f64 + 1.0).max(0.0) as usize).min(AGES - 1)
}

/// Returns the youngest age of a bin. For [`AGES`], this is the trace's duration.
pub fn age_us(bin: usize, trace_us: u64) -> u64 {
    (trace_us as f64 * share_of_trace(bin)).ceil() as u64
}

/// Returns the youngest age of a bin, as a share of the trace's duration.
fn share_of_trace(bin: usize) -> f64 {
    if bin == 0 { 0.0 } else { ((bin as f64 - 1.0) / BINS_PER_OCTAVE as f64 - OCTAVES as f64).exp2() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE_US: u64 = 60_000_000;

    fn lives(freed_at_s: &[f64], alive_of_s: &[f64]) -> Lives {
        let mut lives = Lives::NONE;
        let bin = |seconds: f64| age_bin((seconds * 1e6) as u64, TRACE_US);
        freed_at_s.iter().for_each(|&age| lives.freed[bin(age)] += 1);
        alive_of_s.iter().for_each(|&age| lives.alive[bin(age)] += 1);
        lives
    }

    fn old_enough_s(lives: &Lives) -> f64 {
        age_us(lives.old_enough(), TRACE_US) as f64 / 1e6
    }

    #[test]
    fn ages_are_in_the_bin_that_starts_at_or_before_them() {
        for us in [0, 1, 999, 14_648, 14_649, 1_000_000, 30_000_000, 59_999_999, 60_000_000] {
            let bin = age_bin(us, TRACE_US);
            let next = age_us(bin + 1, TRACE_US);
            assert!(age_us(bin, TRACE_US) <= us && (us < next || bin == AGES - 1), "{us}: bin {bin}");
        }
        assert_eq!(age_bin(u64::MAX, TRACE_US), AGES - 1, "clocks may be set back");
        assert_eq!(age_bin(5, 0), AGES - 1);
    }

    #[test]
    fn objects_in_use_are_estimated_from_the_lifetimes_of_freed_ones() {
        // 40 per second for 60 s, each living for 20 s: 800 are alive at any time, 400 of them older than 10 s.
        let freed = lives(&[19.9; 1600], &[]).freed.map(|n| n as f64);
        let in_use = in_use_by_age(&freed);
        let at = |seconds: f64| in_use[age_bin((seconds * 1e6) as u64, TRACE_US)];
        assert!((at(0.0) - 800.0).abs() < 80.0, "{}", at(0.0));
        assert!((at(10.0) - 400.0).abs() < 80.0, "{}", at(10.0));
        assert_eq!(at(25.0), 0.0);
    }

    #[test]
    fn an_age_is_old_enough_once_most_objects_of_that_age_are_never_freed() {
        let young: Vec<f64> = (0..500).map(|n| 1.0 + f64::from(n) / 500.0).collect();
        let leaked: Vec<f64> = (0..50).map(|n| f64::from(n) * 1.2).collect();
        let age = old_enough_s(&lives(&young, &leaked));
        assert!((1.0..2.4).contains(&age), "{age}");
    }

    #[test]
    fn objects_freed_late_count_even_after_a_long_gap() {
        let mut freed = vec![1.0; 300];
        freed.extend([40.0; 10]);
        let alive: Vec<f64> = (0..20).map(|n| f64::from(2 * n)).collect();
        let age = old_enough_s(&lives(&freed, &alive));
        assert!(age > 38.0, "{age}");
    }

    #[test]
    fn a_single_object_that_outlives_all_others_is_ignored() {
        let freed: Vec<f64> = (0..500).map(|_| 1.0).chain([50.0]).collect();
        let age = old_enough_s(&lives(&freed, &[]));
        assert!(age < 2.0, "{age}");
    }

    #[test]
    fn if_nothing_is_freed_every_age_is_old_enough() {
        assert_eq!(lives(&[], &[1.0, 2.0, 3.0, 50.0]).old_enough(), 0);
        assert_eq!(Lives::NONE.old_enough(), 0);
    }
}
