//! A comparison with all figures in full precision, for spreadsheets.

use super::csv::{LABEL_HEADING, csv, label_cells};
use camlscope_engine::query::compare::Comparison;

pub fn changes_csv(comparison: &Comparison) -> String {
    let figures =
        ["before", "after", "change", "error", "low", "high", "p", "samples_before", "samples_after", "verdict"];
    let rows = comparison.rows.iter().map(|row| {
        let change = &row.change;
        let figures = [
            change.before.to_string(),
            change.after.to_string(),
            change.change.to_string(),
            change.error.to_string(),
            change.low.to_string(),
            change.high.to_string(),
            change.p.to_string(),
            change.samples_before.to_string(),
            change.samples_after.to_string(),
            change.verdict.as_str().to_owned(),
        ];
        label_cells(&row.label).into_iter().chain(figures).collect()
    });
    csv(&[&LABEL_HEADING[..], &figures].concat(), rows)
}
