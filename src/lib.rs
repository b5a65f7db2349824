//! camlscope: where the memory of an OCaml program goes.
//!
//! The modules are floors; each imports only what is listed above it (`tests/architecture.rs` holds this):
//!
//! 0. [`format`](mod@format): numbers in words.
//! 1. [`ctf`]: memtrace bytes → events. Push decoder, no IO, no web.
//! 1. [`spacetime`]: bytes of a Spacetime profile → snapshots and call stacks.
//! 2. [`trace`]: the model that the events become.
//! 3. [`profile`]: the model of a Spacetime profile.
//! 2. [`unpack`]: gzip and zstd, as they stream.
//! 3. [`load`]: what is this file? Decode it, with warnings and progress.
//! 4. [`query`]: one file a question, pure functions of the model.
//! 5. [`layout`]: data → numbers, words and shapes as people read them; no DOM.
//! 6. [`protocol`]: the only types that cross a thread or a process.
//! 7. [`session`]: owns what is loaded; page, command line and tests all ask here.
//! 8. [`follow`]: a file that is still being written, read into a session as it grows (feature `cli`).
//! 7. [`export`]: what is seen, as files for other programs.
//! 8. `wire`: how those types travel between page and worker (feature `web`).
//! 9. `worker` and `ui`: the web page (feature `web`); [`cli`]: the command line (feature `cli`), which also has
//!    [`terminal`]: the view in a terminal, [`synth`]: synthetic files, made of `ctf` and `spacetime` alone, and
//!    [`tables`]: Parquet for DuckDB and others.

pub mod ctf;
pub mod export;
pub mod format;
pub mod layout;
pub mod load;
pub mod profile;
pub mod protocol;
pub mod query;
pub mod session;
pub mod spacetime;
pub mod trace;
pub mod unpack;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod follow;
#[cfg(feature = "cli")]
pub mod synth;
#[cfg(feature = "cli")]
pub mod tables;
#[cfg(feature = "cli")]
pub mod terminal;
#[cfg(feature = "web")]
pub mod ui;
#[cfg(feature = "web")]
pub mod wire;
#[cfg(feature = "web")]
pub mod worker;
