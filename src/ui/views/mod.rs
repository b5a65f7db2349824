//! One file a screen.

pub mod empty;
pub mod error;
pub mod loading;
pub mod summary;
pub mod timeline;
