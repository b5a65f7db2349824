//! Data → shapes as people see them: rectangles, ticks, colours. No DOM, so what is drawn can be tested without a
//! browser. Numbers in words are [`crate::format`], a floor of its own, since the floors below need words too.

pub use crate::format;
