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
    /// Deep recursion through thousands of call sites; every other frame looked up is new.
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
    /// At least 1; several make a trace of version 3, one makes one of version 2.
    pub domains: u16,
    pub seed: u64,
}

/// The program and the run that the trace names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunInfo {
    /// `None`: named after its shape.
    pub program: Option<String>,
    pub host: Option<String>,
    /// µs since the Unix epoch; `None`: always the same.
    pub start_us: Option<u64>,
}
