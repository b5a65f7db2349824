//! The statistics of a histogram.

use crate::format::{self, Units};
use crate::layout::histogram::weight_words;
use camlscope_engine::query::histogram::{Counted, Of, Stats};

/// A figure with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistic {
    /// The name of the field in [`Stats`].
    pub field: &'static str,
    pub name: &'static str,
    pub value: f64,
    pub text: String,
}

/// Returns all statistics, in the same order for any histogram.
pub fn statistics(stats: &Stats, of: Of, counted: Counted, units: Units) -> [Statistic; 9] {
    let amount = |value: f64| match of {
        Of::Size => format!("{} words", digits(value)),
        Of::Lifetime => format::duration_us(value.round() as u64),
    };
    let square = |variance: f64| match of {
        Of::Size => format!("{} words²", digits(variance)),
        Of::Lifetime => format!("{} s²", digits(variance / 1e12)),
    };
    let exact = |n: u64| match of {
        Of::Size => format!("{} word{}", format::count(n), if n == 1 { "" } else { "s" }),
        Of::Lifetime => format::duration_us(n),
    };
    let whole =
        |field: &'static str, name: &'static str, n: u64| Statistic { field, name, value: n as f64, text: exact(n) };
    let row =
        |field: &'static str, name: &'static str, value: f64, text: String| Statistic { field, name, value, text };
    let largest = if of == Of::Size { "largest" } else { "longest" };
    [
        row("count", "total", stats.count, weight_words(stats.count, counted, units)),
        row("mean", "mean", stats.mean, amount(stats.mean)),
        row("variance", "variance", stats.variance, square(stats.variance)),
        row("sd", "standard deviation", stats.sd, amount(stats.sd)),
        whole("median", "median", stats.median),
        whole("p90", "90th percentile", stats.p90),
        whole("p99", "99th percentile", stats.p99),
        whole("max", largest, stats.max),
        row("large_percent", "above 256 words", stats.large_percent, format::percent(stats.large_percent / 100.0)),
    ]
}

/// Returns three digits, or all digits before the decimal point. Large numbers get a letter: `42.1 M`.
pub fn digits(value: f64) -> String {
    let (mut scaled, mut letters) = (value, ["", " k", " M", " G", " T", " P"].into_iter());
    let mut letter = letters.next().unwrap_or_default();
    while scaled >= 9_999.5 || scaled >= 999.5 && !letter.is_empty() {
        let Some(next) = letters.next() else { break };
        (scaled, letter) = (scaled / 1e3, next);
    }
    match scaled {
        scaled if scaled < 9.995 => format!("{scaled:.2}{letter}"),
        scaled if scaled < 99.95 => format!("{scaled:.1}{letter}"),
        scaled => format!("{}{letter}", format::count(scaled.round() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        let words = [0.5, 12.34, 1_090.2, 42_069_279.0, 9.999e5, 1.5e21].map(digits);
        assert_eq!(words, ["0.50", "12.3", "1,090", "42.1 M", "1.00 M", "1,500,000 P"]);
    }
}
