//! Ids are newtypes, so that a row can't be mistaken for a stack.

use serde::{Deserialize, Serialize};

/// A row of [`super::Columns`]: one sampled object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObjectRow(pub u32);

/// A node of [`super::Stacks`]. The path from the root to it is a stack; 0 is the empty stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackId(pub u32);

/// A time at which the collector freed or promoted objects: an entry of [`super::GcTimes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GcTimeId(pub u32);

/// A function: a name in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// An interned string: a file or function name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextId(pub u32);

impl StackId {
    pub const EMPTY: StackId = StackId(0);
}

impl GcTimeId {
    /// The end of an object that was never collected.
    pub const NEVER: GcTimeId = GcTimeId(u32::MAX);
}
