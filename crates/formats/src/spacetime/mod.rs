//! Decodes Spacetime profiles into snapshots and call stacks. A push decoder without IO: chunks of any size go in,
//! their contents go to a [`Sink`], and warnings are returned.
//!
//! Spacetime was the memory profiler of OCaml 4.04 to 4.11. Both `spacetime-<pid>`, as written by a program, and `.p`,
//! as written by prof_spacetime, are supported. Snapshots are handed out one by one. The tables and tries after them,
//! or an entire `.p`, are held until they are complete. All intact values of a damaged file are decoded, and
//! [`Warning`]s describe the others. Nothing here panics on any input.

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

/// The number of leading bytes that [`is_profile`] needs.
pub const HEAD_BYTES: usize = 4;

/// Whether a file may be a profile, judging by its first bytes: it starts with a marshaled value. A `.p` has no other
/// signature. A value of something else is refused when it is read.
pub fn is_profile(head: &[u8]) -> bool {
    head.len() >= HEAD_BYTES && marshal::may_begin_a_value(head)
}
