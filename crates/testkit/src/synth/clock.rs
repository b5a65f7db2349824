//! A domain's time. It is asked for twice an object, so it counts in whole numbers: 1024 ticks a µs.

use fastrand::Rng;

use super::workload::Pace;

#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Since the trace's start.
    ticks: u64,
    ticks_a_sample: u64,
    ticks_a_block: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Pause {
    ticks: u64,
}

const TICKS_A_US: u64 = 1024;
/// A collection tells some ten events a µs.
const TICKS_A_BURST: u64 = TICKS_A_US / 10;

impl Clock {
    /// The clock of a domain that takes `slow` times as long as the pace says.
    pub fn new(pace: Pace, slow: f64, rate: f64) -> Clock {
        let ticks = |us: f64| (us * slow * TICKS_A_US as f64) as u64;
        Clock { ticks: 0, ticks_a_sample: ticks(pace.us_a_word / rate), ticks_a_block: ticks(pace.us_a_block) }
    }

    #[inline]
    pub fn us(&self) -> u64 {
        self.ticks / TICKS_A_US
    }

    /// The time until a block of so many samples: of this mean, from nothing to twice as much.
    #[inline]
    pub fn pause(&self, n_samples: u64, rng: &mut Rng) -> Pause {
        let mean = n_samples.saturating_mul(self.ticks_a_sample).saturating_add(self.ticks_a_block);
        Pause { ticks: ((u128::from(mean) * u128::from(rng.u64(..))) >> 63) as u64 }
    }

    #[inline]
    pub fn advance(&mut self, pause: Pause) {
        self.ticks += pause.ticks;
    }

    /// The time of the next event of a burst.
    #[inline]
    pub fn burst(&mut self) -> u64 {
        self.ticks += TICKS_A_BURST;
        self.us()
    }
}

impl Pause {
    /// A share of it, of 1 at most.
    pub fn part(self, share: f64) -> Pause {
        Pause { ticks: (self.ticks as f64 * share.clamp(0.0, 1.0)) as u64 }
    }

    /// What is left of it behind its first part.
    pub fn less(self, part: Pause) -> Pause {
        Pause { ticks: self.ticks.saturating_sub(part.ticks) }
    }
}
