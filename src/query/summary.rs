//! What the trace is: the head of the page and `camlscope summary`. Field names are those of the command line's JSON.

use serde::{Deserialize, Serialize};

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
    /// Ids of the domains that wrote packets, ascending.
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
    pub context: String,
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
