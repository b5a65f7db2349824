//! The models of traces and profiles, the queries about them, and the session that owns the loaded models and answers
//! queries.

pub mod load;
pub mod profile;
pub mod protocol;
pub mod query;
pub mod session;
pub mod trace;
