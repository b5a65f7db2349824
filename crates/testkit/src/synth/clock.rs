//! A domain's clock. It's read twice per object, so it counts in integers: 1024 ticks per µs.

use fastrand::Rng;

use super::workload::Pace;

#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Since the start of the trace.
    ticks: u64,
    ticks_a_sample: u64,
    ticks_a_block: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Pause {
    ticks: u64,
}

const TICKS_A_US: u64 = 1024;
/// A collection emits about ten events per µs.
const TICKS_A_BURST: u64 = TICKS_A_US / 10;

impl Clock {
    /// Creates the clock of a domain that is `slow` times slower than `pace`.
    pub fn new(pace: Pace, slow: f64, rate: f64) -> Clock {
        let ticks = |us: f64| (us * slow * TICKS_A_US as f64) as u64;
        Clock { ticks: 0, ticks_a_sample: ticks(pace.us_a_word / rate), ticks_a_block: ticks(pace.us_a_block) }
    }

    #[inline]
    pub fn us(&self) -> u64 {
        self.ticks / TICKS_A_US
    }

    /// Draws the time until a block with `n_samples` samples, uniformly from zero to twice the mean.
    #[inline]
    pub fn pause(&self, n_samples: u64, rng: &mut Rng) -> Pause {
        let mean = n_samples.saturating_mul(self.ticks_a_sample).saturating_add(self.ticks_a_block);
        Pause { ticks: ((u128::from(mean) * u128::from(rng.u64(..))) >> 63) as u64 }
    }

    #[inline]
    pub fn advance(&mut self, pause: Pause) {
        self.ticks += pause.ticks;
    }

    /// Returns the time of the next event in a burst.
    #[inline]
    pub fn burst(&mut self) -> u64 {
        self.ticks += TICKS_A_BURST;
        self.us()
    }
}

impl Pause {
    /// Returns a share of the pause. Shares are clamped to 0..=1.
    pub fn part(self, share: f64) -> Pause {
        Pause { ticks: (self.ticks as f64 * share.clamp(0.0, 1.0)) as u64 }
    }

    /// Returns what is left of the pause after `part`.
    pub fn less(self, part: Pause) -> Pause {
        Pause { ticks: self.ticks.saturating_sub(part.ticks) }
    }
}
