//! One file a screen.

pub mod empty;
pub mod error;
pub mod flame;
pub mod loading;
pub mod summary;
pub mod table;
pub mod timeline;
