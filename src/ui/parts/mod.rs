//! Small things that several views use.

pub mod brand;
pub mod findings;
pub mod header;
pub mod help;
pub mod notice;
pub mod open_button;
pub mod panel;
pub mod record;
pub mod sentence;
pub mod theme_button;
