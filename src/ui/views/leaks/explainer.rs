//! The shapes of the bars, for programs that grow and for those that don't.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "Each bar stands for the objects allocated in a short time range: the bytes per second of them that \
    were never freed. Objects near the end are mostly still in use, so they can't be judged yet.";

pub const OF_PROFILE: &str = "Each bar stands for what the program allocated between snapshots: the bytes per second that no \
    later snapshot goes below. Time is processor time.";

pub const SHAPES: [ExampleShape; 5] = [
    ExampleShape {
        picture: &[
            (
                "shape-warn",
                "M2 46V20H12V46ZM14 46V24H24V46ZM26 46V18H36V46ZM38 46V22H48V46ZM50 46V20H60V46ZM62 46V23H72V46Z",
            ),
            ("shape-soft", "M76 46V4H94V46Z"),
        ],
        title: "Level up to the present.",
        words: "The heap grows at this rate. Only a longer trace tells a leak from a cache that still fills.",
    },
    ExampleShape {
        picture: &[
            ("shape-warn", "M38 46V20H48V46ZM50 46V23H60V46ZM62 46V19H72V46Z"),
            ("shape-soft", "M76 46V4H94V46Z"),
        ],
        title: "Starts late.",
        words: "Something began to keep what it allocates. Look at what the program did at that time.",
    },
    ExampleShape {
        picture: &[
            ("shape-fill", "M2 46V20H12V46ZM14 46V24H24V46ZM26 46V19H36V46Z"),
            ("shape-soft", "M76 46V4H94V46Z"),
        ],
        title: "Stops.",
        words: "A cache that is full, or a table that is complete. It keeps its contents but no longer grows.",
    },
    ExampleShape {
        picture: &[("shape-fill", "M2 46V4H12V46Z"), ("shape-soft", "M76 46V4H94V46Z")],
        title: "Only at the start.",
        words: "Start-up: tables, configuration and code that was loaded. It isn't part of the growth.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M76 46V4H94V46Z"), ("shape-line", "M2 46H94")],
        title: "Nothing.",
        words: "All objects that are old enough were freed. The conclusion says how much growth could still be hidden.",
    },
];
