//! The page as its readers meet it: the built files, behind a plain file server, in a real browser.
//!
//! A test is a visit: a server of its own, a fresh tab, and the words and acts of a person ([`page::Page`]). Every visit ends
//! with the same checks, whatever it was about: the console doesn't complain, and the page requests only its own files
//! ([`visit`]).
//!
//! Browsers pass from test to test ([`pool`]). Each server has its own port and so its own origin: storage, caches and service
//! workers of two visits are separate, and visits run side by side. `cargo xtask test` builds the page, finds the browsers and
//! runs these; a test that fails leaves a picture of the page in `target/browser/`.

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
mod events;
mod exporting;
mod flame;
mod flame_menu;
mod flame_zoom;
mod following;
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
mod opening;
mod panel;
mod pictures;
mod privacy;
mod profile;
mod reading;
mod recovering;
mod refused;
mod reports;
mod sentence;
mod starting;
mod steady;
mod summary;
mod table;
mod timeline;
mod typing;
mod units;
