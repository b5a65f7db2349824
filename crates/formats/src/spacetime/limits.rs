//! Every limit on what a profile may claim, with its reason.

/// Slots of a value in memory: the index of a wide integer has 28 bits. They take 1 GiB, and the tables next to them as
/// much again, which is more than the page may use.
pub const MAX_SLOTS: usize = 1 << 28;

/// Slots between two checks of a value's memory.
pub const SLOTS_A_LOOK: usize = 1 << 16;

/// The longest token except strings and arrays is a custom value with its sizes: 24 bytes.
pub const MAX_TOKEN_BYTES: usize = 32;

/// A process that has used more than ten years of CPU time has a damaged clock.
pub const MAX_TIME_S: f64 = 10.0 * 366.0 * 86_400.0;

/// Words or blocks of one snapshot, for all points together. A program that allocates 1 GB/s takes a year to reach it.
/// Sums stay exact in `f64`.
pub const MAX_COUNT: u64 = 1 << 52;

/// The last number, shared by all points that the 26 bits of a block's header can't tell apart.
pub const OVERFLOWED_PROFINFO: u32 = (1 << 26) - 1;

/// The longest path on Linux. A file name is reported once for each location in it, so without a limit a long name
/// shared by many locations would be copied for each.
pub const MAX_FILE_NAME_BYTES: usize = 4096;
