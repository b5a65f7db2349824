//! The only types that cross a thread or a process: what the page says to its worker and what it hears back.
//!
//! The `File` itself travels next to [`ToWorker::Open`] as a browser object; everything else is plain data, [encoded](encoding)
//! on its way.

mod ask;
pub mod encoding;
mod error;

use serde::{Deserialize, Serialize};

pub use ask::{Answer, Question, Request, Slot, Versus, View};
pub use encoding::NotUnderstood;
pub use error::{Error, FetchError, NotFollowed};

pub use crate::trace::Whole;

use crate::query::filter::Filter;
use crate::query::flame::Flame;
use crate::query::prominent_names::ProminentNames;
use crate::query::summary::Summary;

/// Numbers requests; an answer carries the number of what it answers, so that a stale one can be told and dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestId(pub u32);

/// Which part of the page asks. A newer question of the same part makes an older one moot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Channel(pub u32);

/// Page → worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// Load the file of `bytes_total` bytes that travels with this message. Replaces whatever was being loaded.
    /// `whole`: what a downsampled copy says of the trace that it was made of.
    /// `memory`: how many bytes the model may take before it is downsampled, where the reader has a wish.
    /// `may_grow`: a program seems to be writing the file still.
    /// `is_halved`: a worker ran out of memory with this trace, so half of that must do.
    Open {
        id: RequestId,
        slot: Slot,
        bytes_total: u64,
        whole: Option<Whole>,
        memory: Option<u64>,
        may_grow: bool,
        is_halved: bool,
    },
    /// The same for a file of the page's own host, which the worker fetches. `address` is whole.
    OpenAddress { id: RequestId, slot: Slot, memory: Option<u64>, is_halved: bool, address: String },
    /// The main trace's file, which travels with this message, has more now: take that in, too.
    Follow,
    /// The page has started, so the processor is free to compile the decoder.
    WarmUp,
    /// A file may come soon: the reader drags something over the page, or looks for it in the browser's dialog.
    Expect,
    /// Tell whether a file with these first bytes, compressed or not, is a profile. Replaces an earlier one.
    Peek { head: Vec<u8> },
    /// Make a copy of the main trace for a report; of these objects, in at most `max_bytes` of base64.
    Embed { id: RequestId, filter: Filter, max_bytes: u64, is_anonymized: bool },
    /// Stop loading; obeyed within some 20 ms.
    Cancel { id: RequestId },
    /// Answer a question about what is loaded.
    Ask { id: RequestId, channel: Channel, request: Request },
    /// Nobody waits for this channel's answer any more.
    Forget { channel: Channel },
    /// The two traces change places.
    Swap,
    /// The trace that the main one is compared with is no longer needed.
    CloseOther,
}

/// Worker → page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    /// The worker's code has started and takes messages.
    Ready,
    /// At most 20 a second while loading.
    Progress {
        id: RequestId,
        progress: Progress,
    },
    /// What a load shows of itself before it is through; rarely, so that it costs little.
    SoFar {
        id: RequestId,
        so_far: SoFar,
    },
    Opened {
        id: RequestId,
        slot: Slot,
        summary: Box<Summary>,
        /// What is to have a color.
        names: ProminentNames,
        timing: LoadTiming,
        /// The file may grow, and ends inside a packet so far.
        ends_inside_packet: bool,
    },
    /// The main trace has grown; what it is now.
    Followed {
        summary: Box<Summary>,
        names: ProminentNames,
        ends_inside_packet: bool,
        took_ms: f64,
    },
    /// The main trace cannot go on with the file that came.
    /// `is_another`: another run wrote it. Else the trace cannot grow: it was over when it was opened, it is compressed, or what is
    /// known of it fills the memory that it may take.
    NotFollowed {
        is_another: bool,
    },
    /// The answer to a peek.
    Peeked {
        is_profile: bool,
    },
    /// `still_open`: what was loaded before is still there.
    Canceled {
        id: RequestId,
        still_open: bool,
    },
    Failed {
        id: RequestId,
        error: Error,
        still_open: bool,
    },
    /// The copy travels beside this message, as a `Blob` of base64.
    Embedded {
        id: RequestId,
        outcome: Result<Whole, Error>,
    },
    /// An answer takes a while; at most 10 a second. Between 0 and 1.
    Working {
        id: RequestId,
        share: f64,
    },
    Answered {
        id: RequestId,
        answer: Result<Box<Answer>, Error>,
        took_ms: f64,
    },
}

/// How far a load has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    pub bytes_read: u64,
    /// The file's size, where it is known (standard input's is not).
    pub bytes_total: Option<u64>,
    pub events: u64,
    /// The events are snapshots, and events that the program named.
    pub is_profile: bool,
    /// Since the load began, by the clock of whoever drives it.
    pub elapsed_ms: f64,
}

/// What can be told of a trace before all of it is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoFar {
    pub end_us: u64,
    /// Live bytes at the end of each of equally long stretches from the start to `end_us`.
    pub live: Vec<f64>,
    /// Functions that allocated what is live at `end_us`, the most first, with their bytes.
    pub holders: Vec<(String, f64)>,
    /// Their stacks, by a choice of them.
    pub flame: Flame,
}

/// How long a load took, by the worker's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadTiming {
    /// From the message to the answer.
    pub total_ms: f64,
    /// Decoding and building alone, without waiting for the file.
    pub decode_ms: f64,
}
