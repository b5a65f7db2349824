//! The table with all figures in full, for spreadsheets.

use super::csv;
use crate::query::table::Table;

pub fn table_csv(table: &Table) -> String {
    let heading = [
        "name",
        "file",
        "line",
        "start_char",
        "end_char",
        "self_bytes",
        "total_bytes",
        "self_samples",
        "total_samples",
        "self_blocks",
        "blocks",
        "mean_lifetime_us",
        "promoted_bytes",
        "end_bytes",
        "byte_seconds",
    ];
    let optional = |value: Option<String>| value.unwrap_or_default();
    csv(
        &heading,
        table.rows.iter().map(|row| {
            vec![
                row.name.clone(),
                row.file.clone(),
                optional(row.line.map(|n| n.to_string())),
                optional(row.start_char.map(|n| n.to_string())),
                optional(row.end_char.map(|n| n.to_string())),
                row.self_bytes.to_string(),
                row.total_bytes.to_string(),
                row.self_samples.to_string(),
                row.total_samples.to_string(),
                row.self_blocks.to_string(),
                row.blocks.to_string(),
                optional(row.mean_lifetime_us.map(|n| n.to_string())),
                row.promoted_bytes.to_string(),
                row.end_bytes.to_string(),
                row.byte_seconds.to_string(),
            ]
        }),
    )
}
