//! One pass over all events in time order: how much is live, and when it is most.

use super::columns::Columns;
use super::ids::{MomentId, ObjectRow};
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
    columns.for_each_end(|end, n_samples, promoted| {
        if let Some(freed) = freed.get_mut(end.0 as usize) {
            *freed += u64::from(n_samples);
        }
        if promoted {
            promoted_samples += u64::from(n_samples);
        }
    });
    let mut live: u64 = 0;
    let mut peak_samples = 0;
    let mut peak_row = None;
    let mut row = 0;
    let mut moments_due = (0..moments.len() as u32).map(MomentId).peekable();
    let mut next_due = moments_due.peek().map_or(u32::MAX, |&moment| moments.rows_before(moment));
    columns.for_each_end(|_, n_samples, _| {
        while next_due <= row {
            if let Some(moment) = moments_due.next() {
                live -= freed[moment.0 as usize].min(live);
            }
            next_due = moments_due.peek().map_or(u32::MAX, |&moment| moments.rows_before(moment));
        }
        live += u64::from(n_samples);
        if live > peak_samples {
            peak_samples = live;
            peak_row = Some(ObjectRow(row));
        }
        row += 1;
    });
    let freed_later: u64 = moments_due.map(|moment| freed[moment.0 as usize]).sum();
    let at_us = peak_row.map_or(0, |row| columns.alloc_us(row));
    let peak = Peak { samples: peak_samples, at_us };
    Sweep { live_samples: live - freed_later.min(live), promoted_samples, peak }
}
