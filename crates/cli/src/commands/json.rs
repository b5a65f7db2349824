//! JSON for scripts. It names the measure and the unit.

use serde::Serialize;

use super::snapshots::SnapshotTimes;
use camlscope_engine::query::measure::Measure;

/// A result with its measure and unit.
#[derive(Debug, Serialize)]
pub struct Measured<'a, T> {
    /// In the syntax of `--measure`.
    pub measure: String,
    pub unit: &'static str,
    #[serde(flatten)]
    pub snapshots: SnapshotTimes,
    #[serde(flatten)]
    pub answer: &'a T,
}

impl<'a, T> Measured<'a, T> {
    /// For figures in the unit of the measure.
    pub fn new(measure: Measure, answer: &'a T) -> Measured<'a, T> {
        Measured::in_unit(measure, measure.unit().name(), answer)
    }

    /// For figures in another unit, of the objects that the measure counts.
    pub fn in_unit(measure: Measure, unit: &'static str, answer: &'a T) -> Measured<'a, T> {
        Measured { measure: measure.to_string(), unit, snapshots: SnapshotTimes::default(), answer }
    }

    /// Adds the snapshots that the figures are from.
    pub fn at(self, snapshots: SnapshotTimes) -> Measured<'a, T> {
        Measured { snapshots, ..self }
    }
}
