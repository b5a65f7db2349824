//! The table with all figures in full precision, for spreadsheets.

use super::csv::{LABEL_HEADING, csv, label_cells};
use camlscope_engine::query::table::Table;

pub fn table_csv(table: &Table) -> String {
    let figures = [
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
    csv(
        &[&LABEL_HEADING[..], &figures].concat(),
        table.rows.iter().map(|row| {
            let figures = [
                row.self_bytes.to_string(),
                row.total_bytes.to_string(),
                row.self_samples.to_string(),
                row.total_samples.to_string(),
                row.self_blocks.to_string(),
                row.blocks.to_string(),
                row.mean_lifetime_us.map(|n| n.to_string()).unwrap_or_default(),
                row.promoted_bytes.to_string(),
                row.end_bytes.to_string(),
                row.byte_seconds.to_string(),
            ];
            label_cells(&row.label()).into_iter().chain(figures).collect()
        }),
    )
}
