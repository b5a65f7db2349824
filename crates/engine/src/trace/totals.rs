//! Sums over a whole trace, in the file's samples. What was allocated, and all events, are counted exactly, however much of
//! the model is downsampled to fit into memory. What lives and what was promoted is exact until then; of a downsampled model it is
//! an estimate from the samples kept, and agrees with all else that is asked of the model.

use serde::{Deserialize, Serialize};

use super::packed_row::PackedRow;
use camlscope_formats::ctf::AllocSource;

/// OCaml allocates no larger blocks in the minor heap. A larger one that a trace says is from there is memory outside the heap
/// that a small custom block in the minor heap holds, such as a Bigarray or a channel's buffer: the runtime samples it with the size of that memory, and
/// memtrace writes where the small block is.
pub const MAX_MINOR_WORDS: u64 = 256;

/// Whether a block is in the minor heap at first.
#[inline(always)]
pub fn starts_in_minor_heap(source: AllocSource, size_words: u64) -> bool {
    source == AllocSource::Minor && size_words <= MAX_MINOR_WORDS
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub alloc_events: SourceTotals,
    pub alloc_samples: SourceTotals,
    /// Of `alloc_events.minor` and `alloc_samples.minor`, those of memory outside the heap ([`MAX_MINOR_WORDS`]).
    pub custom_events: u64,
    pub custom_samples: u64,
    pub n_promotes: u64,
    pub n_collects: u64,
    /// As the trace reports it. In a downsampled model, this and the next figures are multiples of the factor.
    pub promoted_samples: u64,
    /// Of those, memory outside the heap: only the custom block that holds it moved.
    pub custom_promoted_samples: u64,
    pub live_at_end_samples: u64,
    pub peak: Peak,
    /// Frames of the deepest stack.
    pub max_depth: usize,
}

impl Totals {
    /// Adds an allocation.
    pub(super) fn add(&mut self, source: AllocSource, size_words: u64, n_samples: u64) {
        self.alloc_events.add(source, 1);
        self.alloc_samples.add(source, n_samples);
        if source == AllocSource::Minor && size_words > MAX_MINOR_WORDS {
            self.custom_events += 1;
            self.custom_samples += n_samples;
        }
    }

    /// Adds a promotion.
    pub(super) fn promote(&mut self, starts_in_minor_heap: bool, n_samples: u64) {
        self.promoted_samples += n_samples;
        self.custom_promoted_samples += if starts_in_minor_heap { 0 } else { n_samples };
    }

    /// Adds allocations that all fit their columns; returns their samples.
    pub(super) fn add_rows(&mut self, packed: &[u32]) -> u64 {
        // In a sum that cannot overflow, without a branch.
        let (mut n_samples, mut all) = (0, 0);
        for &packed in packed {
            n_samples += PackedRow(packed).small_samples();
            all |= packed;
        }
        // Below 256 together, the sizes have no bit of a larger block.
        if PackedRow(all).source() == AllocSource::Minor && u64::from(PackedRow(all).small_words()) < MAX_MINOR_WORDS {
            self.alloc_events.minor += packed.len() as u64;
            self.alloc_samples.minor += u64::from(n_samples);
        } else {
            for packed in packed.iter().copied().map(PackedRow) {
                self.add(packed.source(), u64::from(packed.small_words()), u64::from(packed.small_samples()));
            }
        }
        u64::from(n_samples)
    }
}

/// The first maximum of the live samples over all events in time order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peak {
    pub samples: u64,
    /// µs since the trace's start.
    pub at_us: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    pub fn add(&mut self, source: AllocSource, n: u64) {
        match source {
            AllocSource::Minor => self.minor += n,
            AllocSource::Major => self.major += n,
            AllocSource::External => self.external += n,
        }
    }
}
