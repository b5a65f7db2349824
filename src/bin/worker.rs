//! The page's worker.

fn main() {
    camlscope::worker::start();
}
