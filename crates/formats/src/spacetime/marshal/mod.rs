//! OCaml's `Marshal` format: bytes → one value, without recursion and without holding the bytes back.
//!
//! A value is kept as its tokens come, in slots of 32 bits, a block's fields behind its header and a field that is a
//! block spelt out in its place. So what a value takes grows with the bytes that were read, never with what they claim.

mod custom;
mod header;
mod heap;
mod reader;

pub use header::{HeaderError, ValueHeader};
pub use heap::{Block, Fields, Heap, List, Value};
pub use reader::{Progress, Reader, Unreadable};

/// How a value begins: with 32-bit lengths, and with 64-bit ones.
pub const MAGIC_SMALL: [u8; 4] = [0x84, 0x95, 0xa6, 0xbe];
pub const MAGIC_BIG: [u8; 4] = [0x84, 0x95, 0xa6, 0xbf];
pub const SMALL_HEADER_BYTES: usize = 20;
pub const BIG_HEADER_BYTES: usize = 32;

/// Whether these may be the first bytes of a value, as far as they go.
pub fn may_begin_a_value(bytes: &[u8]) -> bool {
    let n = bytes.len().min(4);
    bytes[..n] == MAGIC_SMALL[..n] || bytes[..n] == MAGIC_BIG[..n]
}

pub(super) mod code {
    pub const INT8: u8 = 0x00;
    pub const INT16: u8 = 0x01;
    pub const INT32: u8 = 0x02;
    pub const INT64: u8 = 0x03;
    pub const SHARED8: u8 = 0x04;
    pub const SHARED16: u8 = 0x05;
    pub const SHARED32: u8 = 0x06;
    pub const DOUBLE_ARRAY32_LITTLE: u8 = 0x07;
    pub const BLOCK32: u8 = 0x08;
    pub const STRING8: u8 = 0x09;
    pub const STRING32: u8 = 0x0a;
    pub const DOUBLE_BIG: u8 = 0x0b;
    pub const DOUBLE_LITTLE: u8 = 0x0c;
    pub const DOUBLE_ARRAY8_BIG: u8 = 0x0d;
    pub const DOUBLE_ARRAY8_LITTLE: u8 = 0x0e;
    pub const DOUBLE_ARRAY32_BIG: u8 = 0x0f;
    pub const INFIX_POINTER: u8 = 0x11;
    pub const CUSTOM: u8 = 0x12;
    pub const BLOCK64: u8 = 0x13;
    pub const SHARED64: u8 = 0x14;
    pub const STRING64: u8 = 0x15;
    pub const DOUBLE_ARRAY64_BIG: u8 = 0x16;
    pub const DOUBLE_ARRAY64_LITTLE: u8 = 0x17;
    pub const CUSTOM_LEN: u8 = 0x18;
    pub const CUSTOM_FIXED: u8 = 0x19;
    pub const SMALL_STRING: u8 = 0x20;
    pub const SMALL_INT: u8 = 0x40;
    pub const SMALL_BLOCK: u8 = 0x80;
}
