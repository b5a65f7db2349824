//! What the user has set in the workspace: all that a link carries.

mod action;
pub mod compare;
mod finding;
pub mod hash;
mod leaks;
mod profile;
pub mod settings;
mod state;
mod url;

pub use self::action::ViewAction;
pub use self::finding::FindingLink;
pub use self::state::{Chip, Tab, ViewState};

#[cfg(test)]
mod tests;
