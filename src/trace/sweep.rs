//! One pass over all events in time order: how much is live, and when it is most.

use super::columns::Columns;
use super::ids::MomentId;
use super::moments::Moments;
use super::totals::Peak;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sweep {
    pub live_samples: u64,
    pub promoted_samples: u64,
    pub peak: Peak,
}

/// Rows and moments must be in time order.
pub fn sweep(columns: &Columns, moments: &Moments) -> Sweep {
    let mut freed = vec![0u64; moments.len()];
    let mut promoted_samples = 0;
    for (_, row) in columns.iter() {
        if row.end != MomentId::NEVER {
            freed[row.end.0 as usize] += u64::from(row.n_samples);
        }
        if row.promoted {
            promoted_samples += u64::from(row.n_samples);
        }
    }
    let mut live: u64 = 0;
    let mut peak = Peak::default();
    let mut next_moment = 0;
    for (at, row) in columns.iter() {
        while next_moment < freed.len() && moments.rows_before(MomentId(next_moment as u32)) <= at.0 {
            live -= freed[next_moment].min(live);
            next_moment += 1;
        }
        live += u64::from(row.n_samples);
        if live > peak.samples {
            peak = Peak { samples: live, at_us: row.alloc_us };
        }
    }
    let freed_later: u64 = freed[next_moment..].iter().sum();
    Sweep { live_samples: live - freed_later.min(live), promoted_samples, peak }
}
