//! Queries to the worker: the client that owns the worker, and the hooks for components.

mod batches;
mod client;
mod event;
mod hook;
mod pace;
pub mod paged;
pub mod save_events;

pub use self::client::WorkerClient;
pub use self::event::{QueryEvent, SharedAnswer};
pub use self::hook::{
    QueryChannel, QueryContext, QueryState, use_channel, use_kept_query, use_query, use_query_context,
};
