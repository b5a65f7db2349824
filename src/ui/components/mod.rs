//! Components that more than one view or screen uses.

pub mod brand;
pub mod comparison;
pub mod drop_target;
pub mod explainer;
pub mod export_menu;
pub mod facts;
pub mod filter_bar;
pub mod findings;
pub mod grain_select;
pub mod header;
pub mod help;
pub mod menu;
pub mod name;
pub mod nothing;
pub mod notice;
pub mod open_button;
pub mod panel;
pub mod popover;
pub mod record_steps;
pub mod replace_dialog;
pub mod search;
pub mod select;
pub mod text_field;
pub mod theme_button;
pub mod units_button;
pub mod virtual_list;
