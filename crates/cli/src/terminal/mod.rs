//! The view in a terminal: the same engine and words as the page's, for whoever reaches a machine by ssh.
//!
//! [`app`] holds all of it and is pure: keys and clicks change it ([`keys`]), it says what it wants to know
//! ([`requests`]), and it is drawn ([`mod@draw`]). [`run`](mod@run) reads keys and files and asks the session.

pub mod answers;
pub mod app;
pub mod draw;
mod keys;
mod requests;
mod rows;
pub mod run;
pub mod size;
pub mod state;
pub mod tab;
pub mod timeline;
mod tree;
