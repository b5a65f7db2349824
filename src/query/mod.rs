//! One file a question; each a pure function of the model that returns plain data.

pub mod summary;
mod warnings;
