//! Screens, which fill the window below the header.

pub mod error;
pub mod loading;
pub mod start;
pub mod workspace;
