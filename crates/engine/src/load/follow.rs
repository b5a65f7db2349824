//! A trace that is still being written: what has come is a frozen model, and what comes is added to it.

use super::reading::TraceReading;
use crate::trace::Trace;

/// Where decoder and builder stopped.
#[derive(Debug)]
pub struct FollowState {
    reading: Box<TraceReading>,
    file_bytes: u64,
    cost: FollowCost,
}

/// What the last part cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FollowCost {
    /// Bytes that were decoded.
    pub bytes: u64,
    /// Rows, moments and promotions that were put in their places, beside those that come in order.
    pub n_ordered: u64,
}

impl FollowState {
    pub(super) fn new(reading: Box<TraceReading>, file_bytes: u64) -> Option<(Trace, FollowState)> {
        let mut state = FollowState { reading, file_bytes, cost: FollowCost { bytes: file_bytes, n_ordered: 0 } };
        state.freeze().map(|trace| (trace, state))
    }

    /// Adds the next bytes of the file to the trace that came from here. Bytes of a packet that is not whole wait.
    pub fn append(&mut self, trace: &mut Trace, bytes: &[u8]) {
        let TraceReading { decoder, builder } = &mut *self.reading;
        let (codes, code_used) = builder.resume(trace);
        decoder.resume(codes, code_used);
        // Only what stands before the first packet can be refused.
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

    /// Of them, those of a packet that is not whole yet.
    pub fn bytes_waiting(&self) -> u64 {
        self.reading.decoder.n_waiting()
    }

    pub fn cost(&self) -> FollowCost {
        self.cost
    }

    /// What this takes beside the trace.
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
