//! What changed between two points in time of one trace, or between two traces, whose functions are matched by name and
//! file.
//!
//! Every row shows whether its change is significant: both sides are samples, and most differences between two runs are
//! random. Two points in time of the same trace share the objects that live through both. These are the same samples,
//! so they add nothing to the error. It comes from what disappeared and what appeared ([`Objects::other`]).

mod change;
mod compared_side;
mod diff;
mod gate;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use change::{Change, Verdict};
use change::{Drawn, Significance, Tested};
pub use compared_side::{ComparedSide, Counted, Objects};
use compared_side::{SideSum, SideSums};
pub use diff::{DiffBox, DiffConfig, DiffFlame, diff_flame};
pub use gate::{Gate, GateConfig, Limit, RowGrowth};

use super::measure::{Measure, Unit};
use super::tree::Label;
use crate::query::sorting::sort_by;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareConfig {
    /// If two points in time are compared, one `live` measure represents both.
    pub measure: Measure,
    pub sum: Sum,
    pub scale: Scale,
    /// The maximum number of rows.
    pub limit: usize,
    /// The limit to test growth against, if any.
    pub gate: Option<GateConfig>,
}

/// Which objects count toward a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sum {
    /// Objects with the frame anywhere in their stack, each counted once.
    #[default]
    Total,
    /// Objects that the frame itself allocated.
    Own,
}

/// The divisor of the figures of each side, for runs that differ in length or work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scale {
    #[default]
    #[serde(rename = "as is")]
    AsIs,
    /// The trace's duration. Live bytes at a point in time are never divided by it.
    #[serde(rename = "per second")]
    PerSecond,
    /// The MiB that the program allocated in total.
    #[serde(rename = "per allocated")]
    PerAllocated,
}

impl Scale {
    /// Returns the suffix of an amount, such as `/s`.
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
    pub gate: Option<Gate>,
    /// The number of all rows, and (`n_changed`) of those that changed significantly.
    pub n_rows: usize,
    pub n_changed: usize,
    /// Significant changes first, then by the size of the change, then by name.
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub label: Label,
    pub change: Change,
}

/// Both sides must have the same shape.
pub fn compare(before: ComparedSide<'_>, after: ComparedSide<'_>, config: &CompareConfig) -> Comparison {
    let sides = [before, after];
    let drawn = sides.map(|side| side.drawn(config.measure, config.scale));
    let totals = ByLabel::new(sides, sides.map(|side| side.sums(Sum::Total)));
    let significance = totals.significance(drawn);
    let all = significance.decide(&totals.tested_all(drawn));
    let sums = match config.sum {
        Sum::Total => totals,
        Sum::Own => ByLabel::new(sides, sides.map(|side| side.sums(Sum::Own))),
    };
    let tested = sums.tested(drawn);
    let gate = config.gate.map(|gate| Gate::new(gate, sums.tested_all(drawn), &sums.rows, &tested));
    let changes = tested.iter().map(|tested| significance.decide(tested));
    let mut rows: Vec<Row> = sums.rows.into_keys().zip(changes).map(|(label, change)| Row { label, change }).collect();
    // The sort is stable, so labels stay in order.
    sort_by(&mut rows, |one, two| {
        let is_significant = |row: &Row| row.change.verdict.is_significant();
        let by_size = two.change.change.abs().total_cmp(&one.change.change.abs());
        is_significant(two).cmp(&is_significant(one)).then(by_size)
    });
    let n_rows = rows.len();
    let n_changed = rows.iter().filter(|row| row.change.verdict.is_significant()).count();
    rows.truncate(config.limit);
    let scale = if config.measure.is_stock() && config.scale == Scale::PerSecond { Scale::AsIs } else { config.scale };
    Comparison { unit: config.measure.unit(), scale, all, gate, n_rows, n_changed, rows }
}

/// Raw sums of both sides, matched by label.
struct ByLabel {
    all: [SideSum; 2],
    rows: BTreeMap<Label, [SideSum; 2]>,
}

impl ByLabel {
    fn new(sides: [ComparedSide<'_>; 2], sums: [SideSums; 2]) -> ByLabel {
        let mut rows: BTreeMap<Label, [SideSum; 2]> = BTreeMap::new();
        for (which, (side, sums)) in sides.into_iter().zip(&sums).enumerate() {
            for (key, sum) in sums.iter() {
                rows.entry(side.tree.keys().label(side.calls, key)).or_default()[which].add(sum);
            }
        }
        ByLabel { all: sums.map(|sums| sums.all), rows }
    }

    fn tested_all(&self, drawn: [Drawn; 2]) -> Tested {
        Tested::new([&self.all[0], &self.all[1]], drawn)
    }

    /// In the order of the rows.
    fn tested(&self, drawn: [Drawn; 2]) -> Vec<Tested> {
        self.rows.values().map(|[before, after]| Tested::new([before, after], drawn)).collect()
    }

    fn significance(&self, drawn: [Drawn; 2]) -> Significance {
        Significance::of(self.tested(drawn).iter().chain([&self.tested_all(drawn)]))
    }
}
