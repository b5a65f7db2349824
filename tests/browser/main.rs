//! Tests the built page as users see it: a plain file server and a real browser.
//!
//! Each test makes visits to the page, with a new server and a new tab, and does what a user would do ([`page::Page`]). Every
//! visit ends with the same checks: the console has no errors, and the page requested only its own files ([`visit`]).
//!
//! Tests reuse browsers ([`pool`]). Each server has its own port, and so its own origin. So visits have separate storage, caches
//! and service workers, and can run in parallel. `cargo xtask test` builds the page, finds the browsers and runs the tests. A
//! test that fails saves a screenshot in `target/browser/`.

mod engines;
mod pool;
mod requests;
mod traces;
mod visit;

use camlscope_browser_tests::{browser, engine, keys, page, server};

mod accessible;
mod answers;
mod by_address;
mod compare;
mod damaged;
mod embedding;
mod events;
mod exporting;
mod flame;
mod flame_menu;
mod flame_zoom;
mod following;
mod gestures;
mod heat;
mod histograms;
mod keyboard;
mod leaks;
mod links;
mod loading;
mod looks;
mod narrow;
mod offline;
mod one_file;
mod opened;
mod opening;
mod palette;
mod panel;
mod pictures;
mod privacy;
mod profile;
mod reading;
mod recovering;
mod refused;
mod reports;
mod sentence;
mod source;
mod starting;
mod steady;
mod summary;
mod table;
mod timeline;
mod typing;
mod units;
mod vscode;
