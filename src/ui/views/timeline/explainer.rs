//! What the curve of live bytes typically looks like.

use crate::ui::components::explainer::ExampleShape;

pub const QUESTION: &str = "What is this curve?";

pub const SUMMARY: &str = "How much was allocated and not yet freed, at each moment, and by which module. Below it, on a \
    scale that shows ordinary rates beside bursts, how much was allocated at that time, and darker what of it was promoted. A click asks what was alive then; \
    a drag asks what was allocated in that stretch.";

pub const OF_PROFILE: &str = "What was allocated and not yet freed, by call site, at each snapshot that the program took of its \
    heap: the ticks on the axis of processor time. Between two of them nothing is known, so the curve stays. Drag along the \
    axis to go from snapshot to snapshot; click a layer to see who called it. Gray: blocks that no allocation point accounts for.";

pub const SHAPES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[
            ("shape-soft", "M2 46L2 30L26 14L26 30L50 14L50 30L74 14L74 30L94 16L94 46Z"),
            ("shape-line", "M2 30L26 14L26 30L50 14L50 30L74 14L74 30L94 16"),
        ],
        title: "A saw.",
        words: "Garbage gathers until a collection frees it. The lower points are what is really in use.",
    },
    ExampleShape {
        picture: &[
            ("shape-warn", "M2 46L2 40L26 26L26 34L50 18L50 26L74 10L74 18L94 4L94 46Z"),
            ("shape-line", "M2 40L26 34L50 26L74 18L94 10"),
        ],
        title: "The lower points rise.",
        words: "Something stays. Leaks names it, and Compare shows what was added between two moments.",
    },
    ExampleShape {
        picture: &[
            ("shape-soft", "M2 46L2 34L44 34L48 6L54 6L58 34L94 34L94 46Z"),
            ("shape-line", "M2 34L44 34L48 6L54 6L58 34L94 34"),
        ],
        title: "A spike.",
        words: "A moment decides how much memory the program needs: show what is live at the peak.",
    },
];
