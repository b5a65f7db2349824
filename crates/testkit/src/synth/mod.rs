//! Synthetic traces with the statistics of real ones, for benches and tests of sizes that no repository holds.
//!
//! A small machine is simulated: domains with a clock, a minor heap of 256k words that survivors leave in bursts, and a
//! major heap whose dead are collected a cycle later. A [`Shape`] says what it runs. The same options make the same
//! bytes. Memory is bounded by the objects that are alive and will die; nothing else is kept. Spacetime profiles have no
//! objects: `daemon` has one program for them.
//!
//! Measured, real against synthetic (seed 1), as many objects at the same rate. The real ones: the OCaml compiler on its
//! largest file at 0.01, a small order service at 0.0001, and a program that leaks at 0.01.
//!
//! | for each object | compiler | | server | | leak | |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | bytes in the file | 19.7 | 20.2 | 19.5 | 20.3 | 18.0 | 17.1 |
//! | frames that differ from the last stack | 4.5 | 4.2 | 5.3 | 5.3 | 7.8 | 8.2 |
//! | codes for them | 2.6 | 2.7 | 2.8 | 3.6 | 2.3 | 2.0 |
//! | new nodes in the tree of stacks | 2.6 | 2.8 | 0.04 | 0.06 | 0.00 | 0.00 |
//! | distinct stacks | 0.59 | 0.70 | 0.02 | 0.02 | 0.00 | 0.00 |
//! | frames: median | 43 | 43 | 8 | 9 | 23 | 24 |
//! | frames: largest | 845 | 760 | 20 | 20 | 45 | 43 |
//! | samples | 1.03 | 1.02 | 1.00 | 1.00 | 1.01 | 1.01 |
//! | promoted | 15.3% | 15.1% | 7.3% | 8.9% | 1.3% | 1.3% |
//! | never collected | 7.1% | 7.5% | 2.0% | 3.5% | 0.8% | 0.9% |
//! | collections at one µs | 9.2 | 10.0 | 5.3 | 6.3 | 11.6 | 10.0 |
//!
//! The compiler at 0.1, with 6.3 million objects: 114 MB, 1.9 frames and 1.2 new nodes an object (real: 113 MB, about 2
//! and 1.1). Other seeds differ by some 10%, in new nodes by 20%.

mod clock;
mod daemon;
mod distributions;
mod heap;
mod machine;
mod options;
mod program;
mod service;
mod sizes;
mod walk;
mod workload;

use std::io;

pub use self::daemon::generate as generate_profile;
pub use self::options::{Extent, Format, Options, RunInfo, Shape};

use self::machine::Machine;
use camlscope_formats::ctf::encode::{EncodeError, Written};

/// Writes the trace that the options describe.
pub fn generate<W: io::Write>(options: &Options, out: W) -> Result<Written, EncodeError> {
    generate_run(options, RunInfo::default(), out)
}

/// The same for one of many runs.
pub fn generate_run<W: io::Write>(options: &Options, run: RunInfo, out: W) -> Result<Written, EncodeError> {
    Machine::new(options, run, out)?.run()
}
