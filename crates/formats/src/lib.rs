//! Reads what memory profilers of OCaml write: memtrace traces and Spacetime profiles, plain or compressed.
//!
//! Every decoder is pushed bytes as they come, in chunks of any size, and hands on events. None does IO, and none panics on
//! any input: what is damaged is skipped and counted.

pub mod ctf;
pub mod decompress;
pub mod spacetime;
