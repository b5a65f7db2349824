//! Every limit on what a file may claim, with its reason.

/// The writer's packets are at most 32 KiB. A damaged size must not make the decoder buffer much more than that, but
/// future writers may choose larger packets.
pub const MAX_PACKET_BYTES: usize = 4 << 20;

/// The length of the longest header (version 3).
pub const MAX_HEADER_BYTES: usize = 68;

/// Slots are 14 bits in the encoding.
pub const CACHE_SLOTS: usize = 1 << 14;

/// OCaml 5 runs at most 128 domains at a time, and a domain that has ended doesn't write anymore. Twice as many decoder
/// states (about 150 KB each) are kept, and the least recently used one is evicted.
pub const MAX_DOMAIN_STATES: usize = 256;

/// Real stacks reach 20,000 frames. Three bytes can claim 256 more frames, so without a limit a small file could
/// exhaust all memory.
pub const MAX_STACK_FRAMES: usize = 1 << 20;

/// The largest OCaml integer, and so the largest size or count that memtrace can write. Its reader reads larger ones as
/// negative.
pub const MAX_OCAML_INT: u64 = (1 << 62) - 1;

/// No program allocates 10^18 words. A lower rate is damage, and figures would no longer be finite.
pub const MIN_SAMPLE_RATE: f64 = 1e-18;

/// Larger sample counts in one event count toward [`MAX_TRACE_SAMPLES`]. Events below this are never refused, whatever
/// a damaged one claimed before.
pub const MANY_SAMPLES: u64 = 1 << 16;

/// The most samples in all events with [`MANY_SAMPLES`] together. With 2^45 other events, all samples of a trace sum to
/// less than 2^63, so no sum of samples overflows 64 bits, signed or not.
pub const MAX_TRACE_SAMPLES: u64 = MAX_OCAML_INT;

/// No packet spans more than 30 s. Its events have 25 bits of microseconds (33.5 s).
pub const MAX_PACKET_SPAN_US: u64 = 1 << 25;

/// A packet more than ten years from the trace's start has a damaged time.
pub const MAX_TRACE_SPAN_US: u64 = 10 * 366 * 86_400 * 1_000_000;

/// The search for the first packet in a file of garbage stops after this many bytes.
pub const MAX_SEARCH_FOR_INFO_BYTES: u64 = 64 << 20;
