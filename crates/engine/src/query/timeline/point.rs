//! The exact figures of a timeline at one point in time. A step of a timeline has a single value, which is wrong for
//! most times in it.

use serde::{Deserialize, Serialize};

use super::series::describe;
use super::split::Classes;
use super::{By, Graph, SeriesOf};
use crate::query::filter::When;
use crate::query::selection::Selection;
use crate::query::tree::Allocators;
use crate::trace::Trace;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointConfig {
    pub at: When,
    /// As in the timeline that the series come from.
    pub by: Option<By>,
    pub series: Vec<SeriesOf>,
    pub graph: Graph,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelinePoint {
    /// The time of the figures. In a profile, this is the time of a snapshot.
    pub at_us: u64,
    pub total: f64,
    /// The series of the config, in the same order.
    pub series: Vec<(SeriesOf, f64)>,
}

/// `live` has the selected objects that are live at that time.
pub fn point(trace: &Trace, live: &Selection, allocators: Option<&Allocators>, config: &PointConfig) -> TimelinePoint {
    let classes = Classes::new(trace, allocators, config.by);
    let mut by_class = vec![0u64; classes.as_ref().map_or(0, Classes::n_classes)];
    let mut total = 0;
    live.for_each(&trace.columns, |rows, place| {
        let samples = rows.n_samples(place);
        total += samples;
        if let Some(classes) = &classes {
            by_class[classes.of(rows, place) as usize] += samples;
        }
    });
    let bytes = |samples: u64| samples as f64 * trace.bytes_a_sample();
    let is_there = by_class.iter().enumerate().filter(|(_, samples)| **samples > 0);
    let amounts = is_there.map(|(class, &samples)| {
        let (_, of) = describe(trace, allocators, config.by, class as u32);
        (of, bytes(samples))
    });
    let at_us = match config.at {
        When::At(us) => us,
        When::Peak => trace.totals.peak.at_us,
        When::End => trace.end_us,
    };
    TimelinePoint { at_us, total: bytes(total), series: amounts_of_series(&config.series, bytes(total), amounts) }
}

/// Returns the amount of each series. "Others" gets what no other series has.
pub fn amounts_of_series(
    series: &[SeriesOf],
    total: f64,
    amounts: impl Iterator<Item = (SeriesOf, f64)>,
) -> Vec<(SeriesOf, f64)> {
    let mut of_series = vec![None; series.len()];
    for (of, amount) in amounts {
        // If two classes have the same name, each has its own series.
        let place = (0..series.len()).find(|&at| series[at] == of && of_series[at].is_none());
        if let Some(place) = place {
            of_series[place] = Some(amount);
        }
    }
    let known: f64 = of_series.iter().flatten().sum();
    let amount = |(of, amount): (&SeriesOf, Option<f64>)| match of {
        SeriesOf::Others { .. } => (of.clone(), total - known),
        _ => (of.clone(), amount.unwrap_or(0.0)),
    };
    series.iter().zip(of_series).map(amount).collect()
}
