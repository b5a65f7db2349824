//! OCaml's `Marshal` format: bytes → one value, without recursion and without holding the bytes back.
//!
//! A value is kept as its tokens come, in slots of 32 bits, a block's fields behind its header and a field that is a
//! block spelt out in its place. So what a value takes grows with the bytes that were read, never with what they claim.

pub(super) mod code;
mod custom;
mod error;
mod header;
mod heap;
mod reader;

pub use error::{HeaderError, Unreadable};
pub use header::{BIG_HEADER_BYTES, MAGIC_BIG, MAGIC_SMALL, SMALL_HEADER_BYTES, ValueHeader, may_begin_a_value};
pub use heap::{Block, Fields, Heap, List, Value};
pub use reader::{Progress, Reader};
