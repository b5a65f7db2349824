//! Sums over a complete trace, in the file's samples. Allocations and all event counts are exact, however much the
//! model is downsampled. Live and promoted samples are exact until the first downsampling. After that they are
//! estimates from the kept samples, consistent with every other query of the model.

use serde::{Deserialize, Serialize};

use super::packed_row::PackedRow;
use camlscope_formats::ctf::AllocSource;

/// The largest block that OCaml allocates in the minor heap. A larger one that a trace attributes to it is memory
/// outside the heap, held by a small custom block in the minor heap, such as a Bigarray or a channel's buffer. The
/// runtime samples it with the size of that memory, and memtrace writes where the small block is.
pub const MAX_MINOR_WORDS: u64 = 256;

/// Whether a block is first allocated in the minor heap.
#[inline(always)]
pub fn starts_in_minor_heap(source: AllocSource, size_words: u64) -> bool {
    source == AllocSource::Minor && size_words <= MAX_MINOR_WORDS
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub alloc_events: SourceTotals,
    pub alloc_samples: SourceTotals,
    /// The part of `alloc_events.minor` and `alloc_samples.minor` that is memory outside the heap
    /// ([`MAX_MINOR_WORDS`]).
    pub custom_events: u64,
    pub custom_samples: u64,
    pub n_promotes: u64,
    pub n_collects: u64,
    /// As reported by the trace. In a downsampled model, this and the following figures are multiples of the factor.
    pub promoted_samples: u64,
    /// The part that is memory outside the heap. Only the custom block that holds it moved.
    pub custom_promoted_samples: u64,
    pub live_at_end_samples: u64,
    pub peak: Peak,
    /// The number of frames of the deepest stack.
    pub max_depth: usize,
}

impl Totals {
    pub(super) fn add(&mut self, source: AllocSource, size_words: u64, n_samples: u64) {
        self.alloc_events.add(source, 1);
        self.alloc_samples.add(source, n_samples);
        if source == AllocSource::Minor && size_words > MAX_MINOR_WORDS {
            self.custom_events += 1;
            self.custom_samples += n_samples;
        }
    }

    pub(super) fn promote(&mut self, starts_in_minor_heap: bool, n_samples: u64) {
        self.promoted_samples += n_samples;
        self.custom_promoted_samples += if starts_in_minor_heap { 0 } else { n_samples };
    }

    /// Adds allocations that all fit into their columns. Returns their samples.
    pub(super) fn add_rows(&mut self, packed: &[u32]) -> u64 {
        // Summed in 32 bits, which can't overflow here, and without branches.
        let (mut n_samples, mut all) = (0, 0);
        for &packed in packed {
            n_samples += PackedRow(packed).small_samples();
            all |= packed;
        }
        // If the sizes ORed together are below 256, none of them is larger.
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
