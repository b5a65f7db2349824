//! The allocation sites in a bin of a histogram or a cell of a heat map.

use serde::{Deserialize, Serialize};

use super::Of;
use super::heat::AxisBin;
use crate::query::selection::Selection;
use crate::query::sorting::sort_by;
use crate::query::timeline::split::Classes;
use crate::query::tree::{Allocators, KeyId, Label};
use crate::trace::{Rows, Trace};

/// Which objects to count. All conditions must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Within {
    /// In words.
    pub size: Option<AxisBin>,
    /// In µs since the trace's start.
    pub allocated: Option<AxisBin>,
    pub lifetime: Option<Which>,
}

/// Which objects of a histogram to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Which {
    /// A range of values, `from` inclusive and `to` exclusive, as in a bin.
    Values { from: u64, to: u64 },
    /// For lifetimes: objects that were never collected.
    Never,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BinSite {
    pub label: Label,
    pub samples: u64,
    pub bytes: f64,
}

/// Returns the `n` frames that allocated the most, by samples, then by name.
pub fn sites(trace: &Trace, selection: &Selection, allocators: &Allocators, within: &Within, n: usize) -> Vec<BinSite> {
    let keys = Classes::frames(trace, allocators);
    let mut samples_of_key = vec![0u64; keys.n_classes()];
    selection.for_each(&trace.columns, |rows, place| {
        if within.holds(trace, rows, place) {
            samples_of_key[keys.of(rows, place) as usize] += rows.n_samples(place);
        }
    });
    let sites = (0u32..).zip(samples_of_key).filter(|&(_, samples)| samples > 0).map(|(key, samples)| BinSite {
        label: allocators.label(&trace.calls, KeyId(key)),
        samples,
        bytes: samples as f64 * trace.bytes_a_sample(),
    });
    let mut sites: Vec<BinSite> = sites.collect();
    sort_by(&mut sites, |a, b| b.samples.cmp(&a.samples).then_with(|| a.label.cmp(&b.label)));
    sites.truncate(n);
    sites
}

impl Within {
    /// Selects a bin of a histogram.
    pub fn bin(of: Of, which: Which) -> Within {
        match (of, which) {
            (Of::Size, Which::Values { from, to }) => Within { size: Some(AxisBin { from, to }), ..Within::default() },
            _ => Within { lifetime: Some(which), ..Within::default() },
        }
    }

    #[inline(always)]
    fn holds(&self, trace: &Trace, rows: &Rows<'_>, place: usize) -> bool {
        self.size.is_none_or(|size| size.contains(rows.size_words(place)))
            && self.allocated.is_none_or(|allocated| allocated.contains(rows.alloc_us(place)))
            && self.lifetime.is_none_or(|which| match (which, Of::Lifetime.value(trace, rows, place)) {
                (Which::Values { from, to }, Some(value)) => (from..to).contains(&value),
                (Which::Never, value) => value.is_none(),
                (Which::Values { .. }, None) => false,
            })
    }
}
