//! Shared by the tests and benches of several crates: fixtures, synthetic traces, encoders for unusual values, and file
//! damage.

pub mod fixtures;
pub mod large_blocks;
pub mod mutations;
pub mod packets;
pub mod questions;
pub mod recorder;
pub mod repeated;
pub mod stand_in;
pub mod synth;
