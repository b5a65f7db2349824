//! What the curves of sites look like, and what each does and does not mean.

use crate::ui::components::explainer::Shape;

pub const SUMMARY: &str = "Each line is a place of the program that allocates, itself or through OCaml's library, with its live bytes from the trace's start to its end. \
    The verdict is about that curve alone: it is judged from samples, so the growth has an error, and no verdict knows \
    whether the program still needs what it keeps.";

pub const OF_PROFILE: &str = "Each line is a place of the program that allocates, with its live bytes from the first snapshot to \
    the last. The verdict is about that curve alone: no verdict knows whether the program still needs what it keeps. A profile \
    does not tell which blocks stayed; what no later snapshot goes below counts as kept.";

pub const SHAPES: [Shape; 7] = [
    Shape {
        picture: &[
            ("shape-warn", "M2 46L94 46L94 4L70 14L48 26L24 36Z"),
            ("shape-line", "M2 46L24 36L48 26L70 14L94 4"),
        ],
        title: "Growing.",
        words: "Every quarter adds to it, and even old objects stay. The first thing to look at.",
    },
    Shape {
        picture: &[("shape-soft", "M2 46L14 26L30 14L52 8L94 6L94 46Z"), ("shape-line", "M2 46L14 26L30 14L52 8L94 6")],
        title: "A cache that fills.",
        words: "Until it is full it looks like a leak, and is called growing. Only a longer trace tells them apart.",
    },
    Shape {
        picture: &[
            ("shape-soft", "M2 46L8 18L20 22L34 16L48 21L62 17L76 22L94 18L94 46Z"),
            ("shape-line", "M2 46L8 18L20 22L34 16L48 21L62 17L76 22L94 18"),
        ],
        title: "Bounded.",
        words: "It turns over at a plateau: what comes also goes. Large, perhaps, but no leak.",
    },
    Shape {
        picture: &[("shape-soft", "M2 46L10 12L94 12L94 46Z"), ("shape-line", "M2 46L10 12L94 12")],
        title: "Start-up.",
        words: "Allocated early and kept: tables, configuration, code that was loaded.",
    },
    Shape {
        picture: &[
            ("shape-soft", "M2 46L40 45L46 6L54 6L60 45L94 46Z"),
            ("shape-line", "M2 46L40 45L46 6L54 6L60 45L94 46"),
        ],
        title: "Burst.",
        words: "Much at once, then nothing. It makes the peak, not the growth.",
    },
    Shape {
        picture: &[("shape-soft", "M2 46L46 45L56 14L94 12L94 46Z"), ("shape-line", "M2 46L46 45L56 14L94 12")],
        title: "Kept.",
        words: "Allocated later and kept, but no longer more and more.",
    },
    Shape {
        picture: &[("shape-line", "M2 46L34 46L34 30L70 30L70 14L94 14")],
        title: "Too few samples.",
        words: "A step a sample: one more or less would change the picture. It says nothing, for or against.",
    },
];
