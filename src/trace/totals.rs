//! Exact sums over a whole trace, kept apart from the model: however much of the model is thinned to fit into memory,
//! these stay what they are.

use super::columns::Packed;
use crate::ctf::Source;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub alloc_events: SourceTotals,
    pub alloc_samples: SourceTotals,
    pub n_promotes: u64,
    pub n_collects: u64,
    pub promoted_samples: u64,
    pub live_at_end_samples: u64,
    pub peak: Peak,
    /// Frames of the deepest stack.
    pub max_depth: usize,
}

impl Totals {
    /// Adds allocations, none of which lies aside; returns their samples.
    pub(super) fn add_rows(&mut self, packed: &[u32]) -> u64 {
        let (mut n_samples, mut major, mut external) = (0, Part::default(), Part::default());
        for &packed in packed {
            // Without a branch, so that the compiler can widen the loop; in sums that cannot overflow.
            let packed = Packed(packed);
            n_samples += packed.small_samples();
            major.add(packed, Source::Major);
            external.add(packed, Source::External);
        }
        let n = packed.len() as u64 - u64::from(major.n + external.n);
        let minor_samples = n_samples - major.n_samples - external.n_samples;
        self.alloc_events.add(Source::Minor, n);
        self.alloc_samples.add(Source::Minor, u64::from(minor_samples));
        for (source, part) in [(Source::Major, major), (Source::External, external)] {
            self.alloc_events.add(source, u64::from(part.n));
            self.alloc_samples.add(source, u64::from(part.n_samples));
        }
        u64::from(n_samples)
    }
}

/// The rows of one source.
#[derive(Clone, Copy, Default)]
struct Part {
    n: u32,
    n_samples: u32,
}

impl Part {
    #[inline(always)]
    fn add(&mut self, packed: Packed, source: Source) {
        let is_of_source = u32::from(packed.source_bits() == source as u32);
        self.n += is_of_source;
        self.n_samples += packed.small_samples() & is_of_source.wrapping_neg();
    }
}

/// The first maximum of the live samples over all events in time order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peak {
    pub samples: u64,
    /// µs since the trace's start.
    pub at_us: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceTotals {
    pub minor: u64,
    pub major: u64,
    pub external: u64,
}

impl SourceTotals {
    pub fn total(&self) -> u64 {
        self.minor + self.major + self.external
    }

    #[inline(always)]
    pub fn add(&mut self, source: Source, n: u64) {
        match source {
            Source::Minor => self.minor += n,
            Source::Major => self.major += n,
            Source::External => self.external += n,
        }
    }
}
