//! The model of a Spacetime profile: what each allocation point holds at each snapshot. There are no objects in it and
//! nothing was sampled, so every figure is exact. It shares [`Calls`] with a trace: stacks, frames and names.

mod builder;

use std::ops::Range;

pub use builder::ProfileBuilder;
use serde::{Deserialize, Serialize};

use crate::trace::{Calls, Sampling, StackId};
use camlscope_formats::spacetime::{GcStats, Header, Warning};

/// Spacetime ran on 64 bits alone.
pub const WORD_BYTES: f64 = 8.0;

#[derive(Debug)]
pub struct Profile {
    pub header: Header,
    pub calls: Calls,
    /// In the order of time.
    pub snapshots: Vec<Snapshot>,
    pub marks: Vec<Mark>,
    /// How often call sites were called, by the stack that ends in the site.
    pub call_counts: Vec<(StackId, u64)>,
    /// By point.
    stack_of_point: Vec<StackId>,
    live: Vec<Live>,
    allocated: Vec<Allocated>,
    /// Allocation points by their numbers, so that all that never allocated are one; none where the program was killed before it wrote them.
    pub n_points: Option<u64>,
    /// 1 in this many snapshots was kept, to fit into memory; 1: all.
    pub kept_one_in: u32,
    /// Size of the profile, and of the file that it came in, which may be compressed.
    pub bytes: u64,
    pub file_bytes: u64,
    /// Processor time of the program, in µs, when it closed the profile; else of the latest record.
    pub end_us: u64,
    pub warnings: Vec<Warning>,
    /// Where a compressed file is cut or damaged.
    pub archive_damaged_at: Option<u64>,
}

/// What the collector saw in the major heap. Words include headers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Processor time of the program.
    pub at_us: u64,
    /// Of all allocation points.
    pub live_words: u64,
    pub live_blocks: u64,
    /// Words that no allocation point accounts for.
    pub unattributed_words: u64,
    /// Since the program's start, by all allocation points.
    pub allocated_words: u64,
    pub gc: Option<GcStats>,
    /// Ranges of the profile's lists.
    #[serde(skip)]
    live: Range<usize>,
    #[serde(skip)]
    allocated: Range<usize>,
}

impl Snapshot {
    /// With what no allocation point accounts for.
    pub fn all_words(&self) -> u64 {
        self.live_words + self.unattributed_words
    }

    pub fn all_bytes(&self) -> f64 {
        self.all_words() as f64 * WORD_BYTES
    }
}

/// An event that the program named.
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

/// What an allocation point holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub stack: StackId,
    pub words: u64,
    pub blocks: u64,
}

impl Profile {
    /// Words are the samples of a profile, and it has all of them.
    pub const SAMPLING: Sampling = Sampling { rate: 1.0, bytes_a_sample: WORD_BYTES };

    /// The latest snapshot at or before a time; the first one for times before it. None where there is none at all.
    pub fn snapshot_at(&self, time_us: u64) -> Option<usize> {
        let n_before = self.snapshots.partition_point(|snapshot| snapshot.at_us <= time_us);
        (!self.snapshots.is_empty()).then(|| n_before.saturating_sub(1))
    }

    /// The first snapshot with the most live words.
    pub fn peak(&self) -> Option<usize> {
        let words = |at: &usize| self.snapshots[*at].all_words();
        (0..self.snapshots.len()).rev().max_by_key(words)
    }

    /// What each allocation point holds at a snapshot.
    pub fn live(&self, snapshot: &Snapshot) -> impl Iterator<Item = Held> + '_ {
        let entries = self.live.get(snapshot.live.clone()).unwrap_or_default();
        entries.iter().map(|entry| Held {
            stack: self.stack_of(entry.point),
            words: entry.words,
            blocks: u64::from(entry.blocks),
        })
    }

    /// What each allocation point had allocated by then, in words.
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
