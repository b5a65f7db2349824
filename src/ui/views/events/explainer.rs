//! What the list of events typically shows.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "Every event of the trace, in the order of time: the allocation of each sampled object, its \
    promotion to the major heap, and its collection. Each line also tells its object's whole life. Only sampled objects are \
    in a trace: each stands for many others of its kind.";

pub const SHAPES: [ExampleShape; 4] = [
    ExampleShape {
        picture: &[
            ("shape-fill", "M8 18H28V30H8Z"),
            ("shape-line", "M28 24H40M34 18L40 24L34 30"),
            ("shape-soft", "M44 18H64V30H44Z"),
        ],
        title: "Died young.",
        words: "Allocated and collected, never promoted: cheap.",
    },
    ExampleShape {
        picture: &[
            ("shape-fill", "M4 18H20V30H4Z"),
            ("shape-line", "M20 24H36M60 24H76"),
            ("shape-warn", "M38 18H58V30H38Z"),
            ("shape-soft", "M76 18H92V30H76Z"),
        ],
        title: "Promoted, then collected.",
        words: "It lived just long enough to be copied to the major heap: the collector's worst case.",
    },
    ExampleShape {
        picture: &[("shape-fill", "M4 18H20V30H4Z"), ("shape-line", "M20 24H94")],
        title: "Never collected.",
        words: "Still alive at the end: kept for good, or not looked at yet.",
    },
    ExampleShape {
        picture: &[
            (
                "shape-soft",
                "M20 6H24V42H20ZM27 6H31V42H27ZM34 6H38V42H34ZM41 6H45V42H41ZM48 6H52V42H48ZM55 6H59V42H55Z",
            ),
            ("shape-line", "M2 42H94"),
        ],
        title: "Many at one moment.",
        words: "A collection finds all dead objects at once: each was out of use some time before.",
    },
];
