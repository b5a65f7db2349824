//! What flame graphs typically look like.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "Each box is a function, as wide as the memory that was allocated in it and in all that it called, \
    which stands below it. From left to right boxes are ordered by width, not by time. Pale boxes are library code, every \
    other color is a module of the program.";

pub const SHAPES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[
            ("shape-soft", "M4 4H92V13H4Z"),
            ("shape-fill", "M4 15H68V24H4Z"),
            ("shape-soft", "M70 15H92V24H70Z"),
        ],
        title: "Wide, with nothing below.",
        words: "It allocates all that itself: the first place to change something.",
    },
    ExampleShape {
        picture: &[
            ("shape-fill", "M4 4H92V13H4Z"),
            (
                "shape-soft",
                "M4 15H17V24H4ZM19 15H31V24H19ZM33 15H44V24H33ZM46 15H56V24H46ZM58 15H67V24H58ZM69 15H77V24H69Z",
            ),
        ],
        title: "Wide, over many narrow ones.",
        words: "No single place is to blame. Bottom-up gathers what each function allocates, whoever called it.",
    },
    ExampleShape {
        picture: &[
            ("shape-soft", "M4 4H92V10H4Z"),
            ("shape-fill", "M40 12H54V18H40ZM40 20H53V26H40ZM40 28H52V34H40ZM40 36H51V42H40Z"),
        ],
        title: "A tower.",
        words: "Deep calls, often recursion, which can be folded. Height is no memory: only width counts.",
    },
];
