//! The few numbers that a site's curve comes down to, in samples and steps. They know neither names nor times, so the
//! rules can be tried on drawn curves.

use super::LeaksConfig;
use super::curves::{Curve, STEPS};

/// Where a late beginning may lie: quarters of what follows then have halves.
const GRID: usize = 8;

/// How much of what is kept may have been there before it began.
const BEFORE: f64 = 0.05;

/// Quarters are those of the time since it began: of the whole trace, but for what began late. *Kept* means lasting and never collected.
#[derive(Clone, Debug, PartialEq)]
pub struct Signs {
    /// The step at which it began; 0 unless that was late.
    pub from: usize,
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
    /// `usual_age` stands in where too few of the site's own objects have died. It may have begun at `latest` at the latest.
    pub fn new(curve: &Curve, usual_age: usize, latest: usize, config: &LeaksConfig) -> Signs {
        let from = late_start(curve, latest);
        let quarter = (STEPS - from) / 4;
        let first = from + quarter;
        let old_age = old_age(&curve.died_after, config).unwrap_or(usual_age);
        let highest = curve.live.iter().max().copied().unwrap_or(0);
        let mut sorted = curve.live.clone();
        sorted.sort_unstable();
        let floor = |quarters: usize| {
            let until = from + quarters * quarter;
            curve.lasting[until - quarter / 2..until].iter().min().copied().unwrap_or(0) as i64
        };
        let old_until = STEPS.saturating_sub(old_age).max(first);
        Signs {
            from,
            samples: curve.allocated.iter().sum(),
            highest,
            kept: curve.kept.iter().sum(),
            base: curve.lasting[first - 1],
            base_kept: curve.kept[..first].iter().sum(),
            rises: [floor(2) - floor(1), floor(3) - floor(2), floor(4) - floor(3)],
            old_age,
            kept_old: curve.kept[first..old_until].iter().sum(),
            kept_early: curve.kept[..(STEPS as f64 * config.early.clamp(0.0, 1.0)) as usize].iter().sum(),
            busy_steps: busy_steps(&curve.allocated, config.mostly),
            high_steps: curve.live.iter().filter(|&&live| 2 * live > highest).count(),
            median_live: sorted[STEPS / 2],
            late: curve.allocated[STEPS - quarter..].iter().sum(),
            late_kept: curve.kept[STEPS - quarter..].iter().sum(),
        }
    }

    /// Since the first quarter; at the end, lasting objects are those that were kept.
    pub fn growth(&self) -> f64 {
        self.kept as f64 - self.base as f64
    }

    /// The number of steps.
    pub fn growth_steps(&self) -> usize {
        STEPS - self.first_steps()
    }

    /// Steps up to the end of the first quarter.
    pub fn first_steps(&self) -> usize {
        self.from + (STEPS - self.from) / 4
    }

    /// What came and stayed, and what was there and went: no object is in both, so both are counts of Poisson, and
    /// their variances add up. What was there and stayed has no part in it, however much it is.
    pub fn growth_error(&self) -> f64 {
        (self.n_changed() as f64).sqrt()
    }

    /// What came since the first quarter and stayed, and what was there and went.
    pub fn n_changed(&self) -> u64 {
        // Where clocks were set back, more may be kept than ever was there.
        self.kept - self.base_kept + self.base.saturating_sub(self.base_kept)
    }

    /// How much of the growth would be old, were it steady.
    pub fn expected_old(&self) -> f64 {
        let steps_old = self.growth_steps().saturating_sub(self.old_age);
        self.growth() * steps_old as f64 / self.growth_steps() as f64
    }
}

/// The step at which something began that was not there before, up to `latest`; 0 where it was there from the start on.
fn late_start(curve: &Curve, latest: usize) -> usize {
    let kept: u64 = curve.kept.iter().sum();
    let is_before = |step: usize| {
        let there = curve.lasting[..step].iter().max().copied().unwrap_or(0);
        there as f64 <= BEFORE * kept as f64
    };
    // What began within the first eighth is no later than the first quarter, which is left out anyway.
    (2 * GRID..=latest).step_by(GRID).take_while(|&step| is_before(step)).last().unwrap_or(0)
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
