//! Texts and shares used across the panel.

use crate::ui::store::view::ViewState;
use camlscope_engine::query::table::Row;

/// Placeholder for a value that isn't known yet.
pub fn dash() -> String {
    "–".to_owned()
}

/// A share of a row's total.
pub fn share_of_total(row: &Row, part: f64) -> f64 {
    if row.total_bytes > 0.0 { part / row.total_bytes } else { 0.0 }
}

/// The heading of the charts, which don't depend on the measure.
pub fn of_all(view_state: &ViewState) -> &'static str {
    match view_state.chips.iter().any(|chip| chip.is_on) {
        true => "Allocated, filtered",
        false => "All allocations",
    }
}
