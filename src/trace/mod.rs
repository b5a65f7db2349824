//! The model that a trace's events become. Built while the file streams, then frozen.

mod totals;

pub use totals::{SourceTotals, Totals};
