use super::*;
use crate::query::random::Random;

fn sampled(samples: f64, weight: f64) -> Estimate {
    Estimate { samples, weight, rate: 1e-4 }
}

fn is_near(one: f64, two: f64) -> bool {
    (one - two).abs() <= 1e-3 * two.abs().max(1e-9)
}

#[test]
fn margins_shrink_with_the_square_root_of_samples_and_are_zero_at_full_rate() {
    // Garwood's interval of 100 is 81.4 to 121.6.
    assert!((relative_margin(100, 0.0).expect("a margin") - 0.216).abs() < 0.001);
    assert!((relative_margin(1_000_000, 0.0).expect("a margin") - 0.00196).abs() < 0.00001);
    assert_eq!(relative_margin(100, 1.0), Some(0.0));
    assert_eq!(relative_margin(0, 0.1), None);
    // 27 of 100: Wilson's interval is 19.3% to 36.4%.
    assert!((share_margin(27.0, 100.0, 0.0) - 0.094).abs() < 0.001);
    assert_eq!((share_margin(27.0, 100.0, 1.0), share_margin(0.0, 0.0, 0.1)), (0.0, 0.0));
}

#[test]
fn intervals_of_few_samples_match_published_tables() {
    for (count, low, high) in [(1.0, 0.0253, 5.572), (2.0, 0.2422, 7.225), (10.0, 4.795, 18.39), (50.0, 37.11, 65.92)] {
        let (from, to) = poisson_interval(count);
        assert!((from - low).abs() < 0.001 * low.max(1.0), "{count}: {from} to {to}");
        assert!((to - high).abs() < 0.002 * high, "{count}: {from} to {to}");
    }
    assert_eq!(poisson_interval(0.0), (0.0, 3.0));
    // The exact interval and the approximation agree where they meet.
    let (exact, near) = (poisson_interval(100.0), poisson_interval(100.0001));
    assert!(is_near(exact.0, near.0) && is_near(exact.1, near.1), "{exact:?} {near:?}");
}

#[test]
fn share_intervals_contain_the_share_and_stay_within_0_and_1() {
    let (low, high) = share_interval(0.11, 212.0);
    assert!((0.07..0.08).contains(&low) && (0.15..0.17).contains(&high), "{low} to {high}");
    assert_eq!(share_interval(0.0, 50.0).0, 0.0);
    assert_eq!(share_interval(1.0, 50.0).1, 1.0);
    assert_eq!(share_interval(0.0, 0.0), (0.0, 1.0));
}

#[test]
fn zero_samples_do_not_mean_zero_error() {
    let none = sampled(0.0, 7.6);
    assert!(none.interval().1 > 3.0 * 7.5, "{:?}", none.interval());
    assert_eq!(Estimate { rate: 1.0, ..none }.interval(), (0.0, 0.0));
}

#[test]
fn binomial_tails_match_exact_values() {
    assert!(is_near(binomial_upper(8.0, 10.0, 0.5), 56.0 / 1024.0));
    assert!(is_near(binomial_lower(2.0, 10.0, 0.5), 56.0 / 1024.0));
    assert!(is_near(binomial_upper(3.0, 10.0, 0.5), 968.0 / 1024.0));
    assert!(is_near(binomial_upper(84.0, 84.0, 0.9), 0.9f64.powi(84)));
    assert_eq!(binomial_upper(0.0, 10.0, 0.5), 1.0);
    // Large counts: compare the exact sum with the normal distribution.
    let (exact, normal) = (binomial_upper(501_000.0, 1e6, 0.5), normal_upper((501_000.0 - 0.5 - 5e5) / 500.0));
    assert!((exact - normal).abs() < 1e-4, "{exact} {normal}");
    assert!((binomial_upper(501_000.0, 1e6 + 1.0, 0.5) - exact).abs() < 1e-3);
}

#[test]
fn a_low_sampling_rate_on_one_side_hides_a_difference() {
    // 84 samples of 80 KiB before. None after, where one sample represents 7,600 KiB.
    let test = difference(sampled(84.0, 80.0), sampled(0.0, 7_600.0));
    assert!(test.p > 0.3, "{test:?}");
    // With the same rate on both sides, the samples are really gone.
    assert!(difference(sampled(84.0, 80.0), sampled(0.0, 80.0)).p < 1e-20);
}

#[test]
fn without_sampling_error_every_difference_is_significant() {
    let exact = |samples: f64| Estimate { samples, weight: 8.0, rate: 1.0 };
    assert_eq!(difference(exact(5.0), exact(6.0)).p, 0.0);
    assert_eq!(difference(exact(5.0), exact(5.0)).p, 1.0);
    assert_eq!((exceeds(exact(100.0), exact(106.0), 1.05), exceeds(exact(100.0), exact(105.0), 1.05)), (0.0, 1.0));
}

