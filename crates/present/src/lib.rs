//! Turns results into what people see: numbers and words, shapes to draw, and files for other programs.

pub mod export;
pub mod facts;
pub mod format;
pub mod layout;
pub mod terminal_text;
pub mod words;
