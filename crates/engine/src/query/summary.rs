//! The summary of a trace, for the page's header and `camlscope summary`. Field names are those of the command line's
//! JSON.

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::profile::ProfileSummary;
pub use super::warnings::{WarningKind, WarningSummary};
use crate::query::statistics;
use crate::trace::Trace;
use crate::trace::sampling_hash::mix;
use camlscope_formats::ctf::CodeId;

pub fn summary(trace: &Trace) -> Summary {
    let Trace { info, totals, .. } = trace;
    let samples = totals.alloc_samples;
    let bytes = |samples: u64| samples as f64 / info.sample_rate * info.word_bytes();
    let used = (0u32..).zip(&trace.calls.code_used).filter(|&(id, &used)| used && id != CodeId::LOST.0);
    let codes: Vec<CodeId> = used.map(|(id, _)| CodeId(id)).collect();
    let frames = codes.iter().filter_map(|&code| trace.calls.frames.of_code(code)).flatten();
    let functions: FxHashSet<_> = frames.map(|frame| frame.function).collect();
    Summary {
        format: "memtrace".to_owned(),
        version: info.version,
        file_bytes: trace.file_bytes,
        decompressed_bytes: trace.bytes,
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
        allocs: BySource {
            minor: totals.alloc_events.minor,
            major: totals.alloc_events.major,
            external: totals.alloc_events.external,
            custom: totals.custom_events,
        },
        samples: SampleCounts {
            total: samples.total(),
            minor: samples.minor,
            major: samples.major,
            external: samples.external,
            custom: totals.custom_samples,
            promoted: totals.promoted_samples,
            custom_promoted: totals.custom_promoted_samples,
            live_at_end: totals.live_at_end_samples,
        },
        allocated_bytes: bytes(samples.total()),
        peak: PeakSummary { samples: totals.peak.samples, bytes: bytes(totals.peak.samples), at_us: totals.peak.at_us },
        last_event_us: trace.last_event_us,
        end_us: trace.end_us,
        domains: trace.domain_ids.clone(),
        objects: trace.columns.len() as u64,
        location_codes: codes.len() as u64,
        functions: functions.len() as u64,
        distinct_stacks: None,
        max_depth: totals.max_depth as u64,
        sizes: None,
        downsampled: (trace.downsampled > 1).then_some(trace.downsampled),
        warnings: trace
            .warnings
            .iter()
            .map(|warning| warning.map(WarningKind::Trace))
            .chain(downsampling_notice(trace))
            .collect(),
        profile: None,
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// `memtrace` or `spacetime`.
    pub format: String,
    pub version: u16,
    pub file_bytes: u64,
    /// Larger than `file_bytes` if the file is compressed.
    #[serde(rename = "unpacked_bytes")]
    pub decompressed_bytes: u64,
    pub info: InfoSummary,
    pub events: EventCounts,
    /// Allocation events by source.
    pub allocs: BySource,
    pub samples: SampleCounts,
    pub allocated_bytes: f64,
    pub peak: PeakSummary,
    /// The time of the last event, in µs since the trace's start. `end_us` is the latest end of a packet.
    pub last_event_us: u64,
    pub end_us: u64,
    /// Ids of the domains that wrote events, ascending.
    pub domains: Vec<u16>,
    /// Rows of the model. Fewer than allocations if the trace was downsampled.
    pub objects: u64,
    /// Distinct codes that occur in stacks.
    pub location_codes: u64,
    /// Distinct functions that occur in stacks, inlined ones included.
    pub functions: u64,
    /// Distinct sequences of codes among the objects in the model. `None` if not counted.
    pub distinct_stacks: Option<u64>,
    /// Codes in the deepest stack.
    pub max_depth: u64,
    /// For the objects in the model. `None` if not counted.
    pub sizes: Option<SizeShares>,
    /// 1 in this many samples is in the model; `None` if all are.
    #[serde(rename = "thinned")]
    pub downsampled: Option<u32>,
    pub warnings: Vec<WarningSummary>,
    /// Only for Spacetime profiles. The fields above that a profile lacks are then empty or 0.
    pub profile: Option<Box<ProfileSummary>>,
}

impl Summary {
    /// Returns the bytes that these samples represent.
    pub fn bytes_of(&self, samples: u64) -> f64 {
        samples as f64 / self.info.sample_rate * f64::from(self.info.word_size) / 8.0
    }

    /// Returns the relative margin of the 95% interval of the allocated bytes. `None` if nothing was allocated.
    pub fn allocated_error(&self) -> Option<f64> {
        statistics::relative_margin(self.samples.total, self.info.sample_rate)
    }

    /// Like [`Summary::allocated_error`] for the peak, live bytes at the end and promoted bytes, which are estimated
    /// from the samples in the model.
    pub fn kept_error(&self, samples: u64) -> Option<f64> {
        statistics::relative_margin(samples / u64::from(self.downsampled.unwrap_or(1).max(1)), self.kept_rate())
    }

    /// Returns the sampling rate after downsampling.
    pub fn kept_rate(&self) -> f64 {
        self.info.sample_rate / f64::from(self.downsampled.unwrap_or(1).max(1))
    }
}

/// The share of bytes in small blocks, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SizeShares {
    pub up_to_4_words: f64,
    pub up_to_16_words: f64,
    /// Larger blocks are never in the minor heap.
    pub up_to_256_words: f64,
    pub largest_words: u64,
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
    /// µs since the Unix epoch; 0 in anonymized traces.
    pub start_time_us: u64,
    /// `None` if the program didn't set one.
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
    /// The part of `minor` that is memory outside the heap, held by custom blocks ([`crate::trace::MAX_MINOR_WORDS`]).
    pub custom: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleCounts {
    pub total: u64,
    pub minor: u64,
    pub major: u64,
    pub external: u64,
    /// The part of `minor` that is memory outside the heap.
    pub custom: u64,
    /// As reported in the trace. This includes memory outside the heap, of which only the custom block moved.
    pub promoted: u64,
    /// The part of `promoted` that is memory outside the heap.
    pub custom_promoted: u64,
    pub live_at_end: u64,
}

/// The first maximum of live samples, over all events in time order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PeakSummary {
    pub samples: u64,
    pub bytes: f64,
    pub at_us: u64,
}

