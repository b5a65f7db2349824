//! The shapes that histograms and heat maps typically have, and what they mean.

use yew::prelude::*;

use crate::ui::components::explainer::{ExampleShape, QUESTION, explainer};
use crate::ui::store::view::settings::Chart;

pub fn explainer_for(chart: Chart) -> Html {
    let (summary, shapes): (&'static str, &'static [ExampleShape]) = match chart {
        Chart::Sizes => (SIZES_WORDS, &SIZES),
        Chart::Lifetimes => (LIFETIMES_WORDS, &LIFETIMES),
        Chart::SizeAndLifetime => (SIZE_LIFETIME_WORDS, &SIZE_LIFETIME),
        Chart::TimeAndLifetime => (TIME_LIFETIME_WORDS, &TIME_LIFETIME),
    };
    explainer(QUESTION, summary, shapes)
}

const SIZES_WORDS: &str = "Each bar is how much was allocated in blocks of that many words, header excluded. The classic \
    cuts show every size up to 32 words, then 33 to 256, the largest that begin in the minor heap, then large blocks.";

const SIZES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[
            ("shape-fill", "M6 44V26h8V44zM16 44V8h8V44zM26 44V20h8V44zM36 44V34h8V44zM46 44V39h8V44z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "Small blocks.",
        words: "Tuples, list cells, closures, records: cheap, as long as they die young.",
    },
    ExampleShape {
        picture: &[
            ("shape-soft", "M6 44V38h8V44zM16 44V32h8V44zM26 44V36h8V44z"),
            ("shape-fill", "M62 44V6h16V44z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "A tower at the right.",
        words: "Large blocks are never in the minor heap: buffers, arrays, tables that are resized.",
    },
    ExampleShape {
        picture: &[
            ("shape-soft", "M6 44V36h8V44zM16 44V38h8V44zM36 44V40h8V44z"),
            ("shape-fill", "M26 44V6h8V44z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "One size stands out.",
        words: "One kind of value, often of one site: point at the bar to see which.",
    },
];

const LIFETIMES_WORDS: &str = "Each bar is how much lived that long before it was freed; each step to the right is two or ten \
    times as long. The bar apart is what was still alive when the trace ended. An object counts as freed when a collection \
    finds it dead, so lifetimes are no finer than the collections.";

const LIFETIMES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[
            ("shape-fill", "M6 44V14h8V44zM16 44V6h8V44zM26 44V22h8V44zM36 44V38h8V44z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "All at the left.",
        words: "What is allocated dies young: the case that the minor heap is made for.",
    },
    ExampleShape {
        picture: &[
            ("shape-fill", "M6 44V20h8V44zM16 44V34h8V44zM46 44V30h8V44zM56 44V10h8V44zM66 44V26h8V44z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "A second hump.",
        words: "Requests, phases, caches: it lives just long enough to be promoted, and then dies.",
    },
    ExampleShape {
        picture: &[
            ("shape-soft", "M6 44V26h8V44zM16 44V34h8V44zM26 44V38h8V44z"),
            ("shape-warn", "M80 44V8h10V44z"),
            ("shape-line", "M2 44.5H94"),
        ],
        title: "A tall bar apart.",
        words: "Much was never freed: tables that stay for good reasons, or a leak. Leaks shows whether it still grows.",
    },
];

const SIZE_LIFETIME_WORDS: &str = "Each cell is how much was allocated of that size (across) and lived that long (upwards); \
    the row above all is what was never freed. Shades are in equal ratios.";

const SIZE_LIFETIME: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[("shape-soft", "M4 28h40v16H4z"), ("shape-fill", "M10 34h22v10H10z")],
        title: "Low and left.",
        words: "Small and short-lived: nothing to do.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M60 8h30v20H60z"), ("shape-fill", "M66 12h18v12H66z")],
        title: "High and right.",
        words: "Large and long-lived: what the heap is made of.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M60 26h30v18H60z"), ("shape-fill", "M66 32h18v12H66z")],
        title: "Low and right.",
        words: "Large blocks that die at once: buffers made anew each time. They make the major collector work.",
    },
];

const TIME_LIFETIME_WORDS: &str = "Each cell is how much was allocated at that time (across) and lived that long (upwards); \
    the row above all is what was never freed. Nothing can live beyond the end of the trace, so the upper right is empty.";

const TIME_LIFETIME: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[("shape-soft", "M4 34h88v10H4z"), ("shape-fill", "M30 8h10v36H30zM66 8h10v36H66z")],
        title: "A column.",
        words: "A phase: for a while the program allocated otherwise than before and after.",
    },
    ExampleShape {
        picture: &[("shape-fill", "M4 6C50 8 80 14 92 44H84C74 20 48 14 4 12z"), ("shape-line", "M2 44.5H94")],
        title: "A falling edge.",
        words: "Allocated at all times and freed at one: the end of a phase, or of the program. What grows until then is a leak.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M4 36h88v8H4z"), ("shape-warn", "M4 4h88v7H4z")],
        title: "A full row above.",
        words: "Never freed, and allocated at all times: what a leak looks like.",
    },
];
