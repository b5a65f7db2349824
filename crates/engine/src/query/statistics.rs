//! How far a figure can be trusted, and whether two figures differ significantly. Everything that is shown with a ± or
//! called changed comes from here.
//!
//! ± always means the same: the margin of a 95% interval, so the true figure is within it in 95 of 100 cases. Intervals of
//! few samples reach further up than down; the margin is the longer side.
//!
//! Each word is sampled with the trace's rate, so a count of samples has a Poisson distribution: `n` samples have a
//! standard error of √(n (1 − rate)). No samples don't mean no error: up to three may have been missed.

use serde::{Deserialize, Serialize};

/// Of the figures that a comparison calls changed, at most this share is due to chance.
pub const LEVEL: f64 = 0.05;

/// The probability on each side of a 95% interval.
pub const TAIL_95: f64 = 0.025;

/// Standard errors on each side of a figure, between which it lies in 95 of 100 cases.
pub const SIGMAS_95: f64 = 1.959_964;

/// The most that may be there where no sample was seen: chance misses three expected samples in 5 of 100 cases.
const UPPER_OF_NONE: f64 = 3.0;

/// Samples from which the exact sums over counts give way to the normal distribution.
const LARGE: f64 = 1e6;

/// Some samples, what they weigh together, and how they were drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub samples: f64,
    /// What one sample weighs, in the unit of the figure.
    pub weight: f64,
    /// The share of words that were sampled.
    pub rate: f64,
}

impl Estimate {
    pub fn value(self) -> f64 {
        self.samples * self.weight
    }

    /// The 95% interval.
    pub fn interval(self) -> (f64, f64) {
        let left = unsampled(self.rate);
        if left == 0.0 {
            return (self.value(), self.value());
        }
        // As many samples as would have the same relative error if few words were sampled.
        let (low, high) = poisson_interval(self.samples / left);
        (low * left * self.weight, high * left * self.weight)
    }
}

/// The margin of a 95% interval around a count of samples, as a share of the count. There is none without a sample.
pub fn relative_margin(samples: u64, rate: f64) -> Option<f64> {
    let left = unsampled(rate);
    if left == 0.0 {
        return (samples > 0).then_some(0.0);
    }
    // The upper side is the longer one.
    let samples = samples as f64 / left;
    (samples > 0.0).then(|| (poisson_upper(samples) - samples) / samples)
}

/// The margin of a 95% interval around the share that `part` samples are of `whole`. All of something is exact.
pub fn share_margin(part: f64, whole: f64, rate: f64) -> f64 {
    let left = unsampled(rate);
    if whole <= 0.0 || part >= whole || left == 0.0 {
        return 0.0;
    }
    let share = part / whole;
    let (low, high) = share_interval(share, whole / left);
    (share - low).max(high - share)
}

/// The 95% interval of a share of `n` objects (Wilson's).
pub fn share_interval(share: f64, n: f64) -> (f64, f64) {
    if n <= 0.0 {
        return (0.0, 1.0);
    }
    let z2 = SIGMAS_95 * SIGMAS_95;
    let center = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = SIGMAS_95 / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).max(0.0).sqrt();
    ((center - half).clamp(0.0, share), (center + half).clamp(share, 1.0))
}

/// The share of words that were not sampled: no error where it is 0.
fn unsampled(rate: f64) -> f64 {
    (1.0 - rate).clamp(0.0, 1.0)
}

/// How likely chance makes a difference as large as this, if the true figures are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    pub p: f64,
    /// The smallest `p` that so many samples, however they fall, could give.
    pub least_p: f64,
}

/// Whether two figures differ. Given how many samples both have together, those of the second are binomially
/// distributed if nothing has changed, whatever the true size is; so the test is exact for few samples, too.
pub fn difference(before: Estimate, after: Estimate) -> Difference {
    let Some((n_before, n_after, p)) = split(before, after, 1.0) else {
        let p = if before.value() == after.value() { 1.0 } else { 0.0 };
        return Difference { p, least_p: 0.0 };
    };
    let n = n_before + n_after;
    let tails = binomial_lower(n_after, n, p).min(binomial_upper(n_after, n, p));
    let least = (n * p.ln()).exp().min((n * (1.0 - p).ln()).exp());
    Difference { p: (2.0 * tails).min(1.0), least_p: (2.0 * least).min(1.0) }
}

