//! Results in plain English: one file per result. Whoever shows a text says which units it has.

pub mod compare;
pub mod errors;
pub mod filter;
pub mod findings;
pub mod growth;
pub mod measure;
pub mod presets;
pub mod warnings;
