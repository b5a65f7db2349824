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

/// The largest OCaml integer, so the largest size or count that memtrace can write. Its reader reads more as negative.
pub const MAX_OCAML_INT: u64 = (1 << 62) - 1;

/// No program allocates 10^18 words. A rate below that is damage, and figures would not be numbers any more.
pub const MIN_SAMPLE_RATE: f64 = 1e-18;

/// More samples than this in one event count toward [`MAX_TRACE_SAMPLES`]. An event below it is never refused, whatever
/// a damaged one claimed before.
pub const MANY_SAMPLES: u64 = 1 << 16;

/// The most samples of all events with [`MANY_SAMPLES`] together. With 2^45 other events, all samples of a trace sum to
/// less than 2^63, so no sum of samples overflows 64 bits, signed or not.
pub const MAX_TRACE_SAMPLES: u64 = MAX_OCAML_INT;

/// No packet spans more than 30 s; its events carry 25 bits of microseconds (33.5 s).
pub const MAX_PACKET_SPAN_US: u64 = 1 << 25;

/// A packet further than ten years from the trace's start has a damaged time.
pub const MAX_TRACE_SPAN_US: u64 = 10 * 366 * 86_400 * 1_000_000;

/// A file of garbage is given up on after this much without a packet that says what the trace is.
pub const MAX_SEARCH_FOR_INFO_BYTES: u64 = 64 << 20;
