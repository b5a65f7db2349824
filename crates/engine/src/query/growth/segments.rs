//! Finds when a rate changes: splits a series of Poisson counts into the most likely segments of constant rate.

/// The log likelihood that each additional segment must gain. With it, fewer than one in twenty series of constant rate
/// are split.
const PENALTY: f64 = 5.5;
/// The minimum number of steps of a segment, so that a burst doesn't count as a change. The first segment may be
/// shorter, because startup may be.
const MIN_STEPS: usize = 8;
/// The log likelihood that a change may lose and still be within its 95% interval. For smooth problems it would be 1.9,
/// but simulations show that change points need more.
const INTERVAL_DROP: f64 = 4.0;

/// Returns where segments start. The first one starts at 0. Empty without counts.
pub fn segment_starts(counts: &[f64]) -> Vec<usize> {
    let mut before = vec![0.0];
    before.extend(counts.iter().scan(0.0, |sum, count| {
        *sum += count;
        Some(*sum)
    }));
    // By step: the best score of all segments up to it, and where the last of them starts.
    let mut best = vec![(0.0, 0)];
    for to in 1..=counts.len() {
        let is_allowed = |from: &usize| *from == 0 || to - from >= MIN_STEPS;
        let score = |from: usize| best[from].0 + log_likelihood(before[to] - before[from], to - from) - PENALTY;
        let scores = (0..to).filter(is_allowed).map(|from| (score(from), from));
        best.push(scores.max_by(|one, two| one.0.total_cmp(&two.0)).unwrap_or((0.0, 0)));
    }
    let mut starts = Vec::new();
    let mut to = counts.len();
    while to > 0 {
        to = best[to].1;
        starts.push(to);
    }
    starts.reverse();
    starts
}

/// Returns the 95% interval of a change, in steps, given the two segments that it separates: `from..change` and
/// `change..to`.
pub fn change_interval(counts: &[f64], from: usize, change: usize, to: usize) -> (usize, usize) {
    let count = |from: usize, to: usize| counts[from..to].iter().sum::<f64>();
    let score = |at: usize| log_likelihood(count(from, at), at - from) + log_likelihood(count(at, to), to - at);
    let least = score(change) - INTERVAL_DROP;
    let is_likely = |at: &usize| score(*at) >= least;
    let low = (from + 1..=change).rev().take_while(is_likely).last().unwrap_or(change);
    let high = (change..to).take_while(is_likely).last().unwrap_or(change);
    (low, high)
}

/// Returns the log likelihood of a count over this many steps at its own rate, without the terms that are the same for
/// all rates.
fn log_likelihood(count: f64, n_steps: usize) -> f64 {
    if count > 0.0 { count * (count / n_steps as f64).ln() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::random::Random;

    #[test]
    fn a_constant_rate_is_rarely_split() {
        let mut random = Random(1);
        for n in [5.0, 30.0, 200.0] {
            let is_cut = |_: &i32| {
                let counts: Vec<f64> = (0..120).map(|_| random.poisson(n / 120.0)).collect();
                segment_starts(&counts).len() > 1
            };
            let n_cut = (0..400).filter(is_cut).count();
            assert!(n_cut <= 20, "{n} counts: {n_cut} of 400 series are split");
        }
    }

    #[test]
    fn changes_are_found_and_their_intervals_contain_them() {
        let mut random = Random(2);
        for (before, after) in [(0.0, 20.0), (0.0, 100.0), (30.0, 150.0), (150.0, 5.0)] {
            let (mut n_found, mut n_covered) = (0, 0);
            for _ in 0..200 {
                let mut counts: Vec<f64> = (0..60).map(|_| random.poisson(before / 60.0)).collect();
                counts.extend((0..60).map(|_| random.poisson(after / 60.0)));
                if let [0, change] = segment_starts(&counts)[..] {
                    let (low, high) = change_interval(&counts, 0, change, 120);
                    n_found += 1;
                    n_covered += usize::from(low <= 60 && 60 <= high);
                }
            }
            assert!(n_found >= 190 && n_covered * 100 >= n_found * 92, "{before} to {after}: {n_covered} of {n_found}");
        }
    }

    #[test]
    fn start_up_is_a_segment_even_if_short_but_a_burst_is_not() {
        let mut counts = vec![1.0; 100];
        counts[0] = 50.0;
        assert_eq!(segment_starts(&counts), [0, 1]);
        let mut counts = vec![1.0; 100];
        counts[50] = 8.0;
        assert_eq!(segment_starts(&counts), [0]);
        assert!(segment_starts(&[]).is_empty());
    }
}
