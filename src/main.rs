//! The page's program. `worker` is the other one: the page starts that first, since it can read a file while this one is on
//! its way.

fn main() {
    camlscope_page::ui::start();
}
