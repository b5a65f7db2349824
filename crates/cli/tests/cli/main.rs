//! Tests of the command line from the point of view of users and scripts: output and exit status.
//!
//! Text output is compared with the text in the tests. `UPDATE_EXPECT=1 cargo test --test cli` updates it. Review the
//! changes before you commit them.

mod annotate;
mod compare;
mod convert;
mod dump;
mod emacs;
mod empty;
mod flame;
mod histogram;
mod json;
mod large;
mod leaks;
mod names;
mod open;
mod opening;
mod profile;
mod program;
mod record;
mod report;
mod sites;
mod summary;
mod table;
mod tables;
mod timeline;
mod usage;
mod watch;
