//! The writer held against the decoder: what goes in comes out, without a warning, and the packets keep every rule that
//! memtrace's own reader asserts.

mod fixtures;
mod limits;
mod packet_rules;
mod random;
