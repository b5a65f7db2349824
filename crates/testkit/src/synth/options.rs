//! What to simulate.

use clap::ValueEnum;

/// What to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A memtrace trace.
    Memtrace,
    /// A Spacetime profile of a daemon.
    Spacetime,
}

/// The kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shape {
    /// Requests that allocate garbage, a bounded cache, sessions of which some leak, two spikes.
    Server,
    /// Deep recursion through thousands of call sites; six of ten frames looked up are new.
    Compiler,
    /// A table that grows forever, next to short-lived objects.
    Leak,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Objects(u64),
    /// The minimum. A collection that is written in one burst may exceed it.
    Bytes(u64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    pub shape: Shape,
    pub extent: Extent,
    /// Above 0, at most 1.
    pub rate: f64,
    /// At least 1. One domain makes a version 2 trace, several make a version 3 trace.
    pub domains: u16,
    pub seed: u64,
}

/// The program and run that the trace names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunInfo {
    /// Named after the shape if `None`.
    pub program: Option<String>,
    pub host: Option<String>,
    /// µs since the Unix epoch. A constant if `None`.
    pub start_us: Option<u64>,
    /// A constant if `None`.
    pub pid: Option<u32>,
}
