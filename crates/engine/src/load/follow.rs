//! A live trace: a frozen model of everything read so far, to which new bytes are added.

use super::reading::TraceReading;
use crate::trace::Trace;

/// The state in which decoder and builder stopped.
#[derive(Debug)]
pub struct FollowState {
    reading: Box<TraceReading>,
    file_bytes: u64,
    cost: FollowCost,
}

/// The cost of the last append.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FollowCost {
    /// Bytes decoded.
    pub bytes: u64,
    /// Rows, collection times and promotions that had to be put in order. Those that arrive in order don't count.
    pub n_ordered: u64,
}

impl FollowState {
    pub(super) fn new(reading: Box<TraceReading>, file_bytes: u64) -> Option<(Trace, FollowState)> {
        let mut state = FollowState { reading, file_bytes, cost: FollowCost { bytes: file_bytes, n_ordered: 0 } };
        state.freeze().map(|trace| (trace, state))
    }

    /// Adds the next bytes of the file to this state's trace. Bytes of an incomplete packet are kept for later.
    pub fn append(&mut self, trace: &mut Trace, bytes: &[u8]) {
        let TraceReading { decoder, builder } = &mut *self.reading;
        let (codes, code_used) = builder.resume(trace);
        decoder.resume(codes, code_used);
        // Only bytes before the first packet can be refused.
        let _ = decoder.push(bytes, builder);
        self.file_bytes += bytes.len() as u64;
        self.cost.bytes = bytes.len() as u64;
        if let Some(now) = self.freeze() {
            *trace = now;
        }
    }

    /// Bytes of the file so far.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// The part of `file_bytes` that belongs to an incomplete packet.
    pub fn bytes_waiting(&self) -> u64 {
        self.reading.decoder.n_waiting()
    }

    pub fn cost(&self) -> FollowCost {
        self.cost
    }

    /// The memory that this takes in addition to the trace.
    pub fn heap_bytes(&self) -> usize {
        self.reading.builder.kept_bytes()
    }

    fn freeze(&mut self) -> Option<Trace> {
        let so_far = self.reading.decoder.pause()?;
        let (mut trace, n_ordered) = self.reading.builder.freeze(so_far);
        trace.file_bytes = self.file_bytes;
        self.cost.n_ordered = n_ordered;
        Some(trace)
    }
}
