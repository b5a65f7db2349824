//! Small things that several views use.

pub mod brand;
pub mod header;
pub mod notice;
pub mod open_button;
pub mod record;
pub mod theme_button;
