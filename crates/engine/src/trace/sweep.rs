//! How much is live, and when it is most: updated while a file streams, or found by one pass over all events in time order where
//! the file's order is not that of time, or some of the events are no longer in the model.

use super::columns::Columns;
use super::ids::{MomentId, ObjectRow};
use super::moments::{Moments, Position};
use super::totals::Peak;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveSamples {
    pub live_samples: u64,
    pub peak: Peak,
    pub peak_at: Position,
}

impl LiveSamples {
    /// So many samples were allocated; returns whether more are live than ever before.
    #[inline(always)]
    pub fn rise(&mut self, n_samples: u64) -> bool {
        self.live_samples += n_samples;
        self.live_samples > self.peak.samples
    }

    /// What is live now is the most that ever was.
    pub fn note_peak(&mut self, at_us: u64, peak_at: Position) {
        self.peak = Peak { samples: self.live_samples, at_us };
        self.peak_at = peak_at;
    }

    /// So many of the live samples were collected.
    #[inline(always)]
    pub fn fall(&mut self, n_samples: u64) {
        self.live_samples -= n_samples;
    }
}

/// Rows and moments must be in time order. What ends at a moment was allocated before it, so one pass over the rows is
/// enough; where clocks of domains disagree and it was not, it never lived.
pub fn sweep(columns: &Columns, moments: &Moments) -> LiveSamples {
    let mut live = LiveSamples::default();
    let mut ending = vec![0; moments.len()];
    let mut passed = 0;
    for row in (0..columns.len() as u32).map(ObjectRow) {
        while passed < moments.len() && moments.rows_before(MomentId(passed as u32)) <= row.0 {
            live.fall(ending[passed]);
            passed += 1;
        }
        let end = columns.end(row).0 as usize;
        if end < passed {
            continue;
        }
        let n_samples = columns.n_samples(row);
        if let Some(ending) = ending.get_mut(end) {
            *ending += n_samples;
        }
        if live.rise(n_samples) {
            live.note_peak(columns.alloc_us(row), Position { rows: row.0 + 1, moments: passed as u32 });
        }
    }
    ending[passed..].iter().for_each(|&n_samples| live.fall(n_samples));
    live
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::sampling_hash::mix;
    use crate::trace::{Budget, Builder};
    use camlscope_formats::ctf::{Alloc, AllocSource, ObjectId, Sink, Stack, StackNode};

    #[test]
    fn what_is_kept_up_while_a_file_streams_is_what_a_pass_over_it_finds() {
        for seed in 0..200 {
            let mut builder = Builder::new(Budget::default());
            let (mut time_us, mut n_objects) = (0, 0);
            for step in 0..2_000 {
                let random = |of: u64| mix(seed << 32 | step << 8 | of);
                time_us += random(0) % 3;
                // Some die that never were, and some twice.
                let id = ObjectId(n_objects.max(3_u64).saturating_sub(random(1) % 300));
                match random(2) % 8 {
                    0 => builder.collect(time_us, id),
                    1 => builder.collect_all(time_us, &[id, ObjectId(id.0 / 2)]),
                    2 => builder.promote(time_us, id),
                    _ => {
                        let alloc = Alloc {
                            id: ObjectId(n_objects),
                            time_us,
                            domain: 0,
                            length_words: if random(3).is_multiple_of(50) { 1 << 30 } else { 3 },
                            n_samples: if random(5).is_multiple_of(60) { 1 << 40 } else { random(4) % 3 },
                            source: AllocSource::Minor,
                        };
                        n_objects += 1;
                        builder.alloc(&alloc, Stack { node: StackNode::EMPTY, depth: 0 });
                    }
                }
            }
            let (kept_up, columns, moments) = builder.live_so_far();
            assert_eq!(kept_up, sweep(columns, moments), "seed {seed}");
            assert!(kept_up.peak.samples >= kept_up.live_samples && kept_up.live_samples > 0);
        }
    }
}
