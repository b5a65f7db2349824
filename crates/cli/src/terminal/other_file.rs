//! The second file. Screens are about one file at a time, except the comparison.

use std::mem;

use super::state::State;
use super::timeline::TimelineState;
use camlscope_engine::protocol::Slot;
use camlscope_engine::query::filter::When;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::summary::Summary;

/// The data of a file that the screens need while the other file is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherFile {
    pub name: String,
    /// `None` until it's read.
    pub summary: Option<Box<Summary>>,
    /// Its times are its own.
    pub timeline: TimelineState,
}

impl State {
    /// Called when the file to compare with was read.
    pub fn opened_other(&mut self, summary: Summary) {
        if let Some(other) = &mut self.other {
            other.summary = Some(Box::new(summary));
        }
    }

    /// Shows the other file, with the same measure and filter.
    pub fn show_other(&mut self) {
        let Some(other) = self.other.as_mut().filter(|other| other.summary.is_some()) else { return };
        mem::swap(&mut self.name, &mut other.name);
        mem::swap(&mut self.summary, &mut other.summary);
        mem::swap(&mut self.timeline, &mut other.timeline);
        self.slot = if self.slot == Slot::Main { Slot::Other } else { Slot::Main };
        let measure = match (self.view.measure, self.measures()) {
            (Measure::Live(when), _) => Measure::Live(self.fit_when(when)),
            (measure, known) if known.contains(&measure) => measure,
            _ => Measure::Live(When::End),
        };
        self.change_view(|view| view.measure = measure);
    }

    /// Returns the names of both files, the one that the other is compared with first.
    pub fn both_names(&self) -> Option<[&str; 2]> {
        let other = self.other.as_ref()?;
        let names = [self.name.as_str(), other.name.as_str()];
        Some(if self.slot == Slot::Main { names } else { [names[1], names[0]] })
    }

    /// Returns the sampling rates of both files. Profiles have none.
    pub fn both_rates(&self) -> Option<[f64; 2]> {
        let rate = |summary: &Summary| summary.profile.is_none().then_some(summary.info.sample_rate);
        let (shown, other) = (self.summary.as_deref()?, self.other.as_ref()?.summary.as_deref()?);
        let rates = [rate(shown)?, rate(other)?];
        Some(if self.slot == Slot::Main { rates } else { [rates[1], rates[0]] })
    }
}
