//! One pass over all events in time order: how much is live, and when it is most.

use super::columns::Columns;
use super::ids::MomentId;
use super::moments::{Moments, Position};
use super::totals::Peak;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sweep {
    pub live_samples: u64,
    pub peak: Peak,
    pub peak_at: Position,
}

/// Rows and moments must be in time order. Between two moments the curve only rises, so what counts is its height just
/// before each; the maximum was first reached at the last row before it that has a sample.
pub fn sweep(columns: &Columns, moments: &Moments) -> Sweep {
    let mut freed = vec![0u64; moments.len()];
    columns.add_ends(&mut freed);
    let mut live: u64 = 0;
    let mut peak_samples = 0;
    let mut peak_rows = 0..0;
    let mut peak_moments = 0;
    let mut risen_to = 0;
    let mut aside = columns.laid_aside().into_iter().peekable();
    let mut rise_to = |row: u32, moments: u32, live: &mut u64| {
        if row > risen_to {
            *live += columns.sum_small_samples(risen_to..row);
            while let Some((_, n_samples)) = aside.next_if(|(at, _)| *at < row) {
                *live += u64::from(n_samples);
            }
            if *live > peak_samples {
                peak_samples = *live;
                peak_rows = risen_to..row;
                peak_moments = moments;
            }
            risen_to = row;
        }
    };
    for (moment, freed) in (0u32..).map(MomentId).zip(freed) {
        rise_to(moments.rows_before(moment), moment.0, &mut live);
        live -= freed.min(live);
    }
    rise_to(columns.len() as u32, moments.len() as u32, &mut live);
    let peak_row = columns.last_sampled(peak_rows);
    let at_us = peak_row.map_or(0, |row| columns.alloc_us(row));
    let peak_at = Position { rows: peak_row.map_or(0, |row| row.0 + 1), moments: peak_moments };
    Sweep { live_samples: live, peak: Peak { samples: peak_samples, at_us }, peak_at }
}
