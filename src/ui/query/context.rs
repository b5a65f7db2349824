//! What components need to query.

use super::client::WorkerClient;

#[derive(Clone, PartialEq)]
pub struct QueryContext {
    pub client: WorkerClient,
    /// Changes with each trace that is opened, so that all queries are sent again.
    pub generation: u32,
}
