//! The terminal UI: the same engine and wording as the page, for machines that are reached over ssh.
//!
//! [`app`] holds everything and is pure: keys and clicks change it ([`keys`], [`mouse`]), it lists the requests it needs
//! ([`requests`]), and it is drawn ([`mod@draw`]). [`run`](mod@run) reads keys and files, and runs the queries.

pub mod answers;
pub mod app;
pub mod colors;
mod completion;
pub mod draw;
pub mod flame;
pub mod histogram;
mod keys;
mod mouse;
pub mod other_file;
pub mod place;
mod requests;
mod rows;
pub mod run;
pub mod size;
pub mod source;
pub mod source_code;
pub mod state;
pub mod tab;
pub mod timeline;
mod tree;
