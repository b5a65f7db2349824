//! Typical shapes of the growth bars.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "Each bar shows the bytes per second that were allocated in that time range and never \
    freed. Objects near the end may still be in use, so it's too early to judge them.";

pub const OF_PROFILE: &str = "Each bar shows the bytes per second that were allocated between two snapshots and \
    never freed later. Time is CPU time.";

pub const SHAPES: [ExampleShape; 5] = [
    ExampleShape {
        picture: &[
            (
                "shape-warn",
                "M2 46V20H12V46ZM14 46V24H24V46ZM26 46V18H36V46ZM38 46V22H48V46ZM50 46V20H60V46ZM62 46V23H72V46Z",
            ),
            ("shape-soft", "M76 46V4H94V46Z"),
        ],
        title: "Steady until the end.",
        words: "The heap grows at this rate: a leak, or a cache that is filling up. Record a longer trace to find out.",
    },
    ExampleShape {
        picture: &[
            ("shape-warn", "M38 46V20H48V46ZM50 46V23H60V46ZM62 46V19H72V46Z"),
            ("shape-soft", "M76 46V4H94V46Z"),
        ],
        title: "Starts late.",
        words: "Something started to retain memory at that time. Check what the program did then.",
    },
    ExampleShape {
        picture: &[
            ("shape-fill", "M2 46V20H12V46ZM14 46V24H24V46ZM26 46V19H36V46Z"),
            ("shape-soft", "M76 46V4H94V46Z"),
        ],
        title: "Stops.",
        words: "A cache or table that filled up. It keeps its contents but no longer grows.",
    },
    ExampleShape {
        picture: &[("shape-fill", "M2 46V4H12V46Z"), ("shape-soft", "M76 46V4H94V46Z")],
        title: "Only at the start.",
        words: "Startup: tables, configuration, loaded code. This isn't growth.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M76 46V4H94V46Z"), ("shape-line", "M2 46H94")],
        title: "Nothing.",
        words: "All objects old enough to judge were freed. The headline gives an upper bound on growth.",
    },
];
