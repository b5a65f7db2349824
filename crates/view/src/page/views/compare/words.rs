//! Text for the figures of a comparison.

use crate::page::components::comparison::signed;
use camlscope_engine::query::compare::{Change, DiffBox, Verdict};
use camlscope_engine::query::measure::Unit;
use camlscope_present::format::{self, Units};

/// Returns `8.70 MiB → 16.9 MiB, +8.20 MiB ±1.6`.
pub fn box_change((unit, units): (Unit, Units), suffix: &str, diff_box: &DiffBox) -> String {
    let amount = |value: f64| format!("{}{suffix}", units.amount(unit, value));
    let change = signed((unit, units), suffix, diff_box.after - diff_box.before, diff_box.error);
    format!("{} → {}, {change}", amount(diff_box.before), amount(diff_box.after))
}

/// Returns `114 → 221 samples: grew, significant`, or just `grew` if figures are exact.
pub fn box_verdict(diff_box: &DiffBox, is_exact: bool) -> String {
    if is_exact {
        return verdict(diff_box.verdict, diff_box.after - diff_box.before, true).to_owned();
    }
    let sure = if diff_box.verdict.is_significant() { ", significant" } else { "" };
    format!("{} samples: {}{sure}", samples(diff_box.samples_before, diff_box.samples_after), diff_box.verdict.as_str())
}

/// Returns `114 → 221`.
pub fn samples(before: u64, after: u64) -> String {
    format!("{} → {}", format::count(before), format::count(after))
}

/// Returns a row's change and its margin, which have a column each. If one side has no samples, a margin is meaningless,
/// so the largest change within the 95% interval takes its place.
pub fn row_change((unit, units): (Unit, Units), suffix: &str, change: &Change) -> (String, String) {
    let amount = |value: f64| signed((unit, units), suffix, value, 0.0);
    let is_bounded = change.verdict == Verdict::TooFewSamples && change.samples_before.min(change.samples_after) == 0;
    let most = if change.change < 0.0 { change.low } else { change.high };
    match (is_bounded, change.change) {
        (true, value) => (amount(value), format!("at most {}", amount(most))),
        // Zero has no unit of its own, so the margin has both.
        (false, value) if value == 0.0 && change.error > 0.0 => {
            (String::new(), signed((unit, units), suffix, value, change.error))
        }
        (false, value) => (amount(value), units.margin(unit, value, change.error).trim_start().to_owned()),
    }
}

/// Returns `95% interval: +6.6 MiB to +9.8 MiB`.
pub fn interval((unit, units): (Unit, Units), suffix: &str, change: &Change) -> String {
    let end = |value: f64| signed((unit, units), suffix, value, 0.0);
    format!("95% interval: {} to {}", end(change.low), end(change.high))
}

/// Returns `1.9×` after "grew" or `to 0.3×` after "shrank", and `None` for all other verdicts.
pub fn factor(change: &Change) -> Option<String> {
    if change.before <= 0.0 || change.after <= 0.0 {
        return None;
    }
    let factor = change.after / change.before;
    match change.verdict {
        Verdict::Grew if factor >= 9.95 => Some(format!("{factor:.0}×")),
        // A change of at most 10% needs another digit.
        Verdict::Grew if factor < 1.1 => Some(format!("{factor:.2}×")),
        Verdict::Grew => Some(format!("{factor:.1}×")),
        Verdict::Shrank if !(0.095..0.9).contains(&factor) => Some(format!("to {factor:.2}×")),
        Verdict::Shrank => Some(format!("to {factor:.1}×")),
        Verdict::New | Verdict::Gone | Verdict::Same | Verdict::Unchanged | Verdict::TooFewSamples => None,
    }
}

/// Exact figures have no sampling error.
pub fn verdict(verdict: Verdict, change: f64, is_exact: bool) -> &'static str {
    match verdict {
        Verdict::Same | Verdict::TooFewSamples if is_exact && change == 0.0 => "unchanged",
        Verdict::Same | Verdict::TooFewSamples if is_exact => "about the same",
        verdict => verdict.as_str(),
    }
}

pub fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::New | Verdict::Grew => "verdict-pill is-more",
        Verdict::Gone | Verdict::Shrank => "verdict-pill is-less",
        Verdict::Same | Verdict::Unchanged | Verdict::TooFewSamples => "verdict-pill",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: f64, after: f64, verdict: Verdict) -> Change {
        Change {
            before,
            after,
            change: after - before,
            samples_before: before as u64 / 100,
            samples_after: after as u64 / 100,
            error: 50.0,
            low: after - before - 100.0,
            high: after - before + 300.0,
            p: 0.5,
            verdict,
        }
    }

    #[test]
    fn only_grew_and_shrank_have_a_factor() {
        let factor = |before, after, verdict| factor(&change(before, after, verdict));
        assert_eq!(factor(100.0, 190.0, Verdict::Grew).as_deref(), Some("1.9×"));
        assert_eq!(factor(100.0, 103.0, Verdict::Grew).as_deref(), Some("1.03×"));
        assert_eq!(factor(100.0, 30.0, Verdict::Shrank).as_deref(), Some("to 0.3×"));
        assert_eq!(factor(0.0, 30.0, Verdict::Grew), None);
        assert_eq!(factor(0.0, 30.0, Verdict::New), None);
        assert_eq!(factor(100.0, 101.0, Verdict::Same), None);
    }

    #[test]
    fn a_side_without_samples_has_a_bound_instead_of_a_margin() {
        let unknown = change(100.0, 0.0, Verdict::TooFewSamples);
        let shown = |change: &Change| row_change((Unit::Bytes, Units::Binary), "", change);
        let texts = |amount: &str, margin: &str| (amount.to_owned(), margin.to_owned());
        assert_eq!(shown(&unknown), texts("−100 B", "at most −200 B"));
        let known = change(100.0, 400.0, Verdict::Grew);
        assert_eq!(shown(&known), texts("+300 B", "±50"));
        assert_eq!(shown(&change(100.0, 100.0, Verdict::Same)), texts("", "±50 B"));
    }
}
