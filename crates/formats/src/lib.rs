#![doc = include_str!("../README.md")]

pub mod ctf;
pub mod decompress;
pub mod spacetime;
