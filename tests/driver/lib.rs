//! Drives the built page in a real browser, for the tests next to it and for the benchmarks.

pub mod browser;
mod devtools;
pub mod engine;
pub mod keys;
pub mod page;
pub mod server;
