//! The model that a trace's events are stored in: built while the file streams, then frozen.
//!
//! It consists of columns in fixed-size chunks: 16 bytes per object, plus the times at which the collector ran, plus 8
//! bytes per node of the stack tree. [`Builder`] takes events, [`Builder::finish`] freezes them into a [`Trace`], and
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
mod gc_times;
mod ids;
mod list;
mod merge;
mod merged;
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
pub use gc_times::{GcTimes, Position};
pub use ids::{FunctionId, GcTimeId, ObjectRow, StackId, TextId};
pub(crate) use list::partition_point;
pub use preview::Preview;
pub use promotions::Promotions;
pub use scan::Rows;
pub use stacks::Stacks;
pub use totals::{MAX_MINOR_WORDS, Peak, SourceTotals, Totals};
pub use whole::Whole;

use camlscope_formats::ctf::{Info, Warning};

/// A complete, frozen trace.
#[derive(Debug)]
pub struct Trace {
    pub info: Info,
    pub totals: Totals,
    /// The first maximum of the curve of live samples.
    pub peak_at: Position,
    /// In order of allocation time.
    pub columns: Columns,
    pub gc_times: GcTimes,
    pub promotions: Promotions,
    pub calls: Calls,
    /// The domains that wrote an event, ascending.
    pub domain_ids: Vec<u16>,
    /// The size of the trace, and of the file, which may be compressed.
    pub bytes: u64,
    pub file_bytes: u64,
    /// The latest event and the latest end of a packet, in µs since the start of the trace.
    pub last_event_us: u64,
    pub end_us: u64,
    /// One in this many samples was kept, to fit into memory. 1 means all.
    pub downsampled: u32,
    pub warnings: Vec<Warning>,
}

/// How a model's samples were drawn, and how many bytes each represents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Samples per word. 1 if every word was counted.
    pub rate: f64,
    pub bytes_a_sample: f64,
}

impl Trace {
    pub fn sampling(&self) -> Sampling {
        Sampling { rate: self.rate(), bytes_a_sample: self.bytes_a_sample() }
    }

    /// Samples per word: the recorder's rate divided by the downsampling factor.
    pub fn rate(&self) -> f64 {
        self.info.sample_rate / f64::from(self.downsampled)
    }

    /// The bytes that one sample of the model represents.
    pub fn bytes_a_sample(&self) -> f64 {
        self.info.word_bytes() / self.rate()
    }

    /// Returns the position after all events at or before this time.
    pub fn position(&self, time_us: u64) -> Position {
        Position { rows: self.columns.rows_until(time_us), gc_times: self.gc_times.until(time_us) }
    }

    /// The memory that queries may take in addition to the model.
    pub fn query_bytes(&self) -> usize {
        budget::query_bytes(self.columns.len(), self.gc_times.len(), self.calls.stacks.nodes(), &self.calls.frames)
    }

    /// The memory that the model takes.
    pub fn heap_bytes(&self) -> usize {
        self.columns.heap_bytes()
            + self.gc_times.heap_bytes()
            + self.promotions.heap_bytes()
            + self.calls.stacks.heap_bytes()
    }
}
