//! Queries to the worker: the client that owns the worker, and the hooks for components.

mod client;
mod hook;
pub mod paged;
pub mod save_events;

pub use self::client::WorkerClient;
pub use self::hook::{QueryChannel, QueryContext, use_channel, use_kept_query, use_query, use_query_context};
