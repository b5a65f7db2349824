//! Figures of a comparison, as people read them.

use crate::query::compare::{Change, DiffBox, Verdict};
use crate::query::measure::Unit;

/// `8.70 MiB → 16.9 MiB, +8.20 MiB`.
pub fn box_change(unit: Unit, suffix: &str, of: &DiffBox) -> String {
    let change = of.after - of.before;
    let sign = if change < 0.0 { "−" } else { "+" };
    let amount = |value: f64| format!("{}{suffix}", unit.amount(value));
    format!("{} → {}, {sign}{}", amount(of.before), amount(of.after), amount(change.abs()))
}

/// How sure the change of a box is.
pub fn box_verdict(_: &DiffBox) -> Option<String> {
    None
}

/// `1.9 ×` behind "grew", `to 0.3 ×` behind "shrank"; nothing behind the others.
pub fn factor(change: &Change) -> Option<String> {
    let factor = change.after / change.before;
    match change.verdict {
        Verdict::Grew if factor >= 9.95 => Some(format!("{factor:.0} ×")),
        Verdict::Grew => Some(format!("{factor:.1} ×")),
        Verdict::Shrank if factor < 0.095 => Some(format!("to {factor:.2} ×")),
        Verdict::Shrank => Some(format!("to {factor:.1} ×")),
        _ => None,
    }
}

/// The class of a verdict's pill.
pub fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::New | Verdict::Grew => "verdict-pill is-more",
        Verdict::Gone | Verdict::Shrank => "verdict-pill is-less",
        _ => "verdict-pill",
    }
}
