//! The command line: commands, the view in a terminal, tables for data analysis, and files that are still being written.

pub mod commands;
pub mod follow;
pub mod tables;
pub mod terminal;
