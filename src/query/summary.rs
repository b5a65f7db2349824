//! What the trace is: the head of the page and `camlscope summary`. Field names are those of the command line's JSON.

use serde::{Deserialize, Serialize};

use super::warnings;
use crate::ctf::Warning;
use crate::load::Loaded;
use crate::trace::SourceTotals;

/// Sums up a trace.
pub fn summary(loaded: &Loaded) -> Summary {
    let Loaded { finished, totals } = loaded;
    let info = &finished.info;
    let samples = totals.alloc_samples;
    Summary {
        format: "memtrace".to_owned(),
        version: info.version,
        file_bytes: finished.bytes,
        info: InfoSummary {
            sample_rate: info.sample_rate,
            word_size: info.word_size_bits,
            executable: info.executable.clone(),
            host: info.host.clone(),
            runtime_params: info.runtime_params.clone(),
            pid: info.pid,
            start_time_us: info.start_us,
            context: Some(info.context.clone()).filter(|context| !context.is_empty()),
        },
        events: EventCounts {
            alloc: totals.alloc_events.total(),
            promote: totals.n_promotes,
            collect: totals.n_collects,
        },
        allocs: totals.alloc_events.into(),
        samples: SampleCounts {
            total: samples.total(),
            minor: samples.minor,
            major: samples.major,
            external: samples.external,
        },
        allocated_bytes: samples.total() as f64 / info.sample_rate * info.word_bytes(),
        last_event_us: finished.last_event_us,
        end_us: finished.end_us,
        domains: finished.domain_ids.clone(),
        warnings: finished.warnings.iter().map(WarningSummary::new).collect(),
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// `memtrace` or `spacetime`.
    pub format: String,
    pub version: u16,
    pub file_bytes: u64,
    pub info: InfoSummary,
    pub events: EventCounts,
    /// Allocation events by source.
    pub allocs: BySource,
    pub samples: SampleCounts,
    pub allocated_bytes: f64,
    /// Latest event, and latest end of a packet: µs since the trace's start.
    pub last_event_us: u64,
    pub end_us: u64,
    /// Ids of the domains that wrote events, ascending.
    pub domains: Vec<u16>,
    pub warnings: Vec<WarningSummary>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InfoSummary {
    pub sample_rate: f64,
    /// In bits.
    pub word_size: u8,
    pub executable: String,
    pub host: String,
    pub runtime_params: String,
    pub pid: u64,
    /// µs since the Unix epoch; 0 in anonymised traces.
    pub start_time_us: u64,
    /// None where the program gave none.
    pub context: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCounts {
    pub alloc: u64,
    pub promote: u64,
    pub collect: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BySource {
    pub minor: u64,
    pub major: u64,
    pub external: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleCounts {
    pub total: u64,
    pub minor: u64,
    pub major: u64,
    pub external: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarningSummary {
    /// A stable word: `truncated`, `foreign-pid`, …
    pub kind: String,
    pub count: u64,
    /// Where in the file it was first met.
    pub first_offset: u64,
    /// What it means for the reader, in one sentence.
    pub text: String,
}

impl WarningSummary {
    fn new(warning: &Warning) -> WarningSummary {
        WarningSummary {
            kind: warnings::kind(warning.kind).to_owned(),
            count: warning.count,
            first_offset: warning.first_offset,
            text: warnings::text(warning),
        }
    }
}

impl From<SourceTotals> for BySource {
    fn from(totals: SourceTotals) -> BySource {
        BySource { minor: totals.minor, major: totals.major, external: totals.external }
    }
}
