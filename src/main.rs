//! The page's program. `worker` is the other one: the page starts that first, since it can read a file while this one is on
//! its way. `cargo xtask build` cuts this one in two at the function that is marked here, so what only that function
//! reaches comes later. It is marked here and not in the library, which would bring both into the worker, too.

// The mark declares the function under one name, and imports it under another that the build ties to it. Both have
// the signature that stands here, and the import is only called once its module is there.
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
