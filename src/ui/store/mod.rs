//! The page's state, the actions that change it, and its text in the URL.
//!
//! There is one reducer, [`State`]. [`address_sync`] subscribes to it, writes the part of the state that a link
//! contains to the URL, and dispatches an action when the user goes back or forward.

pub mod action;
pub mod address_sync;
mod file_name;
pub mod follow_status;
mod link;
pub mod notice;
pub mod report;
pub mod source;
pub mod state;
pub mod trace_id;
pub mod worker;

pub use camlscope_view as view;
