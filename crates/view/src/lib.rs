//! The state of a view, the actions that change it, and its text in a link. [`page`] has what only the page needs.
//!
//! Nothing here depends on the browser or Yew, so it can be tested and fuzzed on its own.

mod action;
mod capabilities;
pub mod compare;
pub mod draft;
pub mod fields;
mod finding;
mod leaks;
pub mod page;
mod profile;
pub mod settings;
mod state;
mod url;

pub use self::action::ViewAction;
pub use self::capabilities::Capabilities;
pub use self::finding::FindingLink;
pub use self::state::{Chip, Tab, ViewState};

#[cfg(test)]
mod tests;
