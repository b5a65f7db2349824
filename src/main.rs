//! The page and its worker: one WebAssembly for both, since most of what either needs the other needs too. The page
//! downloads it once, compiles it once and hands the compiled module to its worker.

use wasm_bindgen::JsCast;
use web_sys::Window;

fn main() {
    if js_sys::global().has_type::<Window>() {
        camlscope_page::ui::start();
    } else {
        camlscope_page::worker::start();
    }
}
