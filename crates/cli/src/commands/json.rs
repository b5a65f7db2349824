//! JSON as scripts read it: it says what was measured in which unit.

use serde::Serialize;

use super::snapshots::SnapshotTimes;
use camlscope_engine::query::measure::Measure;

/// An answer, and what its figures are.
#[derive(Debug, Serialize)]
pub struct Measured<'a, T> {
    /// As `--measure` takes it.
    pub measure: String,
    pub unit: &'static str,
    #[serde(flatten)]
    pub snapshots: SnapshotTimes,
    #[serde(flatten)]
    pub answer: &'a T,
}

impl<'a, T> Measured<'a, T> {
    /// For figures in the measure's unit.
    pub fn new(measure: Measure, answer: &'a T) -> Measured<'a, T> {
        Measured::in_unit(measure, measure.unit().name(), answer)
    }

    /// For figures in a unit of their own, of the objects that count for the measure.
    pub fn in_unit(measure: Measure, unit: &'static str, answer: &'a T) -> Measured<'a, T> {
        Measured { measure: measure.to_string(), unit, snapshots: SnapshotTimes::default(), answer }
    }

    /// With the snapshots that the figures are from.
    pub fn at(self, snapshots: SnapshotTimes) -> Measured<'a, T> {
        Measured { snapshots, ..self }
    }
}
