//! What tests and benches of several crates share: fixtures, synthetic traces, encoders of odd values, and damage.

pub mod fixtures;
pub mod large_blocks;
pub mod mutations;
pub mod packets;
pub mod questions;
pub mod recorder;
pub mod repeated;
pub mod synth;
