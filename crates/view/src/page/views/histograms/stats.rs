//! How a statistic differs from that of all allocations.

use camlscope_present::format;
use camlscope_present::words::histogram::digits;

/// Returns `+12%`, `−40%` or `3.2×`, or a dash if there is nothing to compare with.
pub fn change(here: f64, whole: f64) -> String {
    let ratio = here / whole;
    if whole == 0.0 || !ratio.is_finite() {
        "–".to_owned()
    } else if ratio >= 2.0 {
        format!("{}×", digits(ratio))
    } else if (ratio - 1.0).abs() < 0.0005 {
        "same".to_owned()
    } else {
        let sign = if ratio < 1.0 { "−" } else { "+" };
        format!("{sign}{}", format::percent((ratio - 1.0).abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_percentages_or_factors() {
        assert_eq!(change(112.0, 100.0), "+12%");
        assert_eq!(change(60.0, 100.0), "−40%");
        assert_eq!(change(320.0, 100.0), "3.20×");
        assert_eq!(change(100.01, 100.0), "same");
        assert_eq!(change(1.0, 0.0), "–");
    }
}
