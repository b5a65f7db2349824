//! Reasons for the verdicts of a comparison, and caveats about it.

use crate::format::{self, Units};
use camlscope_engine::query::compare::{Change, Verdict};
use camlscope_engine::query::measure::Unit;

/// States the evidence for a verdict. `suffix` is that of the comparison's scale.
pub fn reason(change: &Change, unit: Unit, suffix: &str, units: Units) -> String {
    let Change { samples_before, samples_after, low, high, p, verdict, .. } = *change;
    let signed = |value: f64| {
        let sign = if value < 0.0 { "−" } else { "+" };
        format!("{sign}{}{suffix}", units.amount(unit, value.abs()))
    };
    let samples = format!("{} → {} samples", format::count(samples_before), format::count(samples_after));
    match verdict {
        Verdict::Unchanged => "exact and equal".to_owned(),
        Verdict::New | Verdict::Gone | Verdict::Grew | Verdict::Shrank if low == high => "exact figures".to_owned(),
        Verdict::New | Verdict::Gone | Verdict::Grew | Verdict::Shrank => format!("{samples}, {}", probability(p)),
        Verdict::Same => format!("{samples}, the change is between {} and {}", signed(low), signed(high)),
        Verdict::TooFewSamples => {
            let most = if -low > high { low } else { high };
            format!("{samples}, the change may be up to {}", signed(most))
        }
    }
}

/// `p = 0.004`: the probability of such a change if nothing changed.
fn probability(p: f64) -> String {
    match p {
        p if p < 1e-4 => "p < 0.0001".to_owned(),
        p if p < 0.001 => format!("p = {p:.4}"),
        p if p < 0.01 => format!("p = {p:.3}"),
        p => format!("p = {p:.2}"),
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_a_reason() {
        let change = Change {
            before: 0.0,
            after: 0.0,
            change: 0.0,
            samples_before: 1300,
            samples_after: 7,
            error: 0.0,
            low: -2048.0,
            high: 1024.0,
            p: 0.004,
            verdict: Verdict::Unchanged,
        };
        let reason = |verdict| reason(&Change { verdict, ..change }, Unit::Bytes, "/s", Units::Binary);
        assert_eq!(reason(Verdict::Unchanged), "exact and equal");
        assert_eq!(reason(Verdict::Shrank), "1,300 → 7 samples, p = 0.004");
        assert_eq!(reason(Verdict::Same), "1,300 → 7 samples, the change is between −2.00 KiB/s and +1.00 KiB/s");
        assert_eq!(reason(Verdict::TooFewSamples), "1,300 → 7 samples, the change may be up to −2.00 KiB/s");
    }
}
