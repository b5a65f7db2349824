//! Small things that several views use.

pub mod brand;
pub mod exporting;
pub mod findings;
pub mod header;
pub mod help;
pub mod menu;
pub mod notice;
pub mod open_button;
pub mod pages;
pub mod panel;
pub mod popover;
pub mod reading;
pub mod record;
pub mod saving;
pub mod second;
pub mod sentence;
pub mod theme_button;
pub mod units_button;
pub mod window;
