//! Tests models, loading, queries and the session from outside. They are one program, so that cargo links once.
//! `tests/memory.rs` is separate because it counts the allocations of its whole process.

mod damage;
mod decode;
mod events;
mod follow;
mod model;
mod profile;
mod query;
mod session;
