//! Who is in a bin.

use serde::{Deserialize, Serialize};

use super::Of;
use crate::query::selection::Selection;
use crate::query::sorting::sort_by;
use crate::query::timeline::split::Classes;
use crate::query::tree::{KeyId, Label, ShapedTree};
use crate::trace::Trace;

/// Which objects of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Which {
    /// From one value, inclusive, to another, exclusive, as in a bin.
    Values { from: u64, to: u64 },
    /// Of lifetimes: those that were never collected.
    Never,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteOfBin {
    pub label: Label,
    pub samples: u64,
    pub bytes: f64,
}

/// The frames that allocated most of a bin, by samples, then by name.
pub fn sites_of_bin(
    trace: &Trace,
    selection: &Selection,
    tree: &ShapedTree,
    of: Of,
    which: Which,
    n: usize,
) -> Vec<SiteOfBin> {
    let keys = Classes::frames(tree);
    let mut samples_of_key = vec![0u64; keys.n_classes()];
    selection.for_each(&trace.columns, |rows, place| {
        let is_meant = match (which, of.value(trace, rows, place)) {
            (Which::Values { from, to }, Some(value)) => (from..to).contains(&value),
            (Which::Never, value) => value.is_none(),
            (Which::Values { .. }, None) => false,
        };
        if is_meant {
            samples_of_key[keys.of(rows, place) as usize] += u64::from(rows.n_samples(place));
        }
    });
    let sites = (0u32..).zip(samples_of_key).filter(|&(_, samples)| samples > 0).map(|(key, samples)| SiteOfBin {
        label: tree.allocating_label(trace, KeyId(key)),
        samples,
        bytes: samples as f64 * trace.bytes_a_sample(),
    });
    let mut sites: Vec<SiteOfBin> = sites.collect();
    sort_by(&mut sites, |a, b| b.samples.cmp(&a.samples).then_with(|| a.label.cmp(&b.label)));
    sites.truncate(n);
    sites
}
