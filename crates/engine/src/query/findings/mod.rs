//! The three or four things that a good engineer would point out first, each with a link to the view that shows it.
//!
//! OCaml's standard library makes most of a program's allocations, so the function that allocates would usually be
//! `List.map`. Findings therefore attribute library code to its callers ([`shape`]). The figures are those of the
//! "self" column in the table, with the finding's own filter and measure. [`rules`] and [`over_time`] have the
//! thresholds.

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

/// The maximum number of findings.
pub const MAX_FINDINGS: usize = 4;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub evidence: Evidence,
    pub figures: Figures,
    /// The function that the finding is about, or the one that allocates most of a burst.
    pub function: Option<Label>,
    pub filter: Filter,
    pub measure: Measure,
    pub view: View,
    /// Larger first. Only comparable within one trace.
    pub weight: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// No conclusion can be drawn.
    TooFewSamples,
    /// The heap is growing.
    Growing,
    /// One function holds much of the peak.
    PeakHolder,
    /// The memory of the peak comes and goes within a short time.
    Burst,
    /// Much of the peak is never freed, although nothing grows.
    NeverFreed,
    /// Many bytes are promoted and then die.
    PromotedDies,
    /// Many bytes go directly to the major heap.
    LargeBlocks,
    /// Many bytes are allocated outside the OCaml heap.
    OutsideHeap,
    /// One function allocates a large share of all bytes.
    Allocator,
    /// Many bytes are allocated within a short time.
    Rush,
    /// The program is idle for a long time.
    Idle,
    /// The trace is so short that it is mostly startup.
    Short,
}

/// The evidence of a finding: the data that its text needs in addition to the figures. Times are in µs since the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Evidence {
    /// `rate` is the rate of the samples in the model, `sample_rate` that of the trace.
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
    /// `minor_heap_bytes` is `None` if the runtime parameters don't include the size of the minor heap.
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

/// A function that accounts for most of something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MainCause {
    pub function: Label,
    /// From 0 to 1.
    pub share: f64,
}

/// How much of the memory that is never freed is outside the OCaml heap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum KeptOutside {
    Nothing,
    /// Too little for a figure.
    Little,
    Bytes(f64),
    Everything,
}

/// What an allocator's bytes are compared with: the duration of a trace, or all bytes of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum AllocatorWhole {
    Seconds(f64),
    Bytes(f64),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    pub samples: u64,
    pub bytes: f64,
    /// From 0 to 1. The counted objects are always part of `share_of`.
    pub share: f64,
    pub share_of: ShareOf,
    /// The margin of the 95% interval of `share`.
    pub share_error: f64,
    /// Only for growth.
    pub bytes_per_second: Option<f64>,
}

/// The total that a share refers to.
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

/// The view that shows a finding.
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

    /// Returns the function that the figures are about. `None` if they are about all functions.
    pub fn function_of_figures(&self) -> Option<&Label> {
        match self.kind() {
            Kind::Burst | Kind::Rush => None,
            _ => self.function.as_ref(),
        }
    }
}

/// Returns the shape of stacks for findings. [`FindingSums`] and [`findings`] take allocators of this shape.
pub fn shape() -> Shape {
    Shape::new(Grain::Function, false, &Filter { clauses: vec![library()] })
}

/// Returns the findings with the largest weights.
pub fn findings(trace: &Trace, allocators: &Allocators, sums: &FindingSums, heap: &HeapGrowth) -> Vec<Finding> {
    let mut found = rules::apply(trace, allocators, sums, heap);
    // The sort is stable, so equal weights stay in the order of the rules.
    sort_by(&mut found, |one, two| two.weight.total_cmp(&one.weight));
    found.truncate(MAX_FINDINGS);
    found
}
