//! How two sums differ, and whether by more than chance.

use serde::{Deserialize, Serialize};

use super::side::Sums;
use crate::query::statistics::{self, Difference, Estimate, LEVEL, largest_significant_p};

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
    /// Between which the true change lies in 95 of 100 cases.
    pub low: f64,
    pub high: f64,
    /// How often chance makes such a change where nothing has changed.
    pub p: f64,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Nothing was seen before, and there was at most a third of what there is now.
    #[serde(rename = "new")]
    New,
    /// Nothing is seen after, and there is at most a third of what there was.
    #[serde(rename = "gone")]
    Gone,
    #[serde(rename = "grew")]
    Grew,
    #[serde(rename = "shrank")]
    Shrank,
    /// Chance explains the change, and the true change is no more than half of the figure.
    #[serde(rename = "the same within chance")]
    Same,
    /// Both figures are exact, and equal.
    #[serde(rename = "the same")]
    Unchanged,
    /// Chance explains the change, but a change of half the figure or more would look alike.
    #[serde(rename = "not enough samples to tell")]
    TooFewSamples,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::New => "new",
            Verdict::Gone => "gone",
            Verdict::Grew => "grew",
            Verdict::Shrank => "shrank",
            Verdict::Same => "the same within chance",
            Verdict::Unchanged => "the same",
            Verdict::TooFewSamples => "not enough samples to tell",
        }
    }

    pub fn is_significant(self) -> bool {
        !matches!(self, Verdict::Same | Verdict::Unchanged | Verdict::TooFewSamples)
    }
}

/// What a side's raw sums are multiplied by, and how its samples were drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn {
    pub scale: f64,
    pub rate: f64,
}

/// A change whose verdict may depend on the other changes beside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tested {
    change: Change,
    difference: Difference,
    is_exact: bool,
    /// The most that may have been there before, and may be there after.
    most_before: f64,
    most_after: f64,
}

impl Tested {
    pub fn new(sums: [&Sums; 2], drawn: [Drawn; 2]) -> Tested {
        let [one, two] = sums;
        let estimates = estimates(sums, drawn);
        let [before, after] = [one.weight * drawn[0].scale, two.weight * drawn[1].scale];
        // What both sides share are the very same samples: it is no part of the change, nor of its error.
        let [went, came] = estimates;
        let (went_low, went_high) = went.interval();
        let (came_low, came_high) = came.interval();
        let change = after - before;
        let difference = statistics::difference(went, came);
        Tested {
            change: Change {
                before,
                after,
                change,
                samples_before: one.samples as u64,
                samples_after: two.samples as u64,
                error: went.error().hypot(came.error()),
                low: change - (came.value() - came_low).hypot(went_high - went.value()),
                high: change + (came_high - came.value()).hypot(went.value() - went_low),
                p: difference.p,
                verdict: Verdict::TooFewSamples,
            },
            difference,
            is_exact: drawn.iter().all(|side| side.rate >= 1.0),
            most_before: before - went.value() + went_high,
            most_after: after - came.value() + came_high,
        }
    }

    /// `largest_p` is the largest that counts.
    fn decide(self, largest_p: f64) -> Change {
        let Change { before, after, change, low, high, p, .. } = self.change;
        let verdict = if self.is_exact {
            match () {
                () if change == 0.0 => Verdict::Unchanged,
                () if before == 0.0 => Verdict::New,
                () if after == 0.0 => Verdict::Gone,
                () if change > 0.0 => Verdict::Grew,
                () => Verdict::Shrank,
            }
        } else if p <= largest_p && self.difference.least_p <= LEVEL && change != 0.0 {
            match () {
                () if before == 0.0 && 3.0 * self.most_before <= after => Verdict::New,
                () if after == 0.0 && 3.0 * self.most_after <= before => Verdict::Gone,
                () if change > 0.0 => Verdict::Grew,
                () => Verdict::Shrank,
            }
        } else if (high - change).max(change - low) <= before.max(after) / 2.0 {
            Verdict::Same
        } else {
            Verdict::TooFewSamples
        };
        Change { verdict, ..self.change }
    }

    /// The verdict on a change that was not picked from many.
    pub fn alone(self) -> Change {
        self.decide(LEVEL)
    }
}

/// The verdicts on changes that stand beside each other, so that at most [`LEVEL`] of those called changed are chance.
/// Some may be about the very same samples as another: `is_repeated` says which, so that each counts once.
pub(super) fn decide_together(tested: &[Tested], is_repeated: impl Fn(usize) -> bool) -> Vec<Change> {
    let distinct = tested.iter().enumerate().filter(|(at, _)| !is_repeated(*at)).map(|(_, tested)| tested.difference);
    let largest_p = largest_significant_p(distinct, LEVEL);
    tested.iter().map(|tested| tested.decide(largest_p)).collect()
}

/// Both sides, shared or not.
pub(super) fn estimates_of_all(sums: [&Sums; 2], drawn: [Drawn; 2]) -> [Estimate; 2] {
    let whole = sums.map(|sums| Sums { unshared_weight: sums.weight, unshared_samples: sums.samples, ..*sums });
    estimates([&whole[0], &whole[1]], drawn)
}

/// What went and what came. A sample of a side that has none weighs what one of the other side does.
fn estimates(sums: [&Sums; 2], drawn: [Drawn; 2]) -> [Estimate; 2] {
    let raw = sums.map(|sums| (sums.unshared_samples > 0.0).then(|| sums.unshared_weight / sums.unshared_samples));
    let weights = [raw[0].or(raw[1]).unwrap_or(1.0), raw[1].or(raw[0]).unwrap_or(1.0)];
    [0, 1].map(|which| Estimate {
        samples: sums[which].unshared_samples,
        weight: weights[which] * drawn[which].scale,
        rate: drawn[which].rate,
    })
}
