#![doc = include_str!("../README.md")]

mod carry;
pub mod ctf;
pub mod decompress;
pub mod spacetime;
pub mod warnings;
