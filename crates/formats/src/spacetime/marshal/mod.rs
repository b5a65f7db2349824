//! OCaml's `Marshal` format: reads bytes into one value, without recursion and without keeping the bytes.
//!
//! A value is stored as its tokens arrive, in 32-bit slots. A block's fields follow its header, and nested blocks are
//! stored in place. So a value's memory grows with the bytes read, never with the sizes they claim.

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
