//! A comparison with all figures in full, for spreadsheets.

use super::csv;
use crate::query::compare::Comparison;

pub fn changes_csv(comparison: &Comparison) -> String {
    let heading = [
        "name",
        "file",
        "line",
        "start_char",
        "end_char",
        "before",
        "after",
        "change",
        "error",
        "low",
        "high",
        "p",
        "samples_before",
        "samples_after",
        "verdict",
    ];
    let rows = comparison.rows.iter().map(|row| {
        let (label, change) = (&row.label, &row.change);
        let of_place =
            |value: fn(&crate::query::tree::Place) -> String| label.place.as_ref().map(value).unwrap_or_default();
        vec![
            label.name.clone(),
            label.file.clone(),
            of_place(|place| place.line.to_string()),
            of_place(|place| place.start_char.to_string()),
            of_place(|place| place.end_char.to_string()),
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
        ]
    });
    csv(&heading, rows)
}
