//! The text on a saved image, which must be understandable on its own.

use crate::ui::context::WorkspaceContext;
use crate::ui::store::LoadedTrace;
use camlscope_engine::query::filter::Filter;
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::draw::{Op, Paint};
use camlscope_present::layout::flame;
use camlscope_present::layout::picture::{LegendEntry, Parts, Tooltip};
use camlscope_present::words;
use camlscope_view::page::components::facts;

/// The parts of an image that a view provides.
pub struct PictureContent {
    /// Such as `Flame graph`.
    pub name: &'static str,
    /// Such as `bytes live at the peak of all objects`, one line per entry.
    pub about: Vec<String>,
    pub legend: Vec<LegendEntry>,
    pub ops: Vec<Op>,
    pub tooltips: Vec<Tooltip>,
    pub size: (f64, f64),
    /// Whether the image shows both traces, if two are open.
    pub is_both: bool,
}

/// Adds the trace's name and run to a view's drawing.
pub fn with_words(WorkspaceContext { loaded, units, .. }: &WorkspaceContext, drawn: PictureContent) -> Parts {
    let PictureContent { name, mut about, legend, ops: drawing, tooltips, size, is_both } = drawn;
    let title = |open: &LoadedTrace| facts::title(&open.summary, &open.name);
    let run = |open: &LoadedTrace| format!("{} · {}", open.name, facts::subtitle(&open.summary, *units));
    let of = match loaded.other.as_ref().filter(|_| is_both) {
        Some(other) => {
            about.extend([format!("A: {}", run(&loaded.main)), format!("B: {}", run(other))]);
            format!("{} (A) and {} (B)", title(&loaded.main), title(other))
        }
        None => {
            about.push(run(&loaded.main));
            title(&loaded.main)
        }
    };
    Parts { heading: format!("{name} of {of}"), about, legend, drawing, tooltips, size }
}

pub fn counted_words(amount: &str, filter: &Filter) -> String {
    format!("{amount} of {}", words::filter::filter(filter))
}

/// Describes how stacks are shown, such as `by module, recursion folded, zoomed to Main.run, search for map`.
pub fn stack_words(WorkspaceContext { view_state, capabilities, .. }: &WorkspaceContext, root: &[Label]) -> String {
    let mut words = vec![format!("by {}", capabilities.frame_noun(view_state.grain))];
    if view_state.fold_recursion {
        words.push("recursion folded".to_owned());
    }
    words.extend(root.last().map(|label| format!("zoomed to {}", flame::title(label))));
    if !view_state.search.is_empty() {
        words.push(format!("search for {}", view_state.search));
    }
    words.join(", ")
}

pub fn entry(paint: Paint, text: impl Into<String>) -> LegendEntry {
    LegendEntry { paint, text: text.into() }
}
