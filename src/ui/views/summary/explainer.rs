//! How to read the summary.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "A trace contains a sample of all allocations, so memory sizes are estimates (± is a 95% \
    confidence interval). Sample counts are exact.";

pub const OF_PROFILE: &str = "The program counted all heap blocks at each snapshot, so values are exact. Unknown \
    blocks have no recorded call stack.";

pub const SHAPES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[("shape-soft", "M4 8H92V20H4Z"), ("shape-fill", "M4 28H16V40H4Z")],
        title: "High allocation, low live memory.",
        words: "Most objects die young. They cost GC time but little memory.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M4 8H92V20H4Z"), ("shape-warn", "M4 28H78V40H4Z")],
        title: "End close to the peak.",
        words: "Memory isn't released: by design, or because of a leak.",
    },
    ExampleShape {
        picture: &[("shape-fill", "M4 18H48V30H4Z"), ("shape-line", "M30 24H66M30 18V30M66 18V30")],
        title: "A large ±.",
        words: "Not enough samples. Record for longer or at a higher rate.",
    },
];
