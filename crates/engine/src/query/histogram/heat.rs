//! A histogram in two dimensions: lifetimes upward, sizes or allocation times across.

use serde::{Deserialize, Serialize};

use super::bins::BinPlace;
use super::{BinAmounts, Bins, Of, Sum};
use crate::query::selection::Selection;
use crate::trace::{GcTimeId, Rows, Trace};

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

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    pub across: Vec<AxisBin>,
    pub lifetimes: Vec<AxisBin>,
    /// Row by row, by lifetime from shortest to longest, then a row for objects that were never collected.
    pub cells: Vec<BinAmounts>,
    /// Samples outside the bins of either axis.
    pub outside: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AxisBin {
    /// Inclusive.
    pub from: u64,
    /// Exclusive.
    pub to: u64,
}

pub fn heat(trace: &Trace, selection: &Selection, config: &HeatConfig) -> Heat {
    let (n_across, n_up) = (config.across_bins.len(), config.lifetime_bins.len());
    // The row after the lifetimes is for objects that were never collected.
    let mut sums = vec![Sum::default(); n_across * (n_up + 1)];
    let (mut outside, mut widest, mut longest) = (0, 0, 0);
    selection.for_each(&trace.columns, |rows, place| {
        let samples = rows.n_samples(place);
        let across = config.across.value(rows, place);
        let lifetime = Of::Lifetime.value(trace, rows, place);
        (widest, longest) = (across.max(widest), lifetime.unwrap_or(0).max(longest));
        let up = lifetime.map_or(BinPlace::Bin(n_up), |lifetime| config.lifetime_bins.place(lifetime));
        match (config.across_bins.place(across), up) {
            (BinPlace::Bin(across), BinPlace::Bin(up)) => {
                let blocks = rows.samples(place) / (rows.size_words(place) + 1) as f64;
                sums[up * n_across + across].add(samples, blocks, rows.end(place) == GcTimeId::NEVER);
            }
            _ => outside += samples,
        }
    });
    let at = |across: usize, up: usize| sums[up * n_across + across].samples;
    let shown_across = config.across_bins.shown(|across| (0..=n_up).any(|up| at(across, up) > 0));
    let shown_up = config.lifetime_bins.shown(|up| (0..n_across).any(|across| at(across, up) > 0));
    let axis = |bins: Bins, bin: usize, largest: u64| {
        let range = bins.range(bin, largest);
        AxisBin { from: range.start, to: range.end }
    };
    let rows = shown_up.clone().chain([n_up]);
    let cells = rows.flat_map(|up| shown_across.clone().map(move |across| up * n_across + across));
    Heat {
        across: shown_across.clone().map(|bin| axis(config.across_bins, bin, widest)).collect(),
        lifetimes: shown_up.map(|bin| axis(config.lifetime_bins, bin, longest)).collect(),
        cells: cells.map(|cell| sums[cell].amounts(trace)).collect(),
        outside,
    }
}

impl Heat {
    /// Returns a cell by its column and row. The row after the lifetimes is for objects that were never collected.
    pub fn cell(&self, across: usize, up: usize) -> BinAmounts {
        let is_inside = across < self.across.len();
        let cell = is_inside.then(|| self.cells.get(up * self.across.len() + across)).flatten();
        cell.copied().unwrap_or_default()
    }
}

impl AxisBin {
    #[inline(always)]
    pub fn contains(&self, value: u64) -> bool {
        (self.from..self.to).contains(&value)
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
