//! Typical changes.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "The flame graph shows where memory use changed: orange is more, blue is less. Changes \
    that aren't significant are gray; at most 1 in 20 significant changes is a false positive.";

pub const OF_PROFILE: &str = "The flame graph shows where memory use changed: orange is more, blue is less. All \
    values are exact.";

pub const OF_PROFILE_SHAPES: [ExampleShape; 2] = [
    ExampleShape {
        picture: &[
            ("shape-soft", "M20 44V32H36V44Z"),
            ("shape-fill", "M60 44V12H76V44Z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "Grew or shrank.",
        words: "It's on both sides, in different amounts.",
    },
    ExampleShape {
        picture: &[("shape-warn", "M60 44V16H76V44Z"), ("shape-line", "M20 44.5H36M2 44.5H94")],
        title: "New or gone.",
        words: "It's on one side only. It was added or removed, or its line number changed.",
    },
];

pub const SHAPES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[
            ("shape-soft", "M20 44V32H36V44Z"),
            ("shape-fill", "M60 44V12H76V44Z"),
            ("shape-line", "M28 28V36M24 28H32M24 36H32M68 8V16M64 8H72M64 16H72M2 44.5H94"),
        ],
        title: "Grew or shrank.",
        words: "The change is significant: larger than the sampling error.",
    },
    ExampleShape {
        picture: &[
            ("shape-soft", "M20 44V28H36V44Z"),
            ("shape-soft", "M60 44V20H76V44Z"),
            ("shape-line", "M28 16V40M24 16H32M24 40H32M68 8V32M64 8H72M64 32H72M2 44.5H94"),
        ],
        title: "Not enough samples.",
        words: "The change is within sampling error. Record at a higher rate to be sure.",
    },
    ExampleShape {
        picture: &[("shape-warn", "M60 44V16H76V44Z"), ("shape-line", "M20 44.5H36M2 44.5H94")],
        title: "New or gone.",
        words: "It's on one side only. Another code path ran, or the function was renamed.",
    },
];
