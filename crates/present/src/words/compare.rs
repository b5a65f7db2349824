//! Caveats about a comparison.

use crate::format;

/// Sampling changes when the collector runs. Below this factor, the effect is small.
const MAX_RATE_FACTOR: f64 = 4.0;

/// Explains why live figures of two traces can't be compared, or returns `None` if their rates are close.
pub fn rates_warning(before: f64, after: f64) -> Option<String> {
    let factor = (before / after).max(after / before);
    (factor >= MAX_RATE_FACTOR).then(|| {
        let factor = if factor < 9.95 { format!("{factor:.1}") } else { format::count(factor.round() as u64) };
        format!(
            "The sampling rates differ by {factor}× ({} and {}). A high rate changes when the GC runs, so live bytes \
             aren't comparable.",
            rate(before),
            rate(after)
        )
    })
}

/// `0.1`, `1e-4`: in the notation that people use to set it.
fn rate(rate: f64) -> String {
    if rate < 0.01 { format!("{rate:e}") } else { rate.to_string() }
}
