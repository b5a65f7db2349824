//! Live traces: queries use the data read so far, and more can be appended.

use super::cache::Cache;
use super::{Open, OpenTrace, Session};
use crate::load::FollowState;
use crate::protocol::{Error, NotFollowed, Slot};
use crate::query::summary::{Summary, summary};

impl Session {
    /// Freezes what has been read so far of a file that may grow, and returns its summary. If [`Session::can_follow`],
    /// continue with [`Session::append`]. Otherwise this is the same as [`Session::finish`].
    pub fn pause(&mut self) -> Result<Summary, Error> {
        match self.loading.take_if(|(_, loader)| loader.can_freeze()) {
            Some((slot, loader)) => {
                let (trace, follow) = loader.freeze().ok_or(Error::NoLoad)?;
                Ok(self.open_trace(slot, trace, Some(follow)))
            }
            None => self.finish(),
        }
    }

    /// Whether [`Session::pause`] would now leave a trace that can be followed.
    pub fn can_pause(&self) -> bool {
        self.loading.as_ref().is_some_and(|(_, loader)| loader.can_freeze())
    }

    /// Why the current load can never be paused. `None` if it can, or might once more bytes have been read.
    pub fn why_not_followed(&self) -> Option<Error> {
        let (_, loader) = self.loading.as_ref()?;
        match loader.compression() {
            _ if loader.is_profile() => Some(Error::NotFollowed(NotFollowed::Profile)),
            Some(_) => Some(Error::NotFollowed(NotFollowed::Compressed)),
            None => None,
        }
    }

    /// Whether the slot's trace was frozen by [`Session::pause`] and there is memory to continue it.
    pub fn can_follow(&self, slot: Slot) -> bool {
        let Some(Open::Trace(open)) = self.open(slot) else { return false };
        let follow = open.follow.as_ref();
        follow.is_some_and(|follow| open.trace.heap_bytes() + follow.heap_bytes() < self.budget_of(slot).bytes)
    }

    /// The number of bytes read from the file of a live trace.
    pub fn bytes_taken(&self, slot: Slot) -> Option<u64> {
        self.follow_state(slot).map(FollowState::file_bytes)
    }

    /// Whether the file of a live trace currently ends inside a packet.
    pub fn ends_inside_packet(&self, slot: Slot) -> bool {
        self.follow_state(slot).is_some_and(|follow| follow.bytes_waiting() > 0)
    }

    fn follow_state(&self, slot: Slot) -> Option<&FollowState> {
        match self.open(slot) {
            Some(Open::Trace(open)) => open.follow.as_ref(),
            Some(Open::Profile(_)) | None => None,
        }
    }

    /// Appends the next bytes of a trace's file and returns its new summary. Drops everything cached about the trace.
    pub fn append(&mut self, slot: Slot, bytes: &[u8]) -> Result<Summary, Error> {
        let budget = self.budget_of(slot).bytes;
        let Some(Open::Trace(open)) = self.slot(slot) else {
            return Err(Error::NoTrace);
        };
        let OpenTrace { trace, cache, follow } = &mut **open;
        let follow = follow.as_mut().ok_or(Error::NoLoad)?;
        follow.append(trace, bytes);
        *cache = Cache::with_limit(budget.saturating_sub(trace.heap_bytes() + follow.heap_bytes()));
        Ok(summary(trace))
    }
}
