//! The rules, in this order; the first that holds decides. Thresholds are fields of [`LeaksConfig`]; *kept* means never
//! collected, without what the trace ended upon in the minor heap.
//!
//! - *growing*: since the first quarter the site grew by more than `min_sigmas` standard errors and by `min_growth` of
//!   what it is; its floor rose in each quarter since, by `min_steadiness` of the mean rise or more; as much of what the
//!   last quarter allocated is kept; and of what it kept since the first, at least `min_old` samples, and `min_old_share`
//!   of what steady growth would leave, are older than `usual_death` of those that died ever got. For what began late,
//!   quarters are those of the time since, which must be `min_late_seconds` or more.
//!   Or it would be *too few samples*, but its function grows; it grew by `min_sigmas_together` standard errors and by
//!   `min_growth`, keeps `min_old` samples or more, and `min_share_kept` of what it allocated in the last quarter.
//!   Or it is a function, file or module, and call sites of it that grow are most of its growth.
//! - *builds up*: it would be growing, but so does the program as a whole, or the trace is short.
//! - *start-up*: it keeps `min_kept` samples or more, and `min_share_kept` of the highest; `mostly` of that was
//!   allocated in the first `early` of the trace.
//! - *too few samples*: below `min_samples`; or it keeps `min_kept` or more, which is not just the rest that `mostly`
//!   leaves, and seems to grow, by one standard error but not by `min_sigmas`, and that error is above `max_blur` of
//!   what it keeps; or, before all other rules, a trace below `min_trace_samples`.
//! - *kept*: it keeps `min_kept` samples or more, and `min_share_kept` of all that it allocated.
//! - *burst*: `mostly` of all was allocated in `short` of the trace; or the live curve, of at least `min_samples` at its
//!   highest, was above half of that for at most `short` of the trace and below a quarter for half of the trace.
//! - *bounded*: all others.

use serde::{Deserialize, Serialize};

use super::LeaksConfig;
use super::curves::STEPS;
use super::signs::Signs;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    #[serde(rename = "growing")]
    Growing,
    /// Turns over at a plateau.
    #[serde(rename = "bounded")]
    Bounded,
    /// Allocated early, and kept.
    #[serde(rename = "start-up")]
    StartUp,
    #[serde(rename = "burst")]
    Burst,
    /// Allocated after start-up, and kept, but not more and more.
    #[serde(rename = "kept")]
    Kept,
    /// Grows as the whole program does.
    #[serde(rename = "builds up")]
    BuildsUp,
    #[serde(rename = "too few samples")]
    TooFewSamples,
}

impl Verdict {
    /// As people and the command line's JSON say it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Growing => "growing",
            Verdict::Bounded => "bounded",
            Verdict::StartUp => "start-up",
            Verdict::Burst => "burst",
            Verdict::Kept => "kept",
            Verdict::BuildsUp => "builds up",
            Verdict::TooFewSamples => "too few samples",
        }
    }
}

/// The verdict on a site of a trace that is large enough.
pub fn verdict(signs: &Signs, config: &LeaksConfig) -> Verdict {
    if is_growing(signs, config) {
        Verdict::Growing
    } else if is_start_up(signs, config) {
        Verdict::StartUp
    } else if signs.samples < config.min_samples || is_blurred(signs, config) {
        Verdict::TooFewSamples
    } else if is_kept(signs, config) {
        Verdict::Kept
    } else if is_brief(signs, config) || is_spike(signs, config) {
        Verdict::Burst
    } else {
        Verdict::Bounded
    }
}

fn is_growing(signs: &Signs, config: &LeaksConfig) -> bool {
    grew(signs, config) && is_steady(signs, config) && goes_on(signs, config) && is_old(signs, config)
}

/// Whether there is more of it at the end than behind the first quarter, beyond chance.
pub fn grew(signs: &Signs, config: &LeaksConfig) -> bool {
    let growth = signs.growth();
    growth > config.min_sigmas * signs.growth_error() && growth >= config.min_growth * signs.kept as f64
}

/// Whether each quarter since the first has its share in the growth.
pub fn is_steady(signs: &Signs, config: &LeaksConfig) -> bool {
    let mean = signs.rises.iter().sum::<i64>() as f64 / signs.rises.len() as f64;
    signs.rises.iter().all(|&rise| rise > 0 && rise as f64 >= config.min_steadiness * mean)
}

/// Whether the last quarter still adds its share; floors alone would see growth that ended in its first half.
pub fn goes_on(signs: &Signs, config: &LeaksConfig) -> bool {
    signs.late_kept as f64 >= config.min_steadiness * signs.growth() / signs.rises.len() as f64
}

/// Whether a site may be taken to grow if what it is a part of does.
pub fn may_grow(signs: &Signs, config: &LeaksConfig) -> bool {
    let growth = signs.growth();
    growth > config.min_sigmas_together * signs.growth_error()
        && growth >= config.min_growth * signs.kept as f64
        && signs.kept >= config.min_old
        && signs.late_kept > 0
        && signs.late_kept as f64 >= config.min_share_kept * signs.late as f64
}

fn is_old(signs: &Signs, config: &LeaksConfig) -> bool {
    signs.kept_old >= config.min_old && signs.kept_old as f64 >= config.min_old_share * signs.expected_old()
}

fn is_blurred(signs: &Signs, config: &LeaksConfig) -> bool {
    let (growth, error) = (signs.growth(), signs.growth_error());
    let seems_to_grow = growth > error && growth <= config.min_sigmas * error;
    let gets_rid_of_most = signs.kept as f64 <= (1.0 - config.mostly) * signs.samples as f64;
    seems_to_grow && !gets_rid_of_most && signs.kept >= config.min_kept && error > config.max_blur * signs.kept as f64
}

fn is_start_up(signs: &Signs, config: &LeaksConfig) -> bool {
    let kept = signs.kept as f64;
    signs.kept >= config.min_kept
        && kept >= config.min_share_kept * signs.highest as f64
        && signs.kept_early as f64 >= config.mostly * kept
}

fn is_kept(signs: &Signs, config: &LeaksConfig) -> bool {
    signs.kept >= config.min_kept && signs.kept as f64 >= config.min_share_kept * signs.samples as f64
}

/// Whether nearly all was allocated in a short time.
pub fn is_brief(signs: &Signs, config: &LeaksConfig) -> bool {
    signs.busy_steps as f64 <= config.short * STEPS as f64
}

fn is_spike(signs: &Signs, config: &LeaksConfig) -> bool {
    signs.highest >= config.min_samples
        && signs.high_steps as f64 <= config.short * STEPS as f64
        && 4 * signs.median_live <= signs.highest
}