/// How likely chance makes `after` as large as it is, if it is at most `factor` times `before` in truth.
pub fn exceeds(before: Estimate, after: Estimate, factor: f64) -> f64 {
    match split(before, after, factor) {
        None => f64::from(u8::from(after.value() <= factor * before.value())),
        Some((n_before, n_after, p)) => binomial_upper(n_after, n_before + n_after, p),
    }
}

/// The 95% interval of `after / before`, which inverts [`exceeds`]: a factor below the interval is significantly exceeded.
pub fn ratio_interval(before: Estimate, after: Estimate) -> (f64, f64) {
    let Some((n_before, n_after, share)) = split(before, after, 1.0) else {
        let ratio = after.value() / before.value();
        return (ratio, ratio);
    };
    let n = n_before + n_after;
    // With the factor f, the second side's share of the samples is f·odds / (1 + f·odds).
    let odds = share / (1.0 - share);
    let factor = |share: f64| share / (1.0 - share) / odds;
    let low = if n_after > 0.0 { bisect(0.0, 1.0, |share| binomial_upper(n_after, n, share) < TAIL_95) } else { 0.0 };
    let high = if n_before > 0.0 { bisect(0.0, 1.0, |share| binomial_lower(n_after, n, share) > TAIL_95) } else { 1.0 };
    (factor(low), factor(high))
}

/// How likely chance makes a change as large as `change`, if it is at most `limit` in truth. `low` is the lower end of the
/// change's 95% interval.
pub fn exceeds_amount(change: f64, low: f64, limit: f64) -> f64 {
    let standard_error = (change - low) / SIGMAS_95;
    if standard_error > 0.0 {
        normal_upper((change - limit) / standard_error)
    } else {
        f64::from(u8::from(change <= limit))
    }
}

/// Both counts, as if few words were sampled, and the share of the second that one expects if it is `factor` times the
/// first. None where there is no error, since all words were sampled.
fn split(before: Estimate, after: Estimate, factor: f64) -> Option<(f64, f64, f64)> {
    let (left_before, left_after) = (unsampled(before.rate), unsampled(after.rate));
    if left_before == 0.0 && left_after == 0.0 {
        return None;
    }
    // Where only one side is exact, that one is as if of very many samples.
    let left_of = |left: f64| left.max(1e-6);
    let counts = (before.samples / left_of(left_before), after.samples / left_of(left_after));
    let weights = (before.weight * left_of(left_before), after.weight * left_of(left_after));
    let (expected_before, expected_after) = (1.0 / weights.0, factor / weights.1);
    let p = expected_after / (expected_before + expected_after);
    let is_sound = p > 0.0 && p < 1.0;
    // Sums without any weight differ from nothing by nothing.
    Some(if is_sound { (counts.0.round(), counts.1.round(), p) } else { (0.0, 0.0, 0.5) })
}

/// The largest `p` that is significant, so that at most `level` of all significant tests are due to chance (Benjamini and
/// Hochberg); 0 if none is.
///
/// Only tests that could come out below `level` take part. The others can never be significant, so they can't be wrong. That
/// depends on the number of samples, not on how they fall.
pub fn largest_significant_p(tests: impl IntoIterator<Item = Difference>, level: f64) -> f64 {
    let mut ps: Vec<f64> = tests.into_iter().filter(|test| test.least_p <= level).map(|test| test.p).collect();
    ps.sort_unstable_by(f64::total_cmp);
    let n = ps.len() as f64;
    let counts = |(rank, p): &(usize, f64)| *p <= (*rank as f64 + 1.0) / n * level;
    ps.into_iter().enumerate().rev().find(counts).map_or(0.0, |(_, p)| p)
}

