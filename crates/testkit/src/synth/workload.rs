//! The program that the machine runs, one allocation at a time.

use fastrand::Rng;

use super::heap::Lifetime;
use camlscope_formats::ctf::AllocSource;

/// The program of a domain. It returns one allocation at a time.
pub trait Workload {
    /// The next sampled block, `progress` being how far the trace is, from 0 to 1.
    fn next(&mut self, progress: f64, rng: &mut Rng) -> Allocation;
    /// Where it was allocated, from main on.
    fn stack(&self) -> &[u64];
    fn pace(&self) -> Pace;
}

#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    pub length_words: u64,
    pub source: AllocSource,
    pub lifetime: Lifetime,
    pub in_spike: bool,
    /// Frames of its stack that are those of the stack before.
    pub known: usize,
}

/// How long a word takes to be allocated and used, and what the sampling of a block adds to it.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub us_a_word: f64,
    pub us_a_block: f64,
}
