//! Results in plain English, one file per kind of result. The caller chooses the units.

pub mod compare;
pub mod errors;
pub mod filter;
pub mod findings;
pub mod growth;
pub mod histogram;
pub mod labels;
pub mod measure;
pub mod presets;
pub mod source;
pub mod warnings;
