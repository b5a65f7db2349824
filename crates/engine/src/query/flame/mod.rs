//! Flame graphs: top-down, inverted, and the two halves of a sandwich.
//!
//! The page requests what its canvas shows ([`flame`]): a root, a range of its width and some levels. Boxes of at least
//! a pixel are returned one by one. The narrower children of each parent are merged into one box with their number. So
//! the size and cost of a response depend on the screen, not on the tree. Nothing is pruned: children and self add up
//! exactly to the parent.
//!
//! Children are ordered by weight, then by name. The order doesn't depend on the zoom, so boxes keep their positions.
//! Boxes too narrow to draw are always together on the right, before the parent's own part.

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

/// The direction in which a flame graph unfolds from its top.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// From main to the allocation points.
    #[default]
    TopDown,
    /// From the allocation points to main. A box's own weight is the part without another caller.
    Inverted,
    /// The upper half of a function's sandwich: from the function to its callers. Each object counts once, through the
    /// outermost frame of the function, so both halves have the function's weight.
    Callers(Label),
    /// The lower half: from the function to its callees.
    Callees(Label),
}

impl Direction {
    /// Returns the function in the middle of a sandwich.
    pub fn function(&self) -> Option<&Label> {
        match self {
            Direction::TopDown | Direction::Inverted => None,
            Direction::Callers(function) | Direction::Callees(function) => Some(function),
        }
    }
}
