//! Verdicts on leaks, from a profile's curves.

use super::MIN_SNAPSHOTS;
use crate::format::count;
use crate::profile::Profile;
use crate::query::leaks::{ConclusionKind, Leaks, LeaksConfig, Verdict};

/// The thresholds for figures that are exact: a single word is enough of a sign.
pub fn exact(config: &LeaksConfig) -> LeaksConfig {
    LeaksConfig {
        min_trace_samples: 1,
        min_samples: 1,
        min_kept: 1,
        min_old: 1,
        min_sigmas: 0.0,
        min_sigmas_together: 0.0,
        ..config.clone()
    }
}

/// A few snapshots have no shape: whatever grows may just be starting.
pub fn doubt_few_snapshots(profile: &Profile, leaks: &mut Leaks) {
    let n = profile.snapshots.len();
    if n >= MIN_SNAPSHOTS || leaks.sites.is_empty() {
        return;
    }
    let snapshots = if n == 1 { "1 snapshot is".to_owned() } else { format!("{} snapshots are", count(n as u64)) };
    leaks.conclusion.kind = ConclusionKind::TooFewSamples;
    leaks.conclusion.text = format!("{snapshots} too few to tell what grows.");
    for site in &mut leaks.sites {
        site.verdict = Verdict::TooFewSamples;
        site.reason = leaks.conclusion.text.clone();
    }
}
