//! The total of the current view: "31.6 MiB of 32.8 MiB, 96% ±0.9, 414 samples".

use serde::{Deserialize, Serialize};

use super::measure::{Measure, Unit};
use super::selection::Selection;
use crate::query::statistics;
use crate::trace::Trace;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Amounts {
    pub unit: Unit,
    /// The objects that pass the filter. `whole` is the same measure without a filter.
    pub passing: Amount,
    pub whole: Amount,
    /// The margin of the 95% interval of the passing share. A filter picks some of the samples, so the share has a
    /// binomial distribution. `None` without samples.
    pub share_error: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    pub value: f64,
    pub objects: u64,
    pub samples: u64,
    /// The relative margin of the 95% interval. `None` without samples.
    pub error: Option<f64>,
}

/// Sums up two selections, both already narrowed to the objects that the measure counts. `growth_seconds` is the time
/// that growth is measured over.
pub fn amounts(
    trace: &Trace,
    measure: Measure,
    growth_seconds: f64,
    passing: &Selection,
    whole: &Selection,
) -> Amounts {
    let scale = measure.scale(trace.sampling(), growth_seconds);
    let (passing, whole) = (amount(trace, measure, scale, passing), amount(trace, measure, scale, whole));
    let share_error = (whole.samples > 0)
        .then(|| statistics::share_margin(passing.samples as f64, whole.samples as f64, trace.rate()));
    Amounts { unit: measure.unit(), passing, whole, share_error }
}

fn amount(trace: &Trace, measure: Measure, scale: f64, selection: &Selection) -> Amount {
    let weight = measure.weight();
    let (mut value, mut samples) = (0.0, 0);
    selection.for_each(&trace.columns, |rows, place| {
        value += weight.of(trace, rows, place);
        samples += rows.n_samples(place);
    });
    Amount {
        value: value * scale,
        objects: selection.len() as u64,
        samples,
        error: statistics::relative_margin(samples, trace.rate()),
    }
}
