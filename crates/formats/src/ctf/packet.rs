//! Packet headers. Where a header is expected, few checks are needed. While searching for the next packet after damage,
//! a chance match must not pass, so every field is checked against what is known about the trace.

use super::limits::{CACHE_SLOTS, MAX_PACKET_BYTES, MAX_PACKET_SPAN_US, MAX_TRACE_SPAN_US};
use super::reader::{Reader, Short};

pub const MAGIC: u32 = 0xc1fc_1fc1;

/// `cache_verify_ix` of a packet that has nothing to verify.
const NOTHING_TO_VERIFY: u16 = 0xffff;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub magic: u32,
    /// Including the header, in bits.
    pub size_bits: u32,
    /// µs since the Unix epoch.
    pub time_begin: u64,
    pub time_end: u64,
    pub version: u16,
    pub pid: u64,
    /// 0 before version 3.
    pub domain: u16,
    pub verify: Option<Verify>,
    pub alloc_id_begin: u64,
    pub alloc_id_end: u64,
}

/// What one slot of the backtrace cache must hold when the packet begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verify {
    pub slot: u16,
    pub pred: u16,
    pub code: u64,
}

/// The trace that a packet must belong to, known once the first packet has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    pub version: u16,
    pub start_us: u64,
}

impl Header {
    /// The length of a header of this version. Unknown versions are assumed to be as long as the newest.
    pub fn len(version: u16) -> usize {
        if version <= 2 { 66 } else { 68 }
    }

    /// Reads a header from the first bytes of a packet. `Short` if there are fewer than the version needs.
    pub fn read(bytes: &[u8]) -> Result<Header, Short> {
        let mut r = Reader::new(bytes);
        let magic = r.u32()?;
        let size_bits = r.u32()?;
        let time_begin = r.u64()?;
        let time_end = r.u64()?;
        let _flush_duration = r.u32()?;
        let version = r.u16()?;
        let pid = r.u64()?;
        let domain = if version >= 3 { r.u16()? } else { 0 };
        let (slot, pred, code) = (r.u16()?, r.u16()?, r.u64()?);
        let verify = (slot != NOTHING_TO_VERIFY).then_some(Verify { slot, pred, code });
        let alloc_id_begin = r.u64()?;
        let alloc_id_end = r.u64()?;
        Ok(Header {
            magic,
            size_bits,
            time_begin,
            time_end,
            version,
            pid,
            domain,
            verify,
            alloc_id_begin,
            alloc_id_end,
        })
    }

    pub fn size_bytes(&self) -> usize {
        (self.size_bits / 8) as usize
    }

    /// Whether this can be a packet's header where one is expected.
    pub fn is_sound(&self) -> bool {
        self.magic == MAGIC
            && self.size_bits.is_multiple_of(8)
            && (Header::len(self.version)..=MAX_PACKET_BYTES).contains(&self.size_bytes())
    }

    /// Whether bytes found by searching are certainly a header of this trace.
    pub fn is_plausible(&self, trace: Identity) -> bool {
        let ids = self.alloc_id_end.wrapping_sub(self.alloc_id_begin);
        self.is_sound()
            && self.version == trace.version
            && self.time_begin.abs_diff(trace.start_us) <= MAX_TRACE_SPAN_US
            && self.time_end.abs_diff(self.time_begin) <= MAX_PACKET_SPAN_US
            && ids <= self.size_bytes() as u64
            && self.verify.is_none_or(|v| usize::from(v.slot) < CACHE_SLOTS && usize::from(v.pred) < CACHE_SLOTS)
    }
}

/// Restores the times of events, which have only 25 bits, from the packet's begin.
///
/// Within a packet, times are relative to its begin, in 32 bits. Subtracting modulo 2^25 handles wrapped and plain
/// times the same way.
#[derive(Clone, Copy, Debug)]
pub struct EventClock {
    begin_us: u64,
    begin_low: u32,
    /// The last event's time and the packet's end, relative to its begin.
    last: u32,
    end: u32,
    n_stepped: u64,
}

impl EventClock {
    pub const LOW_BITS: u32 = 25;
    const LOW_MASK: u32 = (1 << EventClock::LOW_BITS) - 1;

    /// `last_us` is the time of the domain's last event. Times never decrease.
    pub fn new(begin_us: u64, end_us: u64, last_us: u64) -> EventClock {
        let begin_low = begin_us as u32 & EventClock::LOW_MASK;
        let since_begin = |us: u64| u32::try_from(us.saturating_sub(begin_us));
        match (since_begin(last_us), since_begin(end_us)) {
            (Ok(last), Ok(end)) if last <= end => EventClock { begin_us, begin_low, last, end, n_stepped: 0 },
            // The clock was set back by more than this packet, so it stands still until time has caught up.
            _ => EventClock { begin_us: last_us, begin_low, last: 0, end: 0, n_stepped: 0 },
        }
    }

    /// The time that ticks are relative to, in µs since the epoch.
    pub fn begin_us(&self) -> u64 {
        self.begin_us
    }

    /// Returns the event's time relative to the packet's begin, from its first word. A time before the previous event
    /// or after the packet's end, because of a clock step or damage, is moved to that bound. The order of events
    /// matters more than their times.
    #[inline(always)]
    pub fn tick(&mut self, word: u32) -> u32 {
        let stated = word.wrapping_sub(self.begin_low) & EventClock::LOW_MASK;
        if stated < self.last || stated > self.end {
            self.n_stepped += 1;
            self.last = stated.clamp(self.last, self.end);
        } else {
            self.last = stated;
        }
        self.last
    }

    /// Whether this word has the last event's time, unmoved.
    #[inline(always)]
    pub fn is_at(&self, word: u32) -> bool {
        word.wrapping_sub(self.begin_low) & EventClock::LOW_MASK == self.last
    }

    /// The last event's time in µs since the epoch.
    pub fn last_us(&self) -> u64 {
        self.begin_us.saturating_add(u64::from(self.last))
    }

    /// The number of events whose time was moved.
    pub fn n_stepped(&self) -> u64 {
        self.n_stepped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_times_below_the_packets_begin_wrap_around() {
        let begin = (7 << 25) + 33_000_000;
        let mut clock = EventClock::new(begin, begin + (1 << 25), 0);
        assert_eq!(clock.tick(33_000_000), 0);
        assert_eq!(clock.tick(33_000_001), 1);
        assert_eq!(clock.tick(5), ((8 << 25) + 5 - begin) as u32);
        assert_eq!(clock.tick(101 << 25 | 5), ((8 << 25) + 5 - begin) as u32, "the code isn't part of the time");
        assert_eq!((clock.last_us(), clock.n_stepped()), ((8 << 25) + 5, 0));
    }

    #[test]
    fn times_never_decrease_and_never_pass_the_packets_end() {
        let mut clock = EventClock::new(1000, 2000, 1500);
        assert_eq!(clock.tick(1200), 500, "before the domain's last event");
        assert_eq!(clock.tick(1700), 700);
        assert_eq!(clock.tick(1600), 700, "before the previous event");
        assert_eq!(clock.tick(9000), 1000, "after the packet's end");
        assert_eq!(clock.n_stepped(), 3);
    }

    #[test]
    fn the_clock_stands_still_in_a_packet_hours_before_the_last_event() {
        let hour_us = 3_600_000_000;
        let mut clock = EventClock::new(1000, 2000, 5 * hour_us);
        for word in [1000, 1500, 900] {
            assert_eq!(clock.begin_us() + u64::from(clock.tick(word)), 5 * hour_us);
        }
        assert_eq!(clock.last_us(), 5 * hour_us);
    }
}
