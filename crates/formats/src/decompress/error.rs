//! Both formats fail alike.

/// The archive goes on in no way that its format knows.
pub(super) struct Damaged;
