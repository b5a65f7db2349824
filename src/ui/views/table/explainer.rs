//! What rows of the table typically look like.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "Each row is a function, a call site, a file or a module. Self is what it allocated itself; total \
    adds all that it called. Totals overlap, since a caller's holds its callees': only selfs add up to the whole.";

pub const OF_PROFILE: &str = "Each row is a line, a call site, a file or a module. Self is what it allocated itself; total adds \
    all that it called. Totals overlap, since a caller's holds its callees': only selfs add up to the whole. A profile has no \
    names of functions, so a line of the source stands for one.";

pub const SHAPES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[("shape-fill", "M4 8H80V20H4Z"), ("shape-soft", "M4 26H84V38H4Z")],
        title: "Self as large as total.",
        words: "It allocates by itself: what it makes can be made smaller, rarer or later.",
    },
    ExampleShape {
        picture: &[("shape-fill", "M4 8H12V20H4Z"), ("shape-soft", "M4 26H88V38H4Z")],
        title: "Little self, much total.",
        words: "It passes the work on. Open the row: its callees say where the memory is made.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M4 18H40V30H4Z"), ("shape-line", "M14 24H66M14 18V30M66 18V30")],
        title: "A large ±, in gray.",
        words: "Few samples. The true figure is within ± of this one in 95 of 100 cases.",
    },
];
