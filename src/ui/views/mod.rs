//! One file a screen.

pub mod compare;
pub mod empty;
pub mod error;
pub mod events;
pub mod flame;
pub mod histograms;
pub mod leaks;
pub mod loading;
pub mod summary;
pub mod table;
pub mod timeline;
