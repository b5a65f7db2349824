//! The figures at one time, in total and for each layer.

use super::{Axes, Plot, Times, snapshots};
use camlscope_engine::query::timeline::Timeline;
use camlscope_engine::query::timeline::point::TimelinePoint;

#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub time: String,
    pub total: String,
    /// An event that the program named.
    pub event: Option<String>,
    /// Nonempty layers in stacking order, top first.
    pub layers: Vec<LayerReading>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LayerReading {
    /// The index of its series.
    pub nth: usize,
    pub amount: String,
}

impl Reading {
    /// Returns the figures of a point, which has its own time. `us` is the time under the pointer. `None` outside the
    /// visible range, and while the point still belongs to other layers.
    pub fn new(timeline: &Timeline, point: &TimelinePoint, plot: &Plot, axes: &Axes, us: f64) -> Option<Reading> {
        let is_of_layers = timeline.series.iter().map(|series| &series.of).eq(point.series.iter().map(|(of, _)| of));
        if !is_of_layers || !plot.shows(us) {
            return None;
        }
        let layer = |(nth, amount): (usize, f64)| LayerReading { nth, amount: axes.amount(amount) };
        let amounts = point.series.iter().map(|(_, amount)| *amount);
        let layers = amounts.enumerate().filter(|(_, amount)| *amount > 0.0).map(layer).rev().collect();
        let event = match &axes.times {
            Times::Cpu(snapshots) => snapshots::flag_at(snapshots, plot, us).map(|flag| flag.name.clone()),
            Times::Elapsed | Times::OfDay(_) => None,
        };
        Some(Reading { time: axes.time_words(point.at_us), total: axes.amount(point.total), event, layers })
    }

    /// `2.194 s · 4.54 MiB`.
    pub fn head(&self) -> String {
        let event = self.event.as_ref().map_or_else(String::new, |name| format!(" · event “{name}”"));
        format!("{} · {}{event}", self.time, self.total)
    }
}
