//! Small texts and shares that the parts of the panel have in common.

use crate::ui::store::view::ViewState;
use camlscope_engine::query::table::Row;

/// A figure that is not known yet.
pub fn dash() -> String {
    "–".to_owned()
}

/// A share of a row's total.
pub fn share_of_total(row: &Row, part: f64) -> f64 {
    if row.total_bytes > 0.0 { part / row.total_bytes } else { 0.0 }
}

/// What the pictures are of, whatever the measure.
pub fn of_all(view_state: &ViewState) -> &'static str {
    match view_state.chips.iter().any(|chip| chip.is_on) {
        true => "All that it allocated and that passes the filter",
        false => "All that it allocated",
    }
}
