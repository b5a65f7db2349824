//! How to read a file.

use crate::ui::components::explainer::ExampleShape;

pub const SUMMARY: &str = "Self is memory allocated by the line itself; total includes everything it calls. \
    Click a line to keep only stacks through it, and again to show everything.";

pub const SHAPES: [ExampleShape; 3] = [
    ExampleShape {
        picture: &[("shape-warn", "M4 8H60V20H4Z"), ("shape-soft", "M4 26H84V38H4Z")],
        title: "A colored line.",
        words: "It allocates much itself: yellow from 1%, red from 10%. Optimize here.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M4 18H88V30H4Z")],
        title: "Only a total.",
        words: "Other lines allocate for it. Click it and see which under Calls.",
    },
    ExampleShape {
        picture: &[("shape-soft", "M72 4H88V44H72Z"), ("shape-line", "M72 12H88M72 20H88M72 36H88")],
        title: "The overview on the right.",
        words: "Marks are lines with memory. Click to go there.",
    },
];
