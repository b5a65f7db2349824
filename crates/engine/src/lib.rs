//! What camlscope knows about a file: the models that events become, the queries about them, and the session that owns what
//! is loaded and answers.

pub mod load;
pub mod profile;
pub mod protocol;
pub mod query;
pub mod session;
pub mod trace;
