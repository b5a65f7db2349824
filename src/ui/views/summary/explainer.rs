//! How the figures of a summary are to be taken.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "What was recorded, and what of it stands out. A trace holds a sample of the allocations, so amounts \
    of memory are estimates. ± is a 95% interval, in the unit of the figure before it. Counts of samples are exact.";

pub const OF_PROFILE: &str = "What was recorded, and what of it stands out. The program counted all blocks of its heap at each \
    snapshot, so figures are exact; unknown are blocks that no allocation point accounts for. Times are processor times.";

pub const SHAPES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[("shape-soft", "M4 8H92V20H4Z"), ("shape-fill", "M4 28H16V40H4Z")],
        title: "Much allocated, little live.",
        words: "Most dies young. It costs time in the collector, but hardly memory.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M4 8H92V20H4Z"), ("shape-warn", "M4 28H78V40H4Z")],
        title: "Live at the end nearly as at the peak.",
        words: "What was taken is kept: by design, or as a leak.",
    },
    ExampleShape {
        picture: &[("shape-fill", "M4 18H48V30H4Z"), ("shape-line", "M30 24H66M30 18V30M66 18V30")],
        title: "A large ±.",
        words: "Too few samples. Record for longer, or at a higher rate.",
    },
];
