//! The interface between the simulated machine and the programs it runs.

use fastrand::Rng;

use super::heap::Lifetime;
use camlscope_formats::ctf::AllocSource;

/// The program that a domain runs, one allocation at a time.
pub trait Workload {
    /// Returns the next sampled block. `progress` is the position in the trace, from 0 to 1.
    fn next(&mut self, progress: f64, rng: &mut Rng) -> Allocation;
    /// The stack of the last allocation, starting with main.
    fn stack(&self) -> &[u64];
    fn pace(&self) -> Pace;
}

#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    pub length_words: u64,
    pub source: AllocSource,
    pub lifetime: Lifetime,
    pub in_spike: bool,
    /// How many frames its stack shares with the previous one.
    pub known: usize,
}

/// The time to allocate and use a word, and the time that sampling a block adds.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub us_a_word: f64,
    pub us_a_block: f64,
}
