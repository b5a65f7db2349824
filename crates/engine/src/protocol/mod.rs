//! The only types that cross a thread or process boundary: the messages between the page and its worker.
//!
//! The `File` itself travels next to [`ToWorker::Open`] as a browser object. Everything else is plain data,
//! [encoded](encoding) for the transfer.

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

/// Identifies a request. Its response carries the same number, so that stale responses can be dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestId(pub u32);

/// The part of the page that sends a request. A newer request from the same part makes an older one obsolete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Channel(pub u32);

/// Page → worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// Load the file of `bytes_total` bytes that travels with this message. Replaces a load in progress.
    /// `whole`: the original's totals, if the file is a downsampled copy of a trace.
    /// `memory`: the user's limit, in bytes, above which the model is downsampled.
    /// `may_grow`: a program still seems to be writing the file.
    /// `is_halved`: a worker ran out of memory with this trace, so the limit is halved.
    Open {
        id: RequestId,
        slot: Slot,
        bytes_total: u64,
        whole: Option<Whole>,
        memory: Option<u64>,
        may_grow: bool,
        is_halved: bool,
    },
    /// The same for a file on the page's own host, which the worker fetches. `address` is absolute.
    OpenAddress { id: RequestId, slot: Slot, memory: Option<u64>, may_grow: bool, is_halved: bool, address: String },
    /// The main trace's file, which travels with this message, has grown: append the new bytes.
    Follow,
    /// The main trace's file on the page's own host may have grown: append the new bytes, if there are any.
    FollowAddress { address: String },
    /// The page has started, so the processor is free to compile the decoder.
    WarmUp,
    /// A file may arrive soon: the user is dragging something over the page or has a file dialog open.
    Expect,
    /// Report whether a file with these first bytes, compressed or not, is a profile. Replaces an earlier peek.
    Peek { head: Vec<u8> },
    /// Make a copy of the main trace for a report, with only these objects, in at most `max_bytes` of base64.
    Embed { id: RequestId, filter: Filter, max_bytes: u64, is_anonymized: bool },
    /// Stop loading. Takes effect within about 20 ms.
    Cancel { id: RequestId },
    /// Answer a query about the loaded traces.
    Ask { id: RequestId, channel: Channel, request: Request },
    /// Nobody is waiting for this channel's response anymore.
    Forget { channel: Channel },
    /// Swap the two traces.
    Swap,
    /// Close the trace that the main one is compared with.
    CloseOther,
}

/// Worker → page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    /// The worker has started and accepts messages.
    Ready,
    /// Sent at most 20 times per second while loading.
    Progress {
        id: RequestId,
        progress: Progress,
    },
    /// A preview of a load in progress. Sent rarely, so that it costs little.
    SoFar {
        id: RequestId,
        so_far: SoFar,
    },
    Opened {
        id: RequestId,
        slot: Slot,
        summary: Box<Summary>,
        /// The names that get their own colors.
        names: ProminentNames,
        timing: LoadTiming,
        /// The file may grow, and currently ends inside a packet.
        ends_inside_packet: bool,
    },
    /// The main trace has grown. Contains its new summary.
    Followed {
        summary: Box<Summary>,
        names: ProminentNames,
        ends_inside_packet: bool,
        took_ms: f64,
    },
    /// The main trace can't be continued with this file.
    /// `is_another`: a different run wrote it. Otherwise the trace can't grow: it was complete when it was opened, it
    /// is compressed, or its model fills the available memory.
    NotFollowed {
        is_another: bool,
    },
    /// The response to a peek.
    Peeked {
        is_profile: bool,
    },
    /// `still_open`: the previously loaded trace is still open.
    Canceled {
        id: RequestId,
        still_open: bool,
    },
    Failed {
        id: RequestId,
        error: Error,
        still_open: bool,
    },
    /// The copy travels next to this message, as a `Blob` of base64.
    Embedded {
        id: RequestId,
        outcome: Result<Whole, Error>,
    },
    /// A response takes a while. Sent at most 10 times per second. `share` is between 0 and 1.
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

/// The progress of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    pub bytes_read: u64,
    /// The file's size, if known. The size of standard input isn't.
    pub bytes_total: Option<u64>,
    pub events: u64,
    /// In a profile, events are snapshots and the program's own events.
    pub is_profile: bool,
    /// Since the load began, by the caller's clock.
    pub elapsed_ms: f64,
}

/// A preview of a trace before all of it is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoFar {
    pub end_us: u64,
    /// Live bytes at the end of each of equally long time ranges from the start to `end_us`.
    pub live: Vec<f64>,
    /// The functions that allocated what is live at `end_us`, largest first, with their bytes.
    pub holders: Vec<(String, f64)>,
    /// A representative choice of the live stacks.
    pub flame: Flame,
}

/// The duration of a load, by the worker's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadTiming {
    /// From the message to the response.
    pub total_ms: f64,
    /// Decoding and building, without waiting for the file.
    pub decode_ms: f64,
}
