//! The model that a trace's events become: built while the file streams, then frozen.
//!
//! Columns in fixed-size chunks, not objects: 16 bytes an object, plus the moments at which the collector worked, plus
//! 8 bytes a node of the stack tree. [`Builder`] takes events, [`Builder::finish`] freezes them into a [`Trace`], and
//! everything later takes `&Trace`.

mod builder;
mod chunked;
mod columns;
mod frames;
mod ids;
mod ledger;
mod merge;
mod moments;
mod objects;
mod stacks;
mod sweep;
mod thin;
mod totals;

pub use builder::{Budget, Builder};
pub use columns::{Columns, Row};
pub use frames::{Frame, Frames, Function};
pub use ids::{FunctionId, MomentId, ObjectRow, StackId, TextId};
pub use moments::{Moments, Promotions};
pub use stacks::Stacks;
pub use totals::{Peak, SourceTotals, Totals};

use crate::ctf::{Info, Warning};

/// A whole trace, frozen.
#[derive(Debug)]
pub struct Trace {
    pub info: Info,
    /// Exact over the whole file, thinned or not.
    pub totals: Totals,
    /// In the order of allocation times.
    pub columns: Columns,
    pub moments: Moments,
    pub promotions: Promotions,
    pub stacks: Stacks,
    pub frames: Frames,
    /// Location codes, by [`crate::ctf::CodeId`].
    pub codes: Vec<u64>,
    /// Which codes occur in stacks, by [`crate::ctf::CodeId`].
    pub code_used: Vec<bool>,
    /// Domains that wrote an event, ascending.
    pub domain_ids: Vec<u16>,
    /// Size of the trace, and of the file that it came in, which may be packed.
    pub bytes: u64,
    pub file_bytes: u64,
    /// µs since the trace's start: latest event, latest end of a packet.
    pub last_event_us: u64,
    pub end_us: u64,
    /// One of so many samples was kept, to fit into memory; 1: all.
    pub thinned: u32,
    pub warnings: Vec<Warning>,
}

impl Trace {
    /// What the model takes.
    pub fn heap_bytes(&self) -> usize {
        self.columns.heap_bytes() + self.moments.heap_bytes() + self.promotions.heap_bytes() + self.stacks.heap_bytes()
    }
}
