//! The command line as a person and as a script meet it: what it prints, and its exit status.
//!
//! What is printed for people is held against the text in the tests; `UPDATE_EXPECT=1 cargo test --test cli` writes it
//! anew. Read it before it is kept.

mod compare;
mod convert;
mod dump;
mod empty;
mod flame;
mod histogram;
mod json;
mod large;
mod leaks;
mod names;
mod opening;
mod profile;
mod program;
mod report;
mod summary;
mod table;
mod tables;
mod timeline;
mod usage;
mod watch;
