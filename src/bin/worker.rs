//! The program of the page's worker.

fn main() {
    camlscope_page::worker::start();
}
