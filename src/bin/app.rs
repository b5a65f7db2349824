//! The page.

fn main() {
    camlscope::ui::start();
}
