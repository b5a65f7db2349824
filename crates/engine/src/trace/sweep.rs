//! Live samples and their peak. They are updated while a file streams. If file order isn't time order, or some events
//! are no longer in the model, one pass over all events in time order recomputes them.

use super::columns::Columns;
use super::gc_times::{GcTimes, Position};
use super::ids::{GcTimeId, ObjectRow};
use super::totals::Peak;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveSamples {
    pub live_samples: u64,
    pub peak: Peak,
    pub peak_at: Position,
}

impl LiveSamples {
    /// Adds allocated samples. Returns whether more are live than ever before.
    #[inline(always)]
    pub fn rise(&mut self, n_samples: u64) -> bool {
        self.live_samples += n_samples;
        self.live_samples > self.peak.samples
    }

    /// Records that the live samples are at a new maximum.
    pub fn note_peak(&mut self, at_us: u64, peak_at: Position) {
        self.peak = Peak { samples: self.live_samples, at_us };
        self.peak_at = peak_at;
    }

    /// Removes collected samples.
    #[inline(always)]
    pub fn fall(&mut self, n_samples: u64) {
        self.live_samples -= n_samples;
    }
}

/// Recomputes the live samples. Rows and collection times must be in time order. Objects are allocated before they end,
/// so one pass over the rows is enough. If the domains' clocks disagree and an object ends first, it never counts as
/// live.
pub fn sweep(columns: &Columns, gc_times: &GcTimes) -> LiveSamples {
    let mut live = LiveSamples::default();
    let mut ending = vec![0; gc_times.len()];
    let mut passed = 0;
    for row in (0..columns.len() as u32).map(ObjectRow) {
        while passed < gc_times.len() && gc_times.rows_before(GcTimeId(passed as u32)) <= row.0 {
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
            live.note_peak(columns.alloc_us(row), Position { rows: row.0 + 1, gc_times: passed as u32 });
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
    fn live_samples_updated_while_streaming_match_a_full_pass() {
        for seed in 0..200 {
            let mut builder = Builder::new(Budget::default());
            let (mut time_us, mut n_objects) = (0, 0);
            for step in 0..2_000 {
                let random = |of: u64| mix(seed << 32 | step << 8 | of);
                time_us += random(0) % 3;
                // Includes objects that don't exist and objects that die twice.
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
            let (kept_up, columns, gc_times) = builder.live_so_far();
            assert_eq!(kept_up, sweep(columns, gc_times), "seed {seed}");
            assert!(kept_up.peak.samples >= kept_up.live_samples && kept_up.live_samples > 0);
        }
    }
}
