//! The page's state, the actions that change it, and its text in the URL.
//!
//! There is one reducer, [`state::State`].

pub mod action;
pub mod browser;
mod file_name;
pub mod follow_status;
mod link;
pub mod notice;
pub mod report;
pub mod source;
pub mod state;
pub mod trace_id;
pub mod worker;
