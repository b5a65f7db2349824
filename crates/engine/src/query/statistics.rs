//! How far a figure can be trusted, and whether two figures differ significantly. Every ± and every "changed" comes
//! from here.
//!
//! ± always means the margin of a 95% interval: the true figure is within it in 95 of 100 cases. With few samples, an
//! interval reaches further up than down. The margin is the longer side.
//!
//! Each word is sampled at the trace's rate, so a count of samples has a Poisson distribution: `n` samples have a
//! standard error of √(n (1 − rate)). Zero samples don't mean zero error, since up to three may have been missed.

use serde::{Deserialize, Serialize};

/// At most this share of the figures that a comparison calls changed is due to chance.
pub const LEVEL: f64 = 0.05;

/// The probability on each side of a 95% interval.
pub const TAIL_95: f64 = 0.025;

/// Half the width of a 95% interval, in standard errors.
pub const SIGMAS_95: f64 = 1.959_964;

/// The upper bound if no sample was seen: three expected samples are all missed in 5 of 100 cases.
const UPPER_OF_NONE: f64 = 3.0;

/// Above this number of samples, the normal distribution replaces exact sums.
const LARGE: f64 = 1e6;

/// A number of samples, the weight of each, and the sampling rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub samples: f64,
    /// The weight of one sample, in the unit of the figure.
    pub weight: f64,
    /// The share of words that were sampled.
    pub rate: f64,
}

impl Estimate {
    pub fn value(self) -> f64 {
        self.samples * self.weight
    }

    /// Returns the 95% interval.
    pub fn interval(self) -> (f64, f64) {
        let left = unsampled(self.rate);
        if left == 0.0 {
            return (self.value(), self.value());
        }
        // The number of samples with the same relative error if few words were sampled.
        let (low, high) = poisson_interval(self.samples / left);
        (low * left * self.weight, high * left * self.weight)
    }
}

/// Returns the margin of a 95% interval around a count of samples, relative to the count. `None` without samples.
pub fn relative_margin(samples: u64, rate: f64) -> Option<f64> {
    let left = unsampled(rate);
    if left == 0.0 {
        return (samples > 0).then_some(0.0);
    }
    // The upper side is the longer one.
    let samples = samples as f64 / left;
    (samples > 0.0).then(|| (poisson_upper(samples) - samples) / samples)
}

/// Returns the margin of the 95% interval of the share `part / whole`, both counts of samples. A share of 1 is exact.
pub fn share_margin(part: f64, whole: f64, rate: f64) -> f64 {
    let left = unsampled(rate);
    if whole <= 0.0 || part >= whole || left == 0.0 {
        return 0.0;
    }
    let share = part / whole;
    let (low, high) = share_interval(share, whole / left);
    (share - low).max(high - share)
}

/// Returns the 95% interval of a share of `n` objects (Wilson's interval).
pub fn share_interval(share: f64, n: f64) -> (f64, f64) {
    if n <= 0.0 {
        return (0.0, 1.0);
    }
    let z2 = SIGMAS_95 * SIGMAS_95;
    let center = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = SIGMAS_95 / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).max(0.0).sqrt();
    ((center - half).clamp(0.0, share), (center + half).clamp(share, 1.0))
}

/// Returns the share of words that were not sampled. If it is 0, there is no error.
fn unsampled(rate: f64) -> f64 {
    (1.0 - rate).clamp(0.0, 1.0)
}

/// The result of a significance test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    pub p: f64,
    /// The smallest `p` that is possible with this number of samples.
    pub least_p: f64,
}

/// Tests whether two figures differ. Given the total number of samples, the second count has a binomial distribution if
/// nothing changed, whatever the true size. So the test is exact even for few samples.
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

/// Returns the probability of an `after` at least this large if its true value is at most `factor` times `before`.
pub fn exceeds(before: Estimate, after: Estimate, factor: f64) -> f64 {
    match split(before, after, factor) {
        None => f64::from(u8::from(after.value() <= factor * before.value())),
        Some((n_before, n_after, p)) => binomial_upper(n_after, n_before + n_after, p),
    }
}

/// Returns the 95% interval of `after / before`. It inverts [`exceeds`]: a factor below the interval is significantly
/// exceeded.
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

/// Returns the probability of a change at least this large if the true change is at most `limit`. `low` is the lower
/// end of the change's 95% interval.
pub fn exceeds_amount(change: f64, low: f64, limit: f64) -> f64 {
    let standard_error = (change - low) / SIGMAS_95;
    if standard_error > 0.0 {
        normal_upper((change - limit) / standard_error)
    } else {
        f64::from(u8::from(change <= limit))
    }
}

