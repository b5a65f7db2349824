//! Every bound the decoder puts on what a profile may claim, each with its reason.

/// Slots of a value in memory: the number of a wide integer has 28 bits. They take 1 GiB, and what is in tables beside them
/// as much again, which is more than the page may use.
pub const MAX_SLOTS: usize = 1 << 28;

/// Slots between two looks at the memory that a value takes.
pub const SLOTS_A_LOOK: usize = 1 << 16;

/// The longest token but strings and arrays is a custom value that tells its sizes: 24 bytes.
pub const MAX_TOKEN_BYTES: usize = 32;

/// A process that has used more than ten years of processor time has a damaged clock.
pub const MAX_TIME_S: f64 = 10.0 * 366.0 * 86_400.0;

/// Words or blocks of one snapshot, all points together: a program that allocates 1 GB a second takes a year. Sums stay
/// exact in `f64`.
pub const MAX_COUNT: u64 = 1 << 52;

/// Points share the last number when the 26 bits of a block's header have no other.
pub const OVERFLOWED_PROFINFO: u32 = (1 << 26) - 1;

/// Linux has no longer paths. A file name is told once for each place in it, so without a bound one long name that many
/// places share would be copied for each.
pub const MAX_FILE_NAME_BYTES: usize = 4096;