#[test]
fn two_empty_figures_do_not_differ() {
    for weight in [0.0, 1.0, f64::MIN_POSITIVE, f64::MAX] {
        assert_eq!(difference(sampled(0.0, weight), sampled(0.0, weight)), Difference { p: 1.0, least_p: 1.0 });
    }
}

#[test]
fn a_limit_is_exceeded_only_if_the_whole_interval_is_above_it() {
    for (before, after) in
        [(400.0, 430.0), (400.0, 500.0), (3.0, 40.0), (1e7, 1.2e7), (7.0, 7.0), (0.0, 9.0), (5.0, 0.0)]
    {
        let (before, after) = (sampled(before, 1.0), sampled(after, 2.0));
        let (low, high) = ratio_interval(before, after);
        assert!(low < high || high.is_infinite(), "{low} to {high}");
        assert!(low <= 0.0 || exceeds(before, after, low * 0.999) < TAIL_95);
        assert!(exceeds(before, after, low * 1.001) > TAIL_95 * 0.99);
    }
    assert!(exceeds(sampled(400.0, 1.0), sampled(430.0, 1.0), 1.05) > TAIL_95);
    assert!(exceeds(sampled(400.0, 1.0), sampled(500.0, 1.0), 1.05) < TAIL_95);
    assert!(exceeds_amount(10.0, 4.0, 4.1) > TAIL_95 && exceeds_amount(10.0, 4.0, 3.9) < TAIL_95);
    assert_eq!((exceeds_amount(10.0, 10.0, 9.0), exceeds_amount(10.0, 10.0, 10.0)), (0.0, 1.0));
}

#[test]
fn ratio_intervals_contain_the_true_ratio_in_95_percent_of_cases() {
    let mut random = Random(3);
    for (mean, factor) in [(8.0, 1.0), (60.0, 1.5), (400.0, 1.1)] {
        let covers = (0..2_000).filter(|_| {
            let (before, after) = (random.poisson(mean), random.poisson(mean * factor));
            let (low, high) = ratio_interval(sampled(before, 1.0), sampled(after, 1.0));
            (low..=high).contains(&factor)
        });
        let n = covers.count();
        assert!(n >= 1_890, "{n} of 2,000 for {mean} × {factor}");
    }
}

/// Compares tables of 40 rows of all sizes, of which `grown` grew by half. Returns how many rows were called changed,
/// how many of these had not grown, and how many had.
fn compare_tables(random: &mut Random, n_tables: usize, weights: (f64, f64), grown: usize) -> (usize, usize, usize) {
    let (mut n_called, mut n_false, mut n_found) = (0, 0, 0);
    for _ in 0..n_tables {
        let tests: Vec<(bool, Difference)> = (0..40)
            .map(|row| {
                let (size, has_grown) = (2f64.powi(row % 10), (row as usize) < grown);
                let before = sampled(random.poisson(size / weights.0), weights.0);
                let factor = if has_grown { 1.5 } else { 1.0 };
                (has_grown, difference(before, sampled(random.poisson(factor * size / weights.1), weights.1)))
            })
            .collect();
        let largest_p = largest_significant_p(tests.iter().map(|(_, test)| *test), LEVEL);
        for (has_grown, test) in tests {
            if test.p <= largest_p && test.least_p <= LEVEL {
                n_called += 1;
                n_false += usize::from(!has_grown);
                n_found += usize::from(has_grown);
            }
        }
    }
    (n_called, n_false, n_found)
}

#[test]
fn comparing_equal_programs_rarely_calls_anything_changed() {
    let mut random = Random(1);
    for weights in [(1.0, 1.0), (1.0, 10.0), (3.0, 1.0)] {
        let mut n_with_any = 0;
        for _ in 0..4_000 {
            let (n_called, ..) = compare_tables(&mut random, 1, weights, 0);
            n_with_any += usize::from(n_called > 0);
        }
        // If nothing changed, every row called changed is a false positive. At most one table in twenty may have one.
        assert!(n_with_any <= 200, "{weights:?}: {n_with_any} of 4,000");
    }
}

#[test]
fn at_most_5_percent_of_reported_changes_are_false_and_large_ones_are_found() {
    let (n_called, n_false, n_found) = compare_tables(&mut Random(2), 1_000, (1.0, 1.0), 10);
    assert!(n_false as f64 <= LEVEL * n_called as f64, "{n_false} of {n_called}");
    // Of the ten sizes from 1 to 512 samples, those from 128 on are nearly always found.
    assert!(n_found >= 3 * 1_000 * 9 / 10, "{n_found}");
}
