//! Stacks with their own weights, from which profiles for other programs are made.
//!
//! Stacks share most of their frames, so they are represented as the nodes of their tree, callers first
//! ([`StackNode`]). Memory and message sizes depend on the number of nodes, not on the total number of frames.
//!
//! A profile of every stack is too large for the programs that read it. So a stack below a certain share of the total
//! is added to its caller, together with what was added to it, until the sum is large enough ([`prune`]). Sums stay
//! exact, the share limits the number of stacks, every node of the call tree with at least that share stays visible,
//! and no total is off by as much as the share.

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

/// Stacks below this share of the total are invisible in a flame graph: a tenth of a pixel.
pub const LEAST_SHARE: f64 = 1e-4;

/// The frame for light stacks that no kept frame calls.
pub const OTHER_STACKS: &str = "(other stacks)";

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StacksConfig {
    /// The minimum share of the total for a stack. 0 keeps every stack.
    pub least_share: f64,
    /// Lists stacks from the allocation point to main. Light stacks then lose callers, not callees.
    pub is_inverted: bool,
}

/// One frame of the tree of stacks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackNode {
    /// The number of frames above it. Those frames are the last preceding nodes with depths 0, 1, and so on.
    pub depth: u32,
    /// An index into [`StacksHead::frames`].
    pub frame: u32,
    /// The weight of the stack that ends here, in the measure's unit. 0 if none does.
    pub own: f64,
}

/// Information about the stacks that precedes the list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StacksHead {
    /// The frames that occur, each once.
    pub frames: Vec<Label>,
    /// The weight of all stacks.
    pub total: f64,
    pub merged: Merged,
}

/// The stacks that were merged into others.
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

/// Stacks that can be iterated over several times.
pub trait StackSource {
    fn head(&self) -> &StacksHead;

    /// In tree order: callers before callees (callees before callers if inverted), siblings by weight, then by name.
    fn nodes(&self) -> Box<dyn Iterator<Item = StackNode> + '_>;
}

/// Stacks as a query result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StackList {
    pub head: StacksHead,
    pub nodes: Vec<StackNode>,
}

impl StacksConfig {
    /// The visible stacks, from main to the allocation points.
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
