//! Turns results into text, drawings and exported files.

pub mod export;
pub mod facts;
pub mod format;
pub mod layout;
pub mod ocaml_tokens;
pub mod source_files;
pub mod terminal_text;
pub mod words;
