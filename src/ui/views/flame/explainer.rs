//! Typical shapes of flame graphs.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "Each box is a function, as wide as the memory that it and the functions it calls allocate. \
    Boxes are sorted by width, not by time.";

pub const SHAPES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[
            ("shape-soft", "M4 4H92V13H4Z"),
            ("shape-fill", "M4 15H68V24H4Z"),
            ("shape-soft", "M70 15H92V24H70Z"),
        ],
        title: "Wide with nothing below.",
        words: "It allocates all of this itself. Start here.",
    },
    ExampleShape {
        picture: &[
            ("shape-fill", "M4 4H92V13H4Z"),
            (
                "shape-soft",
                "M4 15H17V24H4ZM19 15H31V24H19ZM33 15H44V24H33ZM46 15H56V24H46ZM58 15H67V24H58ZM69 15H77V24H69Z",
            ),
        ],
        title: "Wide above many narrow boxes.",
        words: "The allocations are spread out. Bottom-up merges each function's allocations across callers.",
    },
    ExampleShape {
        picture: &[
            ("shape-soft", "M4 4H92V10H4Z"),
            ("shape-fill", "M40 12H54V18H40ZM40 20H53V26H40ZM40 28H52V34H40ZM40 36H51V42H40Z"),
        ],
        title: "A tower.",
        words: "Deep calls, often recursion. Width is memory. Height is only stack depth.",
    },
];