/// Returns both counts as if few words were sampled, and the expected share of the second if it is `factor` times the
/// first. `None` if all words were sampled, since there is no error.
fn split(before: Estimate, after: Estimate, factor: f64) -> Option<(f64, f64, f64)> {
    let (left_before, left_after) = (unsampled(before.rate), unsampled(after.rate));
    if left_before == 0.0 && left_after == 0.0 {
        return None;
    }
    // If only one side is exact, treat it as one with very many samples.
    let left_of = |left: f64| left.max(1e-6);
    let counts = (before.samples / left_of(left_before), after.samples / left_of(left_after));
    let weights = (before.weight * left_of(left_before), after.weight * left_of(left_after));
    let (expected_before, expected_after) = (1.0 / weights.0, factor / weights.1);
    let p = expected_after / (expected_before + expected_after);
    let is_sound = p > 0.0 && p < 1.0;
    // Figures without any weight don't differ.
    Some(if is_sound { (counts.0.round(), counts.1.round(), p) } else { (0.0, 0.0, 0.5) })
}

/// Returns the largest significant `p`, so that at most `level` of all significant tests are due to chance (Benjamini
/// and Hochberg). Returns 0 if no test is significant.
///
/// Only tests that could come out below `level` take part. The others can never be significant, so they can't be false
/// positives. This depends on the number of samples, not on the side they are on.
pub fn largest_significant_p(tests: impl IntoIterator<Item = Difference>, level: f64) -> f64 {
    let mut ps: Vec<f64> = tests.into_iter().filter(|test| test.least_p <= level).map(|test| test.p).collect();
    ps.sort_unstable_by(f64::total_cmp);
    let n = ps.len() as f64;
    let counts = |(rank, p): &(usize, f64)| *p <= (*rank as f64 + 1.0) / n * level;
    ps.into_iter().enumerate().rev().find(counts).map_or(0.0, |(_, p)| p)
}

/// Returns the 95% interval of the true mean, given a count (Garwood's exact interval). For a count of 0, it is
/// one-sided.
pub fn poisson_interval(count: f64) -> (f64, f64) {
    if count <= 0.0 {
        return (0.0, UPPER_OF_NONE);
    }
    // Above 100, the approximation is within 0.1%.
    let low = if count > 100.0 {
        wilson_hilferty(count, -SIGMAS_95)
    } else {
        let count = count.round().max(1.0);
        bisect(0.0, count, |mean| 1.0 - poisson_lower(count - 1.0, mean) < TAIL_95)
    };
    (low, poisson_upper(count))
}

/// Returns the upper end of [`poisson_interval`]. For counts of 1 and more, the approximation is within 0.2%.
fn poisson_upper(count: f64) -> f64 {
    wilson_hilferty(count + 1.0, SIGMAS_95)
}

/// Returns the Poisson mean that is this number of standard errors away from a count.
fn wilson_hilferty(count: f64, sigmas: f64) -> f64 {
    count * (1.0 - 1.0 / (9.0 * count) + sigmas / (3.0 * count.sqrt())).powi(3)
}

/// Finds the point in an interval up to which `holds` is true.
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

/// Returns the probability that a Poisson count is at most `most`. For counts up to a few hundred.
fn poisson_lower(most: f64, mean: f64) -> f64 {
    let (mut term, mut sum, mut k) = ((-mean).exp(), 0.0, 0.0);
    while k <= most {
        sum += term;
        k += 1.0;
        term *= mean / k;
    }
    sum
}

/// Returns the probability that at most `most` of `n` are hits.
fn binomial_lower(most: f64, n: f64, p: f64) -> f64 {
    binomial_upper(n - most, n, 1.0 - p)
}

/// Returns the probability that at least `least` of `n` are hits.
fn binomial_upper(least: f64, n: f64, p: f64) -> f64 {
    if least <= 0.0 {
        return 1.0;
    }
    let (mean, spread) = (n * p, (n * p * (1.0 - p)).sqrt());
    if n > LARGE {
        return normal_upper((least - 0.5 - mean) / spread);
    }
    if least <= mean {
        // The other tail is shorter, and adding up its terms loses no precision.
        return (1.0 - binomial_upper(n - least + 1.0, n, 1.0 - p)).max(0.0);
    }
    let mut term = (ln_choose(n, least) + least * p.ln() + (n - least) * (1.0 - p).ln()).exp();
    let (mut sum, mut k) = (0.0, least);
    // Beyond the mean, terms only decrease.
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

/// Stirling's series, exact to ten digits from 10 on. Smaller factorials are multiplied out.
fn ln_factorial(n: f64) -> f64 {
    if n < 10.0 {
        return (2..=n as u32).map(f64::from).product::<f64>().ln();
    }
    let inverse = 1.0 / n;
    let series = inverse * (1.0 / 12.0 - inverse * inverse * (1.0 / 360.0 - inverse * inverse / 1260.0));
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + series
}

/// Returns the probability that a normally distributed value is at least this many standard errors above its mean.
/// Exact to 7 digits, and to a few percent of the result far from the mean (Abramowitz and Stegun 26.2.17).
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
