//! The figures at one time: of the whole, and of every layer.

use super::{Axes, Plot, Times, snapshots, step_at};
use crate::query::timeline::Timeline;

#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub time: String,
    pub total: String,
    /// An event that the program named.
    pub event: Option<String>,
    /// Those that have something, as they lie upon each other, from the top.
    pub layers: Vec<LayerReading>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LayerReading {
    /// Which of the timeline's series it is.
    pub nth: usize,
    pub amount: String,
}

impl Reading {
    /// At a time, or of a profile at the snapshot before it. `None` beside what is shown.
    pub fn new(timeline: &Timeline, plot: &Plot, axes: &Axes, us: f64) -> Option<Reading> {
        let step = step_at(timeline, plot, us);
        let total = *timeline.live_last.get(step).filter(|_| plot.shows(us))?;
        let layer = |(nth, amount): (usize, f64)| LayerReading { nth, amount: axes.amount(amount) };
        let amounts = timeline.series.iter().map(|series| series.live_last.get(step).copied().unwrap_or(0.0));
        let layers = amounts.enumerate().filter(|(_, amount)| *amount > 0.0).map(layer).rev().collect();
        let event = match &axes.times {
            Times::Processor(snapshots) => snapshots::flag_at(snapshots, plot, us).map(|flag| flag.name.clone()),
            Times::Elapsed | Times::OfDay(_) => None,
        };
        let time = axes.time_words(axes.snapshot_at(us).unwrap_or(us as u64));
        Some(Reading { time, total: axes.amount(total), event, layers })
    }

    /// `2.194 s · 4.54 MiB`.
    pub fn head(&self) -> String {
        let event = self.event.as_ref().map_or_else(String::new, |name| format!(" · event “{name}”"));
        format!("{} · {}{event}", self.time, self.total)
    }
}
