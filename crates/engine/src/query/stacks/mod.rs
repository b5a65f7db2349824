//! Stacks, each with what it weighs itself: what other programs' profiles are made of.
//!
//! Stacks share most of their frames, so they are passed on as the nodes of their tree, callers first ([`StackNode`]):
//! memory and messages follow the number of nodes, not the frames of all stacks together.
//!
//! A profile of every stack is too large for the programs that read it. So a stack that weighs less than a share of the
//! whole is added to its caller, together with what was added to it, until the sum is large enough ([`prune`]). Sums stay
//! exact, there are never more stacks than the share allows, each function that has its share in a place of the call tree
//! can be seen there, and no total is off by as much as the share.

mod every;
mod inverted;
mod prune;
mod reversed;
mod visible;
mod walk;

use serde::{Deserialize, Serialize};

pub use every::EveryStack;
pub use inverted::inverted;
pub use reversed::Reversed;
pub use visible::visible;

use super::tree::Label;

/// What is lighter than this share of the whole cannot be seen in a flame graph: a tenth of a pixel.
pub const LEAST_SHARE: f64 = 1e-4;

/// The frame that stands for light stacks that no kept frame calls.
pub const OTHER_STACKS: &str = "(other stacks)";

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StacksConfig {
    /// The share of the whole that a stack must weigh; 0 keeps every stack.
    pub least_share: f64,
    /// Stacks from the allocation point to main. Light ones then lose callers, not callees.
    pub is_inverted: bool,
}

/// One frame of the tree of stacks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackNode {
    /// How many frames lead to it: those of the nodes before it that have depths 0, 1, and so on, the last of each.
    pub depth: u32,
    /// A place in [`StacksHead::frames`].
    pub frame: u32,
    /// The weight of the stack that ends here, in the measure's unit; 0 if there is none.
    pub own: f64,
}

/// What is known of stacks before the first of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StacksHead {
    /// The frames that occur, each once.
    pub frames: Vec<Label>,
    /// The weight of all stacks together.
    pub total: f64,
    pub merged: Merged,
}

/// The stacks that were added to others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Merged {
    /// [`StacksConfig::least_share`].
    pub least_share: f64,
    pub n_stacks: u64,
    /// In the measure's unit.
    pub weight: f64,
    /// Whether they lost callers, as inverted stacks do, instead of callees.
    pub is_inverted: bool,
}

/// Stacks that can be read several times.
pub trait StackSource {
    fn head(&self) -> &StacksHead;

    /// In tree order: callers before callees (inverted: callees before callers), siblings by weight, then by name.
    fn nodes(&self) -> Box<dyn Iterator<Item = StackNode> + '_>;
}

/// Stacks as an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StackList {
    pub head: StacksHead,
    pub nodes: Vec<StackNode>,
}

impl StacksConfig {
    /// What can be seen, from main to the allocation points.
    pub const VISIBLE: StacksConfig = StacksConfig { least_share: LEAST_SHARE, is_inverted: false };
}

impl StackSource for StackList {
    fn head(&self) -> &StacksHead {
        &self.head
    }

    fn nodes(&self) -> Box<dyn Iterator<Item = StackNode> + '_> {
        Box::new(self.nodes.iter().copied())
    }
}
