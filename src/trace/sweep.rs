//! One pass over all events in time order: how much is live, and when it is most.

use super::columns::Columns;
use super::ids::{MomentId, ObjectRow};
use super::moments::{Moments, Position};
use super::totals::Peak;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sweep {
    pub live_samples: u64,
    pub peak: Peak,
    pub peak_at: Position,
}

/// Rows and moments must be in time order. Between two moments the curve only rises, so what counts is its height just
/// before each; the maximum was first reached at the last row before it that has a sample. What ends at a moment was
/// allocated before it, so one pass over the rows is enough; where clocks of domains disagree and it was not, it never
/// lived.
pub fn sweep(columns: &Columns, moments: &Moments) -> Sweep {
    let mut freed = vec![0u64; moments.len()];
    let mut live: u64 = 0;
    let mut peak_samples = 0;
    let mut peak_rows = 0..0;
    let mut peak_moments = 0;
    let mut risen_to = 0;
    let mut aside = columns.laid_aside().into_iter().peekable();
    let mut rise_to = |row: u32, moments: u32, live: &mut u64, freed: &mut [u64]| {
        if row > risen_to {
            *live += columns.sum_small_samples(risen_to..row, moments, freed);
            while let Some((row, n_samples)) = aside.next_if(|(at, _)| *at < row) {
                let end = columns.end(ObjectRow(row)).0;
                if end >= moments {
                    *live += u64::from(n_samples);
                }
                if let Some(freed) = freed.get_mut(end as usize) {
                    *freed += u64::from(n_samples);
                }
            }
            if *live > peak_samples {
                peak_samples = *live;
                peak_rows = risen_to..row;
                peak_moments = moments;
            }
            risen_to = row;
        }
    };
    for at in 0..moments.len() {
        rise_to(moments.rows_before(MomentId(at as u32)), at as u32, &mut live, &mut freed);
        live -= freed[at].min(live);
    }
    rise_to(columns.len() as u32, moments.len() as u32, &mut live, &mut freed);
    let peak_row = columns.last_sampled(peak_rows);
    let at_us = peak_row.map_or(0, |row| columns.alloc_us(row));
    let peak_at = Position { rows: peak_row.map_or(0, |row| row.0 + 1), moments: peak_moments };
    Sweep { live_samples: live, peak: Peak { samples: peak_samples, at_us }, peak_at }
}
