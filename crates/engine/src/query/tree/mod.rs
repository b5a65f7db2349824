//! The call tree that queries sum over: the model's stack tree with duplicates merged and codes resolved to frames.
//!
//! [`CallTree`] is built once per trace, for functions or for call sites, and maps each stack to its group. A [`Shape`]
//! covers what a filter does to stacks (hide, focus), folded recursion and the coarser grains. [`ShapedTree`] applies it
//! to the groups of the first tree. So a new filter costs one pass over the objects and one over the groups.

mod allocators;
mod build;
mod groups;
mod index;
mod keys;
mod shape;
mod weights;

use serde::{Deserialize, Serialize};

use super::from_name::from_name;
pub use allocators::{AllocatorValues, Allocators};
pub use build::{CallTree, CallTreeBuilder};
pub use groups::{GroupId, Groups};
pub use index::TreeIndex;
pub use keys::{Key, KeyId, Keys, Label, Place, coarser};
pub use shape::{Shape, ShapedTree};
pub use weights::{OwnWeights, StackWeights, TreeWeights, TreeWeightsBuilder, without_crumb};

/// Which frames count as the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Grain {
    /// A name in a file.
    #[default]
    Function,
    /// A location in a file.
    Site,
    File,
    Module,
}

impl Grain {
    pub const ALL: [Grain; 4] = [Grain::Function, Grain::Site, Grain::File, Grain::Module];

    /// Returns the name used in links.
    pub fn as_str(self) -> &'static str {
        match self {
            Grain::Function => "function",
            Grain::Site => "site",
            Grain::File => "file",
            Grain::Module => "module",
        }
    }

    /// Returns the grain of the tree that is built from the stacks. The other grains are derived from it.
    pub fn base(self) -> Grain {
        match self {
            Grain::Site => Grain::Site,
            Grain::Function | Grain::File | Grain::Module => Grain::Function,
        }
    }
}

from_name!(Grain, Grain::ALL);
