//! The command line: commands, the view in a terminal, tables for data analysis, and files that are still being written.

pub mod commands;
pub mod follow;
pub mod tables;
pub mod terminal;

use camlscope_present::format::Units;

/// What all commands and the view in a terminal write bytes in.
pub const UNITS: Units = Units::Binary;
