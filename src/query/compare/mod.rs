//! What changed between two moments of one trace, or between two traces, whose functions are matched by name and file.
//!
//! Every row says how sure the change is: both sides are samples, and most differences between two runs are chance.
//! Two moments of one trace share the objects that live through both. Those are the very same samples, so they add
//! nothing to the error: it comes from what went and what came ([`Objects::other`]).

mod change;
mod diff;
mod side;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use change::{Change, Verdict};
use change::{Tested, decide_together, estimates_of_all};
pub use diff::{DiffBox, DiffConfig, DiffFlame, diff_flame};
use side::Sums;
pub use side::{Counted, Objects, Side};

use super::measure::{Measure, Unit};
use super::statistics::Estimate;
use super::tree::Label;
use crate::query::sorting::sort_by;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareConfig {
    /// Of two moments, one `live` measure stands for both.
    pub measure: Measure,
    pub sum: Sum,
    pub scale: Scale,
    /// How many rows are wanted.
    pub limit: usize,
}

/// Which objects count for a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sum {
    /// All that have it in their stack, each once.
    #[default]
    Total,
    /// Those that it allocated itself.
    Own,
}

/// What the figures of each side are divided by, for runs that differ in length or in work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scale {
    #[default]
    #[serde(rename = "as is")]
    AsIs,
    /// The trace's duration. What is live at a moment is never divided by it.
    #[serde(rename = "per second")]
    PerSecond,
    /// The MiB that the program allocated in all.
    #[serde(rename = "per allocated")]
    PerAllocated,
}

impl Scale {
    /// What stands behind an amount: `/s`.
    pub fn suffix(self) -> &'static str {
        match self {
            Scale::AsIs => "",
            Scale::PerSecond => "/s",
            Scale::PerAllocated => "/MiB",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub unit: Unit,
    pub scale: Scale,
    pub all: Change,
    /// What `all` is made of, before and after: whether a limit is passed can be tested with it.
    pub sides: [Estimate; 2],
    /// How many rows there are, wanted or not, and how many of them changed by more than chance.
    pub n_rows: usize,
    pub n_changed: usize,
    /// What changed by more than chance first; then the largest change first, then by name.
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub label: Label,
    pub change: Change,
}

/// Both sides must be read in the same shape.
pub fn compare(before: Side<'_>, after: Side<'_>, config: &CompareConfig) -> Comparison {
    let mut sums: BTreeMap<Label, [Sums; 2]> = BTreeMap::new();
    let mut all = [Sums::default(); 2];
    for (which, side) in [before, after].into_iter().enumerate() {
        let of_side = side.sums(config.sum);
        all[which] = of_side.all;
        for (key, sum) in of_side.iter() {
            sums.entry(side.tree.keys().label(side.calls, key)).or_default()[which].add(sum);
        }
    }
    let drawn = [before, after].map(|side| side.drawn(config.measure, config.scale));
    let tested: Vec<Tested> = sums.values().map(|[one, two]| Tested::new([one, two], drawn)).collect();
    let changes = decide_together(&tested, |_| false);
    let mut rows: Vec<Row> = sums.into_keys().zip(changes).map(|(label, change)| Row { label, change }).collect();
    // Stable, so labels stay in order.
    sort_by(&mut rows, |one, two| {
        let is_sure = |row: &Row| row.change.verdict.is_significant();
        let by_size = two.change.change.abs().total_cmp(&one.change.change.abs());
        is_sure(two).cmp(&is_sure(one)).then(by_size)
    });
    let n_rows = rows.len();
    let n_changed = rows.iter().filter(|row| row.change.verdict.is_significant()).count();
    rows.truncate(config.limit);
    let sides = estimates_of_all([&all[0], &all[1]], drawn);
    let all = Tested::new([&all[0], &all[1]], drawn).alone();
    let scale = if config.measure.is_stock() && config.scale == Scale::PerSecond { Scale::AsIs } else { config.scale };
    Comparison { unit: config.measure.unit(), scale, all, sides, n_rows, n_changed, rows }
}
