//! Flame graphs: top-down, inverted, and the two halves of a sandwich.
//!
//! The page asks for what its canvas shows ([`flame`]): a root, a stretch of its width, some levels. Boxes of a pixel and
//! more are answered one by one, the rest of each parent as one box that says how many it stands for, so an answer's
//! size and cost follow the screen and not the tree. Nothing is pruned: children and self make up the parent, exactly.
//!
//! Children are ordered by weight, then by name. The order does not depend on the zoom, so boxes keep their places, and
//! those too narrow to be drawn always lie together at the right, before the parent's own part.

mod box_selector;
mod detail;
mod find;
mod sketch;
mod view;
mod walk;
mod weights;

use serde::{Deserialize, Serialize};

pub use box_selector::{BoxId, BoxSelector};
pub use detail::{Branch, BranchConfig, Branches, Detail, branches, detail};
pub use find::{Found, find};
pub use sketch::sketch;
pub use view::{COLLAPSED_SHARE, Flame, FlameBox, FlameConfig, FlameName, flame};
pub use weights::{Bottom, RawAmount, Weighed};

use super::tree::Label;

/// Which way a picture unfolds from its top.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// From main to the allocation points.
    #[default]
    TopDown,
    /// From the allocation points to main; what a box has itself is what nobody else called.
    Inverted,
    /// The upper half of a function's sandwich: from it to those that call it. Objects count through the outermost
    /// frame of the function, each once, so both halves weigh what the function does.
    Callers(Label),
    /// The lower half: from it to those that it calls.
    Callees(Label),
}

impl Direction {
    /// The function in the middle of a sandwich.
    pub fn function(&self) -> Option<&Label> {
        match self {
            Direction::TopDown | Direction::Inverted => None,
            Direction::Callers(function) | Direction::Callees(function) => Some(function),
        }
    }
}
