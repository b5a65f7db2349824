//! The model that a trace's events become: built while the file streams, then frozen.
//!
//! Columns in fixed-size chunks, not objects: 16 bytes an object, plus the moments at which the collector worked, plus
//! 8 bytes a node of the stack tree. [`Builder`] takes events, [`Builder::finish`] freezes them into a [`Trace`], and
//! everything later takes `&Trace`.

mod block_pool;
mod budget;
mod builder;
mod calls;
mod chunk;
mod chunked;
mod columns;
mod domains;
mod downsample;
mod follow;
mod frames;
mod ids;
mod list;
mod merge;
mod merged;
mod moments;
mod nodes;
mod objects;
mod packed_row;
mod pending;
mod preview;
mod promotions;
mod ranked_bits;
pub mod sampling_hash;
mod scan;
mod stacks;
mod sweep;
mod totals;
mod weighted_sample;
mod whole;

pub use budget::Budget;
pub use builder::Builder;
pub use calls::{Calls, CallsBuilder};
pub use columns::{Columns, Row};
pub use downsample::survivors;
pub use frames::{Frame, Frames, Function, SourceLocation, module_of};
pub use ids::{FunctionId, MomentId, ObjectRow, StackId, TextId};
pub(crate) use list::partition_point;
pub use moments::{Moments, Position};
pub use preview::Preview;
pub use promotions::Promotions;
pub use scan::Rows;
pub use stacks::Stacks;
pub use totals::{MAX_MINOR_WORDS, Peak, SourceTotals, Totals};
pub use whole::Whole;

use camlscope_formats::ctf::{Info, Warning};

/// A whole trace, frozen.
#[derive(Debug)]
pub struct Trace {
    pub info: Info,
    pub totals: Totals,
    /// Where the curve of live samples first is highest.
    pub peak_at: Position,
    /// In the order of allocation times.
    pub columns: Columns,
    pub moments: Moments,
    pub promotions: Promotions,
    pub calls: Calls,
    /// Domains that wrote an event, ascending.
    pub domain_ids: Vec<u16>,
    /// Size of the trace, and of the file that it came in, which may be compressed.
    pub bytes: u64,
    pub file_bytes: u64,
    /// µs since the trace's start: latest event, latest end of a packet.
    pub last_event_us: u64,
    pub end_us: u64,
    /// 1 in this many samples was kept, to fit into memory; 1: all.
    pub downsampled: u32,
    pub warnings: Vec<Warning>,
}

/// How the samples of a model were drawn, and what each stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Samples a word; 1 where every word was counted.
    pub rate: f64,
    pub bytes_a_sample: f64,
}

impl Trace {
    pub fn sampling(&self) -> Sampling {
        Sampling { rate: self.rate(), bytes_a_sample: self.bytes_a_sample() }
    }

    /// Samples a word: the recorder's rate, less what downsampling took.
    pub fn rate(&self) -> f64 {
        self.info.sample_rate / f64::from(self.downsampled)
    }

    /// What a sample of the model stands for.
    pub fn bytes_a_sample(&self) -> f64 {
        self.info.word_bytes() / self.rate()
    }

    /// Behind all events at or before this time.
    pub fn position(&self, time_us: u64) -> Position {
        Position { rows: self.columns.rows_until(time_us), moments: self.moments.until(time_us) }
    }

    /// What questions may take beside the model.
    pub fn question_bytes(&self) -> usize {
        budget::question_bytes(self.columns.len(), self.moments.len(), self.calls.stacks.nodes(), &self.calls.frames)
    }

    /// What the model takes.
    pub fn heap_bytes(&self) -> usize {
        self.columns.heap_bytes()
            + self.moments.heap_bytes()
            + self.promotions.heap_bytes()
            + self.calls.stacks.heap_bytes()
    }
}
