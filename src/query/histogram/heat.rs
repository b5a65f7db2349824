//! Two histograms at once: lifetimes upwards, sizes or allocation times across.

use serde::{Deserialize, Serialize};

use super::bins::Place;
use super::{Bins, Of};
use crate::query::selection::Selection;
use crate::trace::{Rows, Trace};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HeatConfig {
    pub across: Across,
    pub across_bins: Bins,
    pub lifetime_bins: Bins,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Across {
    /// In words.
    Size,
    /// In µs since the trace's start.
    AllocationTime,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heat {
    pub across: Vec<AxisBin>,
    pub lifetimes: Vec<AxisBin>,
    /// By lifetime, shortest first, then across.
    pub samples: Vec<Vec<u64>>,
    /// Never collected, across.
    pub never: Vec<u64>,
    /// Samples beyond the bins of either axis.
    pub outside: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AxisBin {
    /// Inclusive.
    pub from: u64,
    /// Exclusive.
    pub to: u64,
}

pub fn heat(trace: &Trace, selection: &Selection, config: &HeatConfig) -> Heat {
    let (n_across, n_up) = (config.across_bins.len(), config.lifetime_bins.len());
    // The row behind the lifetimes is of those never collected.
    let mut sums = vec![0u64; n_across * (n_up + 1)];
    let (mut outside, mut widest, mut longest) = (0, 0, 0);
    selection.for_each(&trace.columns, |rows, place| {
        let samples = u64::from(rows.n_samples(place));
        let across = config.across.value(rows, place);
        let lifetime = Of::Lifetime.value(trace, rows, place);
        (widest, longest) = (across.max(widest), lifetime.unwrap_or(0).max(longest));
        let up = lifetime.map_or(Place::Bin(n_up), |lifetime| config.lifetime_bins.place(lifetime));
        match (config.across_bins.place(across), up) {
            (Place::Bin(across), Place::Bin(up)) => sums[up * n_across + across] += samples,
            _ => outside += samples,
        }
    });
    let at = |across: usize, up: usize| sums[up * n_across + across];
    let shown_across = config.across_bins.shown(|across| (0..=n_up).any(|up| at(across, up) > 0));
    let shown_up = config.lifetime_bins.shown(|up| (0..n_across).any(|across| at(across, up) > 0));
    let axis = |bins: Bins, bin: usize, largest: u64| {
        let range = bins.range(bin, largest);
        AxisBin { from: range.start, to: range.end }
    };
    let row = |up: usize| shown_across.clone().map(|across| at(across, up)).collect::<Vec<u64>>();
    Heat {
        across: shown_across.clone().map(|bin| axis(config.across_bins, bin, widest)).collect(),
        lifetimes: shown_up.clone().map(|bin| axis(config.lifetime_bins, bin, longest)).collect(),
        samples: shown_up.map(row).collect(),
        never: row(n_up),
        outside,
    }
}

impl Across {
    #[inline(always)]
    fn value(self, rows: &Rows<'_>, place: usize) -> u64 {
        match self {
            Across::Size => rows.size_words(place),
            Across::AllocationTime => rows.alloc_us(place),
        }
    }
}
