//! How two sums differ, and whether significantly. [`Significance`] decides for any pair of sums, wherever it is shown.

use serde::{Deserialize, Serialize};

use super::compared_side::SideSum;
use crate::query::statistics::{self, Difference, Estimate, LEVEL, largest_significant_p};

/// In the measure's unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub before: f64,
    pub after: f64,
    pub change: f64,
    pub samples_before: u64,
    pub samples_after: u64,
    /// The margin of the change's 95% interval: its longer side.
    pub error: f64,
    /// The 95% interval of the change.
    pub low: f64,
    pub high: f64,
    /// The probability of such a change if nothing changed.
    pub p: f64,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Nothing was seen before, and the true figure was at most a third of the one after.
    #[serde(rename = "new")]
    New,
    /// Nothing is seen after, and the true figure is at most a third of the one before.
    #[serde(rename = "gone")]
    Gone,
    #[serde(rename = "grew")]
    Grew,
    #[serde(rename = "shrank")]
    Shrank,
    /// The change isn't significant, and the true change is at most half of the figure.
    #[serde(rename = "within sampling error")]
    Same,
    /// Both figures are exact and equal.
    #[serde(rename = "unchanged")]
    Unchanged,
    /// The change isn't significant, but a change by half of the figure or more might not be either.
    #[serde(rename = "not enough samples")]
    TooFewSamples,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::New => "new",
            Verdict::Gone => "gone",
            Verdict::Grew => "grew",
            Verdict::Shrank => "shrank",
            Verdict::Same => "within sampling error",
            Verdict::Unchanged => "unchanged",
            Verdict::TooFewSamples => "not enough samples",
        }
    }

    pub fn is_significant(self) -> bool {
        !matches!(self, Verdict::Same | Verdict::Unchanged | Verdict::TooFewSamples)
    }
}

/// The factor of a side's raw sums, and its sampling rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn {
    pub scale: f64,
    pub rate: f64,
}

/// A change without its verdict.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tested {
    change: Change,
    difference: Difference,
    is_exact: bool,
    /// The upper bounds of the figures before and after.
    most_before: f64,
    most_after: f64,
    /// The objects that only one side has, if both sides belong to the same trace. Otherwise all objects.
    pub sides: [Estimate; 2],
}

/// The largest `p` that is significant in a comparison. It is computed once, from the totals of all rows and the
/// overall total, so a pair of sums has the same verdict in the table, the graph and the headline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Significance {
    largest_p: f64,
}

impl Tested {
    pub fn new(sums: [&SideSum; 2], drawn: [Drawn; 2]) -> Tested {
        let [one, two] = sums;
        let estimates = estimates(sums, drawn);
        let [before, after] = [one.weight * drawn[0].scale, two.weight * drawn[1].scale];
        // Objects on both sides are the same samples, so they add nothing to the change or its error.
        let [went, came] = estimates;
        let (went_low, went_high) = went.interval();
        let (came_low, came_high) = came.interval();
        let change = after - before;
        let (below, above) = (
            (came.value() - came_low).hypot(went_high - went.value()),
            (came_high - came.value()).hypot(went.value() - went_low),
        );
        let difference = statistics::difference(went, came);
        Tested {
            change: Change {
                before,
                after,
                change,
                samples_before: one.samples as u64,
                samples_after: two.samples as u64,
                error: below.max(above),
                low: change - below,
                high: change + above,
                p: difference.p,
                verdict: Verdict::TooFewSamples,
            },
            difference,
            is_exact: drawn.iter().all(|side| side.rate >= 1.0),
            most_before: before - went.value() + went_high,
            most_after: after - came.value() + came_high,
            sides: estimates,
        }
    }

    pub fn change(&self) -> &Change {
        &self.change
    }

    /// Returns the smallest `p` that is possible with this number of samples.
    pub fn least_p(&self) -> f64 {
        self.difference.least_p
    }
}

impl Significance {
    pub fn of<'a>(tested: impl IntoIterator<Item = &'a Tested>) -> Significance {
        let differences = tested.into_iter().map(|tested| tested.difference);
        Significance { largest_p: largest_significant_p(differences, LEVEL) }
    }

    pub fn decide(self, tested: &Tested) -> Change {
        let Change { before, after, change, low, high, p, .. } = tested.change;
        let verdict = if tested.is_exact {
            match () {
                () if change == 0.0 => Verdict::Unchanged,
                () if before == 0.0 => Verdict::New,
                () if after == 0.0 => Verdict::Gone,
                () if change > 0.0 => Verdict::Grew,
                () => Verdict::Shrank,
            }
        } else if p <= self.largest_p && tested.difference.least_p <= LEVEL && change != 0.0 {
            match () {
                () if before == 0.0 && 3.0 * tested.most_before <= after => Verdict::New,
                () if after == 0.0 && 3.0 * tested.most_after <= before => Verdict::Gone,
                () if change > 0.0 => Verdict::Grew,
                () => Verdict::Shrank,
            }
        } else if (high - change).max(change - low) <= before.max(after) / 2.0 {
            Verdict::Same
        } else {
            Verdict::TooFewSamples
        };
        Change { verdict, ..tested.change }
    }
}

/// Returns what disappeared and what appeared. A side without samples uses the sample weight of the other side.
fn estimates(sums: [&SideSum; 2], drawn: [Drawn; 2]) -> [Estimate; 2] {
    let raw = sums.map(|sums| (sums.unshared_samples > 0.0).then(|| sums.unshared_weight / sums.unshared_samples));
    let weights = [raw[0].or(raw[1]).unwrap_or(1.0), raw[1].or(raw[0]).unwrap_or(1.0)];
    [0, 1].map(|which| Estimate {
        samples: sums[which].unshared_samples,
        weight: weights[which] * drawn[which].scale,
        rate: drawn[which].rate,
    })
}
