//! The page's program. The worker has its own (`bin/worker.rs`).
//!
//! `cargo xtask build` splits this program at the function marked below: code that only this function reaches becomes a
//! second module. The mark is not in the library, because a marked function is exported, and the worker would contain it.

// The macro exports the function under one name and imports it under another. Both have the signature below, and the
// import is called only after its module is loaded.
#![allow(unsafe_code)]

use camlscope_page::ui::later::contents::LATER;
use camlscope_page::ui::later::{Later, NotFetched};
use wasm_split_helpers::wasm_split;

#[wasm_split(later, fallible)]
fn later() -> Result<&'static Later, NotFetched> {
    Ok(&LATER)
}

fn main() {
    camlscope_page::ui::start(|| Box::pin(later()));
}
