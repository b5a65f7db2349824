//! Spacetime profiles → snapshots and call stacks. A push decoder without IO: chunks of any size in, what they say into
//! a [`Sink`], warnings out.
//!
//! Spacetime was the memory profiler of OCaml 4.04 to 4.11. Both `spacetime-<pid>`, as a program wrote it, and `.p`, as
//! prof_spacetime made it, are read. Snapshots are handed out one by one; the tables and tries behind them, or a whole
//! `.p`, are held until they are read. Of damaged files every value that is whole comes through, and [`Warning`]s say
//! what did not. Nothing here panics on any input.

mod decoder;
pub mod encode;
mod error;
mod expected;
mod interpreter;
pub mod limits;
mod marshal;
mod series;
mod sink;
mod snapshot;
mod tables;
mod trie;

pub use decoder::{Decoder, Finished};
pub use error::{Refusal, Section, Warning, WarningKind};
pub use sink::{Address, Entry, Form, GcStats, Header, Node, Sink, Snapshot, SourcePosition};

/// As many first bytes as [`is_profile`] looks at.
pub const HEAD_BYTES: usize = 4;

/// Whether a file may be a profile by its first bytes: it begins with a marshalled value. `.p` has no other sign; a value
/// of something else is refused when it is read.
pub fn is_profile(head: &[u8]) -> bool {
    head.len() >= HEAD_BYTES && marshal::may_begin_a_value(head)
}
