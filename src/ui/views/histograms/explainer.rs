//! Typical shapes of histograms and heat maps.

use crate::ui::components::explainer::ExampleShape;
use crate::ui::store::view::settings::Chart;

pub fn text(chart: Chart) -> (&'static str, &'static [ExampleShape]) {
    match chart {
        Chart::Sizes => (SIZES_WORDS, &SIZES),
        Chart::Lifetimes => (LIFETIMES_WORDS, &LIFETIMES),
        Chart::SizeAndLifetime => (SIZE_LIFETIME_WORDS, &SIZE_LIFETIME),
        Chart::TimeAndLifetime => (TIME_LIFETIME_WORDS, &TIME_LIFETIME),
    }
}

const SIZES_WORDS: &str = "Each bar shows how much was allocated in blocks of that size, without headers. Blocks \
    larger than 256 words go directly to the major heap.";

const SIZES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[
            ("shape-fill", "M6 44V26h8V44zM16 44V8h8V44zM26 44V20h8V44zM36 44V34h8V44zM46 44V39h8V44z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "Small blocks.",
        words: "Tuples, list cells, closures, records. They're cheap if they die young.",
    },
    ExampleShape {
        picture: &[
            ("shape-soft", "M6 44V38h8V44zM16 44V32h8V44zM26 44V36h8V44z"),
            ("shape-fill", "M62 44V6h16V44z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "A tall bar on the right.",
        words: "Large blocks, such as buffers, arrays and resized tables. They skip the minor heap.",
    },
    ExampleShape {
        picture: &[
            ("shape-soft", "M6 44V36h8V44zM16 44V38h8V44zM36 44V40h8V44z"),
            ("shape-fill", "M26 44V6h8V44z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "One size dominates.",
        words: "One kind of value, often from one allocation site. Point at the bar to see it.",
    },
];

const LIFETIMES_WORDS: &str = "Each bar shows how much memory lived that long before a collection freed it. The \
    separate bar on the right is memory that was never freed.";

const LIFETIMES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[
            ("shape-fill", "M6 44V14h8V44zM16 44V6h8V44zM26 44V22h8V44zM36 44V38h8V44z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "Everything on the left.",
        words: "Objects die young. This is what the minor heap is optimized for.",
    },
    ExampleShape {
        picture: &[
            ("shape-fill", "M6 44V20h8V44zM16 44V34h8V44zM46 44V30h8V44zM56 44V10h8V44zM66 44V26h8V44z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "A second hump.",
        words: "Requests, phases or caches. These objects are promoted and then die.",
    },
    ExampleShape {
        picture: &[
            ("shape-soft", "M6 44V26h8V44zM16 44V34h8V44zM26 44V38h8V44z"),
            ("shape-warn", "M80 44V8h10V44z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "A tall separate bar.",
        words: "A lot was never freed: long-lived tables, or a leak. See Leaks for growth.",
    },
];

const SIZE_LIFETIME_WORDS: &str = "Each cell shows how much was allocated with that size (x-axis) and lifetime \
    (y-axis). The top row was never freed.";

const SIZE_LIFETIME: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[("shape-soft", "M4 28h40v16H4z"), ("shape-fill", "M10 34h22v10H10z")],
        title: "Bottom left.",
        words: "Small and short-lived. Nothing to do.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M60 8h30v20H60z"), ("shape-fill", "M66 12h18v12H66z")],
        title: "Top right.",
        words: "Large and long-lived. These objects make up most of the heap.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M60 26h30v18H60z"), ("shape-fill", "M66 32h18v12H66z")],
        title: "Bottom right.",
        words: "Large and short-lived, such as buffers that aren't reused. They add work for the major GC.",
    },
];

const TIME_LIFETIME_WORDS: &str = "Each cell shows how much was allocated at that time (x-axis) with that lifetime \
    (y-axis). The top row was never freed.";

const TIME_LIFETIME: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[("shape-soft", "M4 34h88v10H4z"), ("shape-fill", "M30 8h10v36H30zM66 8h10v36H66z")],
        title: "A column.",
        words: "A phase in which the program allocated differently.",
    },
    ExampleShape {
        picture: &[("shape-fill", "M4 6C50 8 80 14 92 44H84C74 20 48 14 4 12z"), ("shape-line", "M2 44.5H94")],
        title: "A falling edge.",
        words: "Allocated over time and freed all at once, for example at the end of a phase.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M4 36h88v8H4z"), ("shape-warn", "M4 4h88v7H4z")],
        title: "A full top row.",
        words: "Allocated throughout and never freed. This is what a leak looks like.",
    },
];
