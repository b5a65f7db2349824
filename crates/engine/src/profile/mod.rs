//! The model of a Spacetime profile: the live words of each allocation point at each snapshot. It has no objects and
//! nothing was sampled, so every figure is exact. It shares [`Calls`] with a trace: stacks, frames and names.

mod builder;

use std::ops::Range;

pub use builder::ProfileBuilder;
use serde::{Deserialize, Serialize};

use crate::trace::{Calls, Sampling, StackId};
use camlscope_formats::spacetime::{GcStats, Header, Warning};

/// Spacetime supported only 64-bit systems.
pub const WORD_BYTES: f64 = 8.0;

#[derive(Debug)]
pub struct Profile {
    pub header: Header,
    pub calls: Calls,
    /// In time order.
    pub snapshots: Vec<Snapshot>,
    pub marks: Vec<Mark>,
    /// How often each call site was called, keyed by the stack that ends in it.
    pub call_counts: Vec<(StackId, u64)>,
    /// Indexed by point.
    stack_of_point: Vec<StackId>,
    live: Vec<Live>,
    allocated: Vec<Allocated>,
    /// The number of allocation points. All points that never allocated count as one. `None` if the program was killed
    /// before it wrote them.
    pub n_points: Option<u64>,
    /// One in this many snapshots was kept, to fit into memory. 1 means all.
    pub kept_one_in: u32,
    /// The size of the profile, and of the file, which may be compressed.
    pub bytes: u64,
    pub file_bytes: u64,
    /// The program's CPU time in µs when it closed the profile, or at the latest record if it didn't.
    pub end_us: u64,
    pub warnings: Vec<Warning>,
    /// The offset at which a compressed file is truncated or damaged.
    pub archive_damaged_at: Option<u64>,
}

/// The contents of the major heap, as the collector found them. Words include headers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The program's CPU time.
    pub at_us: u64,
    /// Totals over all allocation points.
    pub live_words: u64,
    pub live_blocks: u64,
    /// Words not attributed to any allocation point.
    pub unattributed_words: u64,
    /// Allocated by all allocation points since the program started.
    pub allocated_words: u64,
    pub gc: Option<GcStats>,
    /// Ranges in the profile's lists.
    #[serde(skip)]
    live: Range<usize>,
    #[serde(skip)]
    allocated: Range<usize>,
}

impl Snapshot {
    /// Includes the words not attributed to any allocation point.
    pub fn all_words(&self) -> u64 {
        self.live_words + self.unattributed_words
    }

    pub fn all_bytes(&self) -> f64 {
        self.all_words() as f64 * WORD_BYTES
    }
}

/// An event named by the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub name: String,
    pub at_us: u64,
}

#[derive(Clone, Copy, Debug)]
struct Live {
    point: u32,
    blocks: u32,
    words: u64,
}

#[derive(Clone, Copy, Debug)]
struct Allocated {
    words: u64,
    point: u32,
}

/// The live words and blocks of an allocation point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub stack: StackId,
    pub words: u64,
    pub blocks: u64,
}

impl Profile {
    /// The samples of a profile are words, and it has all of them.
    pub const SAMPLING: Sampling = Sampling { rate: 1.0, bytes_a_sample: WORD_BYTES };

    /// Returns the latest snapshot at or before a time, or the first one if all are later. `None` if there are no
    /// snapshots.
    pub fn snapshot_at(&self, time_us: u64) -> Option<usize> {
        let n_before = self.snapshots.partition_point(|snapshot| snapshot.at_us <= time_us);
        (!self.snapshots.is_empty()).then(|| n_before.saturating_sub(1))
    }

    /// Returns the first snapshot with the most live words.
    pub fn peak(&self) -> Option<usize> {
        let words = |at: &usize| self.snapshots[*at].all_words();
        (0..self.snapshots.len()).rev().max_by_key(words)
    }

    /// Returns the live words and blocks of each allocation point at a snapshot.
    pub fn live(&self, snapshot: &Snapshot) -> impl Iterator<Item = Held> + '_ {
        let entries = self.live.get(snapshot.live.clone()).unwrap_or_default();
        entries.iter().map(|entry| Held {
            stack: self.stack_of(entry.point),
            words: entry.words,
            blocks: u64::from(entry.blocks),
        })
    }

    /// Returns the words that each allocation point had allocated by this snapshot.
    pub fn allocated(&self, snapshot: &Snapshot) -> impl Iterator<Item = (StackId, u64)> + '_ {
        let entries = self.allocated.get(snapshot.allocated.clone()).unwrap_or_default();
        entries.iter().map(|entry| (self.stack_of(entry.point), entry.words))
    }

    pub fn heap_bytes(&self) -> usize {
        self.calls.stacks.heap_bytes()
            + self.live.len() * size_of::<Live>()
            + self.allocated.len() * size_of::<Allocated>()
            + self.snapshots.len() * size_of::<Snapshot>()
    }

    fn stack_of(&self, point: u32) -> StackId {
        self.stack_of_point.get(point as usize).copied().unwrap_or(StackId::EMPTY)
    }
}
