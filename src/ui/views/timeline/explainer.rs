//! Typical shapes of the timeline.

use crate::ui::components::explainer::ExampleShape;

pub const QUESTION: &str = "How to read the timeline";

pub const SUMMARY: &str = "The curve shows live bytes over time; the bars below show the allocation rate (darker: \
    promoted). Click to see what was live at that time, or drag to select a time range.";

pub const OF_PROFILE: &str = "The curve shows live bytes by call site at each snapshot; gray has no known allocation \
    point. Drag along the axis to move between snapshots, or click a layer to see its callers.";

pub const SHAPES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[
            ("shape-soft", "M2 46L2 30L26 14L26 30L50 14L50 30L74 14L74 30L94 16L94 46Z"),
            ("shape-line", "M2 30L26 14L26 30L50 14L50 30L74 14L74 30L94 16"),
        ],
        title: "Sawtooth.",
        words: "Garbage accumulates until a collection frees it. The low points show actual use.",
    },
    ExampleShape {
        picture: &[
            ("shape-warn", "M2 46L2 40L26 26L26 34L50 18L50 26L74 10L74 18L94 4L94 46Z"),
            ("shape-line", "M2 40L26 34L50 26L74 18L94 10"),
        ],
        title: "Rising low points.",
        words: "Memory is growing. See Leaks for the cause, or use Compare on two times.",
    },
    ExampleShape {
        picture: &[
            ("shape-soft", "M2 46L2 34L44 34L48 6L54 6L58 34L94 34L94 46Z"),
            ("shape-line", "M2 34L44 34L48 6L54 6L58 34L94 34"),
        ],
        title: "Spike.",
        words: "This peak determines how much memory the program needs. Select it to see what is live.",
    },
];
