//! What changed between two moments of one trace, or between two traces, whose functions are matched by name and file.
//!
//! Every row says how sure the change is: both sides are samples, and most differences between two runs are chance.
//! Two moments of one trace share the objects that live through both. Those are the very same samples, so they add
//! nothing to the error: it comes from what went and what came ([`Side::other`]).

mod diff;
mod side;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use diff::{DiffBox, DiffConfig, DiffFlame, diff_flame};
pub use side::Side;
use side::Sums;

use super::measure::{Measure, Unit};
use super::tree::Label;
use crate::query::sorting::sort_by;

/// So many standard errors make a change count. A table has some thousand rows: at 3, chance alone would mark three of
/// them; at 4, it marks one in every sixteen tables. Something new needs 16 samples for it.
pub const MIN_SIGMAS: f64 = 4.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareConfig {
    /// Of two moments, one `live` measure stands for both.
    pub measure: Measure,
    pub sum: Sum,
    /// Divides each side by its trace's duration: for runs of different length.
    pub per_second: bool,
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub unit: Unit,
    pub per_second: bool,
    pub all: Change,
    /// How many rows there are, wanted or not.
    pub n_rows: usize,
    /// The largest change first, then by name.
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub label: Label,
    pub change: Change,
}

/// In the measure's unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub before: f64,
    pub after: f64,
    pub change: f64,
    pub samples_before: u64,
    pub samples_after: u64,
    /// The standard error of `change`.
    pub error: f64,
    /// How many standard errors the change is; none where every word was sampled, so that there is no error.
    pub sigmas: Option<f64>,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Nothing before.
    New,
    /// Nothing after.
    Gone,
    Grew,
    Shrank,
    /// May be chance.
    Unclear,
    Same,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::New => "new",
            Verdict::Gone => "gone",
            Verdict::Grew => "grew",
            Verdict::Shrank => "shrank",
            Verdict::Unclear => "may be chance",
            Verdict::Same => "the same",
        }
    }

    pub fn is_significant(self) -> bool {
        !matches!(self, Verdict::Unclear | Verdict::Same)
    }
}

/// Both sides must be read in the same shape.
pub fn compare(before: Side<'_>, after: Side<'_>, config: &CompareConfig) -> Comparison {
    let mut sums: BTreeMap<Label, [Sums; 2]> = BTreeMap::new();
    let mut all = [Sums::default(); 2];
    for (which, side) in [before, after].into_iter().enumerate() {
        let of_side = side.sums(config.sum);
        all[which] = of_side.all;
        for (key, sum) in of_side.iter() {
            sums.entry(side.tree.keys().label(side.trace, key)).or_default()[which].add(sum);
        }
    }
    let mut rows: Vec<Row> = sums
        .into_iter()
        .map(|(label, [one, two])| Row { label, change: change(before, &one, after, &two, config) })
        .collect();
    // Stable, so labels stay in order.
    sort_by(&mut rows, |one, two| two.change.change.abs().total_cmp(&one.change.change.abs()));
    let n_rows = rows.len();
    rows.truncate(config.limit);
    let all = change(before, &all[0], after, &all[1], config);
    Comparison { unit: config.measure.unit(), per_second: config.per_second, all, n_rows, rows }
}

fn change(before: Side<'_>, one: &Sums, after: Side<'_>, two: &Sums, config: &CompareConfig) -> Change {
    let scales = [before, after].map(|side| side.scale(config.measure, config.per_second));
    let (value_before, value_after) = (one.weight * scales[0], two.weight * scales[1]);
    let errors = [one.error(before.trace) * scales[0], two.error(after.trace) * scales[1]];
    let error = errors[0].hypot(errors[1]);
    let change = value_after - value_before;
    let sigmas = (error > 0.0).then(|| change.abs() / error);
    let is_same = change == 0.0;
    let verdict = match sigmas {
        _ if is_same => Verdict::Same,
        Some(sigmas) if sigmas < MIN_SIGMAS => Verdict::Unclear,
        _ if one.samples == 0.0 => Verdict::New,
        _ if two.samples == 0.0 => Verdict::Gone,
        _ if change > 0.0 => Verdict::Grew,
        _ => Verdict::Shrank,
    };
    Change {
        before: value_before,
        after: value_after,
        change,
        samples_before: one.samples as u64,
        samples_after: two.samples as u64,
        error,
        sigmas,
        verdict,
    }
}
