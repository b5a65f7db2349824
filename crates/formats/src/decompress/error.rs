//! The error that both formats share.

/// The archive continues in a way that its format doesn't allow.
pub(super) struct Damaged;
