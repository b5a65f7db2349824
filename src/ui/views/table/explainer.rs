//! Typical rows.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "Self is memory allocated by the function itself; total includes everything it calls. \
    Totals overlap, so only self values add up to 100%.";

pub const OF_PROFILE: &str = "Self is memory allocated by the line itself; total includes everything it calls. \
    Profiles have no function names, so rows are source lines.";

pub const SHAPES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[("shape-fill", "M4 8H80V20H4Z"), ("shape-soft", "M4 26H84V38H4Z")],
        title: "Self equals total.",
        words: "It allocates everything itself. Optimize here.",
    },
    ExampleShape {
        picture: &[("shape-fill", "M4 8H12V20H4Z"), ("shape-soft", "M4 26H88V38H4Z")],
        title: "Small self, large total.",
        words: "Its callees allocate. Expand the row to see them.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M4 18H40V30H4Z"), ("shape-line", "M14 24H66M14 18V30M66 18V30")],
        title: "A large ±, in gray.",
        words: "Few samples. The true value is within ± with 95% confidence.",
    },
];
