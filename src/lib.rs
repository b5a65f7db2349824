//! The page: a Yew UI, and the worker that reads a file and answers the UI's queries.

pub mod ui;
pub mod wire;
pub mod worker;
