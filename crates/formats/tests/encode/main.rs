//! Checks the writer against the decoder: traces round-trip without warnings, and packets follow every rule that
//! memtrace's own reader asserts.

mod fixtures;
mod limits;
mod packet_rules;
mod random;
