//! Tests whether something grew significantly above a limit, for `compare --fail-above`.
//!
//! A limit is exceeded if the entire 95% interval of the growth is above it. With many rows, sampling alone puts some
//! above a limit. So their `p` is multiplied by the number of rows (Bonferroni), and a program that did not change
//! fails one time in 40.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::change::Tested;
use super::compared_side::SideSum;
use crate::query::sorting::sort_by;
use crate::query::statistics::{self, LEVEL, TAIL_95};
use crate::query::tree::Label;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateConfig {
    pub limit: Limit,
    /// Tests every row instead of only the total.
    pub by_row: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Limit {
    /// Relative to the figure before: 0.05 for 5%.
    Share(f64),
    /// In the measure's unit.
    Amount(f64),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    pub limit: Limit,
    /// Most significant first: the total, or the rows that exceed the limit. If none does, the row that comes closest.
    /// Empty if there are no rows.
    pub growths: Vec<RowGrowth>,
    pub exceeded: bool,
}

/// Relative to the figure before or in the measure's unit, like the limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowGrowth {
    /// `None` for the total.
    pub label: Option<Label>,
    pub before: f64,
    pub after: f64,
    /// Infinite if there was nothing before and the limit is a share.
    pub growth: f64,
    /// The 95% interval.
    pub low: f64,
    pub high: f64,
    /// The probability of such growth if the limit isn't exceeded.
    pub p: f64,
}

impl Gate {
    pub(super) fn new(
        config: GateConfig,
        all: Tested,
        rows: &BTreeMap<Label, [SideSum; 2]>,
        tested: &[Tested],
    ) -> Gate {
        let limit = config.limit;
        let mut growths = if config.by_row {
            // Rows with too few samples can't exceed any limit.
            let is_testable = |tested: &Tested| tested.least_p() <= LEVEL;
            let testable = rows.keys().zip(tested).filter(|(_, tested)| is_testable(tested));
            testable.map(|(label, tested)| RowGrowth::new(Some(label.clone()), tested, limit)).collect()
        } else {
            vec![RowGrowth::new(None, &all, limit)]
        };
        // The sort is stable, so labels stay in order.
        sort_by(&mut growths, |one, two| one.p.total_cmp(&two.p).then(two.growth.total_cmp(&one.growth)));
        let n = growths.len() as f64;
        growths.iter_mut().for_each(|growth| growth.p = (growth.p * n).min(1.0));
        let n_exceeded = growths.iter().filter(|growth| growth.p < TAIL_95).count();
        growths.truncate(n_exceeded.max(1));
        Gate { limit, growths, exceeded: n_exceeded > 0 }
    }
}

impl RowGrowth {
    /// Computes `p` as if this were the only row.
    fn new(label: Option<Label>, tested: &Tested, limit: Limit) -> RowGrowth {
        let change = tested.change();
        let (growth, (low, high), p) = match limit {
            Limit::Share(limit) => {
                let [before, after] = tested.sides;
                let (low, high) = statistics::ratio_interval(before, after);
                let growth = if change.change == 0.0 { 0.0 } else { after.value() / before.value() - 1.0 };
                (growth, (low - 1.0, high - 1.0), statistics::exceeds(before, after, 1.0 + limit))
            }
            Limit::Amount(limit) => {
                let p = statistics::exceeds_amount(change.change, change.low, limit);
                (change.change, (change.low, change.high), p)
            }
        };
        RowGrowth { label, before: change.before, after: change.after, growth, low, high, p }
    }

    /// Returns the margin of the 95% interval.
    pub fn error(&self) -> f64 {
        (self.high - self.growth).max(self.growth - self.low)
    }
}
