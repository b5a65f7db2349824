//! The few numbers that a site's curve comes down to, in samples and steps. They know neither names nor times, so the
//! rules can be tried on drawn curves.

use super::LeaksConfig;
use super::curves::{Curve, STEPS};

const QUARTER: usize = STEPS / 4;

/// *Kept* means lasting and never collected.
#[derive(Clone, Debug, PartialEq)]
pub struct Signs {
    pub samples: u64,
    /// Of the live curve, at the ends of steps.
    pub highest: u64,
    pub kept: u64,
    /// Lasting objects behind the first quarter, and how many of them are kept.
    pub base: u64,
    pub base_kept: u64,
    /// By how much the floor of the lasting objects rose in the second, third and fourth quarter. The floor is the
    /// lowest of a quarter's second half: what waits for the collector stands above it.
    pub rises: [i64; 3],
    /// The age in steps from which a survivor is old.
    pub old_age: usize,
    /// Kept since the first quarter, and old.
    pub kept_old: u64,
    /// Kept, and allocated early.
    pub kept_early: u64,
    /// How many of the busiest steps it takes to allocate nearly all.
    pub busy_steps: usize,
    /// Steps above half of `highest`; and what was live for half of the time.
    pub high_steps: usize,
    pub median_live: u64,
    /// Of the last quarter: allocated, and kept of that.
    pub late: u64,
    pub late_kept: u64,
}

impl Signs {
    /// `usual_age` stands in where too few of the site's own objects have died.
    pub fn new(curve: &Curve, usual_age: usize, config: &LeaksConfig) -> Signs {
        let old_age = old_age(&curve.died_after, config).unwrap_or(usual_age);
        let highest = curve.live.iter().max().copied().unwrap_or(0);
        let mut sorted = curve.live.clone();
        sorted.sort_unstable();
        let floor = |quarters: usize| {
            let until = quarters * QUARTER;
            curve.lasting[until - QUARTER / 2..until].iter().min().copied().unwrap_or(0) as i64
        };
        let old_until = STEPS.saturating_sub(old_age).max(QUARTER);
        Signs {
            samples: curve.allocated.iter().sum(),
            highest,
            kept: curve.kept.iter().sum(),
            base: curve.lasting[QUARTER - 1],
            base_kept: curve.kept[..QUARTER].iter().sum(),
            rises: [floor(2) - floor(1), floor(3) - floor(2), floor(4) - floor(3)],
            old_age,
            kept_old: curve.kept[QUARTER..old_until].iter().sum(),
            kept_early: curve.kept[..(STEPS as f64 * config.early.clamp(0.0, 1.0)) as usize].iter().sum(),
            busy_steps: busy_steps(&curve.allocated, config.mostly),
            high_steps: curve.live.iter().filter(|&&live| 2 * live > highest).count(),
            median_live: sorted[STEPS / 2],
            late: curve.allocated[STEPS - QUARTER..].iter().sum(),
            late_kept: curve.kept[STEPS - QUARTER..].iter().sum(),
        }
    }

    /// Since the first quarter; at the end, lasting objects are those that were kept.
    pub fn growth(&self) -> f64 {
        self.kept as f64 - self.base as f64
    }

    /// The number of steps.
    pub fn growth_steps(&self) -> usize {
        STEPS - QUARTER
    }

    /// What came and stayed, and what was there and went: no object is in both, so both are counts of Poisson, and
    /// their variances add up. What was there and stayed has no part in it, however much it is.
    pub fn growth_error(&self) -> f64 {
        let (came, went) = (self.kept - self.base_kept, self.base - self.base_kept);
        ((came + went) as f64).sqrt()
    }

    /// How much of the growth would be old, were it steady.
    pub fn expected_old(&self) -> f64 {
        let steps_old = self.growth_steps().saturating_sub(self.old_age);
        self.growth() * steps_old as f64 / self.growth_steps() as f64
    }
}

/// The age in steps that nearly all of those that died did not reach; none where too few have died to say.
pub fn old_age(died_after: &[u64], config: &LeaksConfig) -> Option<usize> {
    let n: u64 = died_after.iter().sum();
    let mut sum = 0;
    let usual = died_after.iter().position(|&died| {
        sum += died;
        sum as f64 >= config.usual_death * n as f64
    });
    usual.filter(|_| n >= config.min_kept).map(|steps| steps + 1)
}

fn busy_steps(allocated: &[u64], share: f64) -> usize {
    let mut sorted = allocated.to_vec();
    sorted.sort_unstable();
    sorted.reverse();
    let enough = share * sorted.iter().sum::<u64>() as f64;
    let mut sum = 0;
    let is_needed = |n: &&u64| {
        let is_needed = (sum as f64) < enough;
        sum += **n;
        is_needed
    };
    sorted.iter().take_while(is_needed).count()
}