/// Between which true sizes a count lies in 95 of 100 cases (Garwood's exact interval). For none it is one-sided.
pub fn poisson_interval(count: f64) -> (f64, f64) {
    if count <= 0.0 {
        return (0.0, UPPER_OF_NONE);
    }
    // The approximation is within a thousandth from 100 on.
    let low = if count > 100.0 {
        wilson_hilferty(count, -SIGMAS_95)
    } else {
        let count = count.round().max(1.0);
        bisect(0.0, count, |mean| 1.0 - poisson_lower(count - 1.0, mean) < TAIL_95)
    };
    (low, poisson_upper(count))
}

/// The upper end of [`poisson_interval`]; the approximation is within two thousandths of it from 1 on.
fn poisson_upper(count: f64) -> f64 {
    wilson_hilferty(count + 1.0, SIGMAS_95)
}

/// The mean of a Poisson distribution that is this number of standard errors away from a count.
fn wilson_hilferty(count: f64, sigmas: f64) -> f64 {
    count * (1.0 - 1.0 / (9.0 * count) + sigmas / (3.0 * count.sqrt())).powi(3)
}

/// The end of the part of an interval, beginning at its start, in which something holds.
fn bisect(mut from: f64, mut to: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = (from + to) / 2.0;
        if holds(middle) {
            from = middle;
        } else {
            to = middle;
        }
    }
    from
}

/// How likely a count of Poisson's is `most` or less; for counts of some hundreds at most.
fn poisson_lower(most: f64, mean: f64) -> f64 {
    let (mut term, mut sum, mut k) = ((-mean).exp(), 0.0, 0.0);
    while k <= most {
        sum += term;
        k += 1.0;
        term *= mean / k;
    }
    sum
}

/// How likely `most` or fewer of `n` are hits.
fn binomial_lower(most: f64, n: f64, p: f64) -> f64 {
    binomial_upper(n - most, n, 1.0 - p)
}

/// How likely `least` or more of `n` are hits.
fn binomial_upper(least: f64, n: f64, p: f64) -> f64 {
    if least <= 0.0 {
        return 1.0;
    }
    let (mean, spread) = (n * p, (n * p * (1.0 - p)).sqrt());
    if n > LARGE {
        return normal_upper((least - 0.5 - mean) / spread);
    }
    if least <= mean {
        // The other tail is the short one, and adding up its terms loses nothing.
        return (1.0 - binomial_upper(n - least + 1.0, n, 1.0 - p)).max(0.0);
    }
    let mut term = (ln_choose(n, least) + least * p.ln() + (n - least) * (1.0 - p).ln()).exp();
    let (mut sum, mut k) = (0.0, least);
    // From beyond the mean on terms only fall.
    while k <= n && term > sum * 1e-12 {
        sum += term;
        term *= (n - k) / (k + 1.0) * p / (1.0 - p);
        k += 1.0;
    }
    sum.min(1.0)
}

fn ln_choose(n: f64, k: f64) -> f64 {
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

/// Stirling's series; exact to ten digits from 10 on, and by multiplication below.
fn ln_factorial(n: f64) -> f64 {
    if n < 10.0 {
        return (2..=n as u32).map(f64::from).product::<f64>().ln();
    }
    let inverse = 1.0 / n;
    let series = inverse * (1.0 / 12.0 - inverse * inverse * (1.0 / 360.0 - inverse * inverse / 1260.0));
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + series
}

/// How likely something of normal distribution is so many standard errors above its mean, or more. To 7 digits, and to a
/// few percent of itself far out (Abramowitz and Stegun 26.2.17).
fn normal_upper(sigmas: f64) -> f64 {
    if sigmas < 0.0 {
        return 1.0 - normal_upper(-sigmas);
    }
    const TERMS: [f64; 5] = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * sigmas);
    let sum = TERMS.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    (-sigmas * sigmas / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum
}

#[cfg(test)]
mod tests;
