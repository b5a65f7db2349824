//! The timeline, and one folder per tab.

pub mod compare;
pub mod events;
pub mod explanation;
pub mod flame;
pub mod histograms;
pub mod leaks;
pub mod source;
pub mod summary;
pub mod table;
pub mod timeline;