impl SampleCounts {
    /// Returns the samples that moved from the minor to the major heap.
    pub fn moved(&self) -> u64 {
        self.promoted.saturating_sub(self.custom_promoted)
    }
}

fn downsampling_notice(trace: &Trace) -> Option<WarningSummary> {
    (trace.downsampled > 1).then(|| WarningSummary {
        kind: WarningKind::DownsampledTrace,
        count: u64::from(trace.downsampled),
        first_offset: 0,
        bytes: 0,
    })
}

/// Takes one pass over all objects.
pub fn size_shares(trace: &Trace) -> SizeShares {
    let mut samples = [0u64; 4];
    let mut largest_words = 0;
    for rows in trace.columns.chunks() {
        for place in 0..rows.len() {
            let size = rows.size_words(place);
            let class = usize::from(size > 4) + usize::from(size > 16) + usize::from(size > 256);
            samples[class] += rows.n_samples(place);
            largest_words = largest_words.max(size);
        }
    }
    let all = samples.iter().sum::<u64>().max(1) as f64;
    let up_to = |class: usize| samples[..=class].iter().sum::<u64>() as f64 / all;
    SizeShares { up_to_4_words: up_to(0), up_to_16_words: up_to(1), up_to_256_words: up_to(2), largest_words }
}

/// Counts distinct stacks. The stack tree has duplicates, so equal stacks may be different nodes. They are recognized
/// by a hash of all their codes. With ten million stacks, two different ones have the same hash in a few traces
/// out of a million. Takes about 16 bytes per stack node while it runs.
pub fn distinct_stacks(trace: &Trace) -> u64 {
    let mut is_used = vec![0u64; trace.calls.stacks.len().div_ceil(64)];
    for rows in trace.columns.chunks() {
        for place in 0..rows.len() {
            let stack = rows.stack(place);
            is_used[stack / 64] |= 1 << (stack % 64);
        }
    }
    let n_used = is_used.iter().map(|bits| bits.count_ones() as usize).sum();
    let mut distinct: Vec<u64> = Vec::with_capacity(n_used);
    let of_code: Vec<u64> = (0..trace.calls.codes.len() as u64).map(|code| mix(code + 1)).collect();
    let mut hashes: Vec<u64> = Vec::with_capacity(trace.calls.stacks.len());
    for (stack, parent, code) in trace.calls.stacks.iter() {
        let above = hashes.get(parent.0 as usize).copied().unwrap_or(0);
        let hash = mix(above ^ of_code[code.0 as usize]);
        hashes.push(hash);
        if is_used[stack.0 as usize / 64] >> (stack.0 % 64) & 1 == 1 {
            distinct.push(hash);
        }
    }
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len() as u64
}
