//! Turns results into what people see: numbers and words, shapes to draw, and files for other programs.

pub mod export;
pub mod format;
pub mod layout;
pub mod words;
