//! The three or four things that a good engineer would point at first, each a link into the view that shows it.
//!
//! OCaml's library allocates most of what programs allocate, so naming the function that allocated would name
//! `List.map`. Findings therefore read stacks without library code ([`shape`]): what it allocates counts for the
//! program's function that called it. The figures are those of the table of "self" under the finding's own filter and
//! measure. [`rules`] and [`over_time`] hold the thresholds.

mod over_time;
mod rules;
mod sums;

use serde::{Deserialize, Serialize};

pub use rules::{MIN_PEAK_SHARE, MIN_PROMOTED_DEAD_SHARE};
pub use sums::FindingSums;

use super::filter::Filter;
pub use super::filter::presets::library;
use super::growth::HeapGrowth;
use super::measure::Measure;
use super::tree::{Allocators, Grain, Label, Shape};
use crate::query::sorting::sort_by;
use crate::trace::Trace;

/// The most findings that are returned.
pub const MAX_FINDINGS: usize = 4;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub evidence: Evidence,
    pub figures: Figures,
    /// The function that it is about, or that allocates most of a burst.
    pub function: Option<Label>,
    pub filter: Filter,
    pub measure: Measure,
    pub view: View,
    /// Larger first; only comparable within one trace.
    pub weight: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// No conclusion can be drawn.
    TooFewSamples,
    /// The heap grows.
    Growing,
    /// One function holds much of the peak.
    PeakHolder,
    /// What makes the peak comes and goes within a short time.
    Burst,
    /// Much of the peak is never freed, though nothing grows.
    NeverFreed,
    /// Much is promoted and dies then.
    PromotedDies,
    /// Much goes straight to the major heap.
    LargeBlocks,
    /// Much is allocated outside the OCaml heap.
    OutsideHeap,
    /// One function allocates much of all.
    Allocator,
    /// Much is allocated within a short time.
    Rush,
    /// The program waits for long.
    Idle,
    /// The trace is so short that start-up is most of it.
    Short,
}

/// The evidence of a finding: the data that a sentence needs in addition to the figures. Times are in µs since the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Evidence {
    /// `rate` is that of the samples in the model, `sample_rate` that of the recording.
    TooFewSamples {
        rate: f64,
        sample_rate: f64,
        bytes_per_sample: f64,
    },
    Growing(Box<HeapGrowth>),
    PeakHolder {
        peak_bytes: f64,
        at_us: u64,
        is_profile: bool,
    },
    Burst {
        peak_bytes: f64,
        at_us: u64,
        median_bytes: f64,
        main_share: Option<f64>,
    },
    NeverFreed {
        major_bytes: f64,
        outside: KeptOutside,
        main_cause: Option<MainCause>,
        heap: Box<HeapGrowth>,
    },
    /// None where the runtime's parameters don't say how large the minor heap is.
    PromotedDies {
        main_cause: Option<MainCause>,
        minor_heap_bytes: Option<f64>,
    },
    LargeBlocks {
        main_cause: Option<MainCause>,
    },
    OutsideHeap {
        main_cause: Option<MainCause>,
    },
    Allocator {
        per: AllocatorWhole,
    },
    Rush {
        at_us: u64,
        duration_us: u64,
        times_usual: f64,
        main_share: Option<f64>,
        n_rushes: usize,
    },
    Idle {
        from_us: u64,
        to_us: u64,
    },
    Short {
        end_us: u64,
    },
}

/// A function that is most of something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MainCause {
    pub function: Label,
    /// Of 1.
    pub share: f64,
}

/// How much of what is never freed is outside the OCaml heap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum KeptOutside {
    Nothing,
    /// Not worth a figure.
    Little,
    Bytes(f64),
    Everything,
}

/// What an allocator's bytes are set against: a trace's duration, or all bytes of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum AllocatorWhole {
    Seconds(f64),
    Bytes(f64),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    pub samples: u64,
    pub bytes: f64,
    /// Of 1. The objects counted are always a part of `share_of`.
    pub share: f64,
    pub share_of: ShareOf,
    /// The margin of the 95% interval of `share`.
    pub share_error: f64,
    /// Where something grows.
    pub bytes_per_second: Option<f64>,
}

/// The whole that a share is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShareOf {
    #[default]
    Allocated,
    /// Live at the peak.
    Peak,
    /// Live at the end.
    End,
    /// The trace's duration.
    Time,
}

/// Where the page shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    Summary,
    Timeline,
    Flame,
    Table,
    Histograms,
    Leaks,
}

impl Finding {
    pub fn kind(&self) -> Kind {
        match self.evidence {
            Evidence::TooFewSamples { .. } => Kind::TooFewSamples,
            Evidence::Growing(_) => Kind::Growing,
            Evidence::PeakHolder { .. } => Kind::PeakHolder,
            Evidence::Burst { .. } => Kind::Burst,
            Evidence::NeverFreed { .. } => Kind::NeverFreed,
            Evidence::PromotedDies { .. } => Kind::PromotedDies,
            Evidence::LargeBlocks { .. } => Kind::LargeBlocks,
            Evidence::OutsideHeap { .. } => Kind::OutsideHeap,
            Evidence::Allocator { .. } => Kind::Allocator,
            Evidence::Rush { .. } => Kind::Rush,
            Evidence::Idle { .. } => Kind::Idle,
            Evidence::Short { .. } => Kind::Short,
        }
    }

    /// The function that the figures are of; none where they are of all functions.
    pub fn function_of_figures(&self) -> Option<&Label> {
        match self.kind() {
            Kind::Burst | Kind::Rush => None,
            _ => self.function.as_ref(),
        }
    }
}

/// How findings read stacks: [`FindingSums`] and this query take the allocators of this shape.
pub fn shape() -> Shape {
    Shape::new(Grain::Function, false, &Filter { clauses: vec![library()] })
}

/// The weightiest findings.
pub fn findings(trace: &Trace, allocators: &Allocators, sums: &FindingSums, heap: &HeapGrowth) -> Vec<Finding> {
    let mut found = rules::apply(trace, allocators, sums, heap);
    // Stable, so equal weights stay in the order of the rules.
    sort_by(&mut found, |one, two| two.weight.total_cmp(&one.weight));
    found.truncate(MAX_FINDINGS);
    found
}
