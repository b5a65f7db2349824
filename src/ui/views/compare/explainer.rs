//! What changes typically look like.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "Above, the stacks of both sides as one picture: boxes are as wide as the after side, or the \
    before side, and orange where there is more, blue where there is less. Below, each function before and after. Both \
    sides are samples, so they differ even if nothing changed. Changes that aren't significant are gray. At most 1 in 20 of \
    the significant ones is due to chance. ± is a 95% interval.";

pub const OF_PROFILE: &str = "Above, the stacks of both sides as one picture: boxes are as wide as the after side, or the before \
    side, and orange where there is more, blue where there is less. Below, each line before and after. Figures are exact.";

pub const OF_PROFILE_SHAPES: [ExampleShape; 2] = [
    ExampleShape {
        picture: &[
            ("shape-soft", "M20 44V32H36V44Z"),
            ("shape-fill", "M60 44V12H76V44Z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "Grew, or shrank.",
        words: "Both sides have it, one of them more.",
    },
    ExampleShape {
        picture: &[("shape-warn", "M60 44V16H76V44Z"), ("shape-line", "M20 44.5H36M2 44.5H94")],
        title: "New, or gone.",
        words: "Only one side has it: it came or went in between, or the line has another number.",
    },
];

pub const SHAPES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[
            ("shape-soft", "M20 44V32H36V44Z"),
            ("shape-fill", "M60 44V12H76V44Z"),
            ("shape-line", "M28 28V36M24 28H32M24 36H32M68 8V16M64 8H72M64 16H72M2 44.5H94"),
        ],
        title: "Grew, or shrank.",
        words: "The change is significant: larger than sampling explains.",
    },
    ExampleShape {
        picture: &[
            ("shape-soft", "M20 44V28H36V44Z"),
            ("shape-soft", "M60 44V20H76V44Z"),
            ("shape-line", "M28 16V40M24 16H32M24 40H32M68 8V32M64 8H72M64 32H72M2 44.5H94"),
        ],
        title: "Not enough samples.",
        words: "Sampling may explain it, or hide a real change. Record at a higher rate.",
    },
    ExampleShape {
        picture: &[("shape-warn", "M60 44V16H76V44Z"), ("shape-line", "M20 44.5H36M2 44.5H94")],
        title: "New, or gone.",
        words: "Only one side has it: another path was taken, or the function has another name.",
    },
];
