//! The command line: commands, the terminal UI, tables for data analysis, live traces, and the server for the page.

pub mod commands;
pub mod follow;
pub mod serving;
pub mod source;
pub mod tables;
pub mod terminal;

use camlscope_present::format::Units;

/// The units of bytes in all commands and the terminal UI.
pub const UNITS: Units = Units::Binary;
