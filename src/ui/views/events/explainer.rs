//! Typical patterns of events.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "All events in time order: each sampled object's allocation, promotion to the major heap and \
    collection. Each sampled object represents many similar ones.";

pub const SHAPES: [ExampleShape; 4] = [
    ExampleShape {
        picture: &[
            ("shape-fill", "M8 18H28V30H8Z"),
            ("shape-line", "M28 24H40M34 18L40 24L34 30"),
            ("shape-soft", "M44 18H64V30H44Z"),
        ],
        title: "Died young.",
        words: "Collected in the minor heap. This is cheap.",
    },
    ExampleShape {
        picture: &[
            ("shape-fill", "M4 18H20V30H4Z"),
            ("shape-line", "M20 24H36M60 24H76"),
            ("shape-warn", "M38 18H58V30H38Z"),
            ("shape-soft", "M76 18H92V30H76Z"),
        ],
        title: "Promoted, then collected.",
        words: "It lived just long enough to be copied to the major heap. This is the most expensive case.",
    },
    ExampleShape {
        picture: &[("shape-fill", "M4 18H20V30H4Z"), ("shape-line", "M20 24H94")],
        title: "Never collected.",
        words: "Still live at the end of the trace: in use, or not collected yet.",
    },
    ExampleShape {
        picture: &[
            (
                "shape-soft",
                "M20 6H24V42H20ZM27 6H31V42H27ZM34 6H38V42H34ZM41 6H45V42H41ZM48 6H52V42H48ZM55 6H59V42H55Z",
            ),
            ("shape-line", "M2 42H94"),
        ],
        title: "Many at the same time.",
        words: "A collection frees all dead objects at once. They were unused before that.",
    },
];
