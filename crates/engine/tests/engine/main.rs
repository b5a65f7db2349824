//! Models, loading, queries and the session, from outside. One program, so that cargo links once; `tests/memory.rs` is another,
//! since it counts what its whole process allocates.

mod damage;
mod decode;
mod events;
mod follow;
mod model;
mod profile;
mod query;
mod session;
