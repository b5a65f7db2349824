//! Every bound the decoder puts on what a file may claim, each with its reason.

/// The writer's packets are at most 32 KiB. A damaged size must not make us hold much more than that back while we
/// wait for its end, but a later writer may choose larger buffers.
pub const MAX_PACKET_BYTES: usize = 4 << 20;

/// The longest header there is (version 3).
pub const MAX_HEADER_BYTES: usize = 68;

/// Slots are 14 bits in the encoding.
pub const CACHE_SLOTS: usize = 1 << 14;

/// OCaml 5 runs at most 128 domains at a time, and a domain that has ended writes no more; twice as many decoder
/// states (some 150 KB each) are kept, and the one least recently used makes room.
pub const MAX_DOMAIN_STATES: usize = 256;

/// Real stacks reach 20,000 frames. Three bytes can claim 256 more frames, so without a bound a small file could ask
/// for all memory there is.
pub const MAX_STACK_FRAMES: usize = 1 << 20;

/// An OCaml block has at most 2^54 words; no machine holds one of 2^48.
pub const MAX_BLOCK_WORDS: u64 = 1 << 48;

/// Sums over 2^31 objects then stay within 64 bits.
pub const MAX_BLOCK_SAMPLES: u64 = u32::MAX as u64;

/// No packet spans more than 30 s; its events carry 25 bits of microseconds (33.5 s).
pub const MAX_PACKET_SPAN_US: u64 = 1 << 25;

/// A packet further than ten years from the trace's start has a damaged time.
pub const MAX_TRACE_SPAN_US: u64 = 10 * 366 * 86_400 * 1_000_000;

/// A file of garbage is given up on after this much without a packet that says what the trace is.
pub const MAX_SEARCH_FOR_INFO_BYTES: u64 = 64 << 20;
