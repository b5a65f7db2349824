//! The axes of a timeline: the unit of amounts, and the kind of time.

use crate::format::{self, Units};
use camlscope_engine::query::profile::{Mark, ProfileSummary};
use camlscope_engine::query::timeline::Graph;

/// The unit of each axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axes {
    pub graph: Graph,
    pub times: Times,
    pub units: Units,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Times {
    #[default]
    Elapsed,
    /// The time of day. The value is the start of the trace in µs since the Unix epoch.
    OfDay(u64),
    /// CPU time, for a profile.
    Cpu(Snapshots),
}

/// The snapshots and named events on a profile's time axis. Nothing is known between two snapshots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshots {
    /// In µs, ascending.
    pub at_us: Vec<u64>,
    /// Events that the program named, ascending.
    pub flags: Vec<Mark>,
}

impl From<&ProfileSummary> for Snapshots {
    fn from(profile: &ProfileSummary) -> Snapshots {
        let at_us = profile.snapshots.iter().map(|snapshot| snapshot.at_us).collect();
        Snapshots { at_us, flags: profile.marks.clone() }
    }
}

impl Axes {
    /// `2.194 s`, with the kind of time if it isn't elapsed time.
    pub fn time_words(&self, us: u64) -> String {
        match self.times {
            Times::Cpu(_) => format!("{} of CPU time", format::elapsed_us(us)),
            Times::Elapsed => format::elapsed_us(us),
            Times::OfDay(start_us) => format::exact_time_of_day(start_us + us),
        }
    }

    /// `4.54 MiB`, or `198,536 blocks`.
    pub fn amount(&self, value: f64) -> String {
        match self.graph {
            Graph::LiveBytes | Graph::Allocated => self.units.bytes(value),
            Graph::LiveBlocks => format!("{} blocks", format::count(value.round() as u64)),
        }
    }

    /// Returns the snapshot at or before a time. `None` before the first one, and for a trace.
    pub(super) fn snapshot_at(&self, us: f64) -> Option<u64> {
        let Times::Cpu(Snapshots { at_us, .. }) = &self.times else { return None };
        let n_before = at_us.partition_point(|at_us| *at_us as f64 <= us);
        n_before.checked_sub(1).and_then(|at| at_us.get(at)).copied()
    }
}
