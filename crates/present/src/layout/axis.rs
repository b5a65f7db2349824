//! Ticks at round values: 1, 2 or 5 times a common unit.

use crate::format::{Units, whole_power};

/// Returns ticks for bytes, round in their unit, from 0 up to `max`, in about `n` steps.
pub fn byte_ticks(max: f64, n: usize, units: Units) -> Vec<f64> {
    if !max.is_finite() || max <= 0.0 {
        return vec![0.0];
    }
    let unit = whole_power(units.factor(), max.max(1.0));
    // There are no fractions of a byte.
    ticks(0.0, max, (round_step(max / unit / n.max(1) as f64) * unit).max(1.0))
}

/// Returns whole numbers from 0 up to `max`, in about `n` steps.
pub fn count_ticks(max: f64, n: usize) -> Vec<f64> {
    if !max.is_finite() || max <= 0.0 {
        return vec![0.0];
    }
    ticks(0.0, max, round_step((max / n.max(1) as f64).max(1.0)))
}

/// Returns 1, 10 and 100 times each power of `unit` between two values, at most about seven.
pub fn log_ticks(from: f64, to: f64, unit: f64) -> Vec<f64> {
    let mut found = Vec::new();
    let mut power = 1.0;
    while power <= to {
        found.extend([1.0, 10.0, 100.0].map(|digit| digit * power).into_iter().filter(|v| (from..=to).contains(v)));
        power *= unit;
    }
    let every = found.len().div_ceil(7).max(1);
    found.into_iter().step_by(every).collect()
}

/// Returns about `n` ticks for µs, round in seconds, minutes, hours or days, within `from..=to`.
pub fn time_ticks(from_us: f64, to_us: f64, n: usize) -> Vec<f64> {
    const SECOND: f64 = 1e6;
    const STEPS_S: [f64; 14] = [
        60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 10_800.0, 21_600.0, 43_200.0, 86_400.0, 172_800.0,
        604_800.0,
    ];
    let span = to_us - from_us;
    if !span.is_finite() || span <= 0.0 {
        return vec![from_us];
    }
    // The clock of a trace is no finer than a microsecond.
    let wanted = (span / n.max(1) as f64).max(1.0);
    let step = if wanted <= 30.0 * SECOND {
        round_step(wanted)
    } else {
        STEPS_S.iter().map(|step| step * SECOND).find(|step| *step >= wanted).unwrap_or(604_800.0 * SECOND)
    };
    ticks(from_us, to_us, step)
}

/// Returns the smallest of 1, 2, 5, 10, 20, 50 … that is at least `wanted`.
fn round_step(wanted: f64) -> f64 {
    let magnitude = whole_power(10.0, wanted);
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * magnitude);
    steps.into_iter().find(|step| *step >= wanted * 0.999).unwrap_or(10.0 * magnitude)
}

fn ticks(from: f64, to: f64, step: f64) -> Vec<f64> {
    let first = (from / step).ceil() as i64;
    let last = (to / step * (1.0 + 1e-12)).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_step_in_round_units_of_1024() {
        let mib = 1024.0 * 1024.0;
        assert_eq!(byte_ticks(92.1 * mib, 3, Units::Binary), [0.0, 50.0 * mib]);
        assert_eq!(byte_ticks(92.1 * mib, 5, Units::Binary), [0.0, 20.0 * mib, 40.0 * mib, 60.0 * mib, 80.0 * mib]);
        assert_eq!(byte_ticks(3000.0, 3, Units::Binary), [0.0, 1024.0, 2048.0]);
        assert_eq!(byte_ticks(0.0, 3, Units::Binary), [0.0]);
        assert_eq!(byte_ticks(1.0, 3, Units::Binary), [0.0, 1.0]);
        assert_eq!(byte_ticks(92.1 * mib, 3, Units::Decimal), [0.0, 50e6]);
    }

    #[test]
    fn counts_are_whole_and_logarithms_step_by_ten() {
        assert_eq!(count_ticks(3.0, 4), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(count_ticks(1234.0, 4), [0.0, 500.0, 1000.0]);
        assert_eq!(log_ticks(0.5, 2e3, 1e3), [1.0, 10.0, 100.0, 1e3]);
        assert_eq!(log_ticks(5e3, 2e6, 1024.0), [10_240.0, 102_400.0, 1_048_576.0]);
        assert!(log_ticks(1.0, 1e18, 1e3).len() <= 7);
    }

    #[test]
    fn times_step_in_seconds_minutes_and_hours() {
        let s = |values: &[f64]| values.iter().map(|value| value * 1e6).collect::<Vec<_>>();
        assert_eq!(time_ticks(0.0, 60e6, 7), s(&[0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0]));
        assert_eq!(time_ticks(12e6, 13e6, 5), s(&[12.0, 12.2, 12.4, 12.6, 12.8, 13.0]));
        assert_eq!(time_ticks(0.0, 600e6, 5), s(&[0.0, 120.0, 240.0, 360.0, 480.0, 600.0]));
        assert_eq!(time_ticks(0.0, 7200e6, 4), s(&[0.0, 1800.0, 3600.0, 5400.0, 7200.0]));
        assert_eq!(time_ticks(5.0, 5.0, 4), [5.0]);
        assert_eq!(time_ticks(0.0, 1.0, 9), [0.0, 1.0]);
    }
}
