//! Search: which names match, and how much memory has a match anywhere in its stack.

use serde::{Deserialize, Serialize};

use super::weights::{RawAmount, Weighed};
use crate::query::filter::FilterError;
use crate::query::search::Search;
use crate::query::tree::{GroupId, Keys};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The matching keys ([`super::FlameName::key`]), ascending.
    pub keys: Vec<u32>,
    /// Everything with a matching frame, each object counted once, in the measure's unit.
    pub total: f64,
    pub samples: u64,
    /// Of everything that passes the filter.
    pub percent: f64,
    /// The relative margin of the 95% interval of `total`. `None` without samples.
    pub error: Option<f64>,
    /// The margin of the 95% interval of `percent`, in percentage points.
    pub percent_error: f64,
}

/// `text` is what the user typed, see [`Search`]. An empty text finds nothing.
pub fn find(of: &Weighed<'_>, text: &str) -> Result<Found, FilterError> {
    let search = Search::parse(text)?;
    let keys = of.tree.keys();
    let is_match: Vec<bool> = keys
        .iter()
        .map(|(id, _)| {
            id != Keys::ROOT && search.as_ref().is_some_and(|search| search.finds(&keys.label(of.calls, id)))
        })
        .collect();
    let groups = of.tree.groups();
    // Whether the group or one above it matches.
    let mut is_below = vec![false; groups.len()];
    let mut found = RawAmount::default();
    for group in groups.iter() {
        let at = group.0 as usize;
        let is_above = is_below[groups.parent(group).0 as usize];
        is_below[at] = is_above || is_match[groups.key(group).0 as usize];
        if is_below[at] && !is_above {
            found += of.total(group);
        }
    }
    let all = of.total(GroupId::ROOT);
    let share = if all.weight > 0.0 { found.weight / all.weight } else { 0.0 };
    Ok(Found {
        keys: (0..).zip(&is_match).filter(|(_, is_match)| **is_match).map(|(key, _)| key).collect(),
        total: found.weight * of.scale,
        samples: found.n_samples(),
        percent: 100.0 * share,
        error: of.error(found),
        percent_error: 100.0 * of.share_error(share, all),
    })
}
