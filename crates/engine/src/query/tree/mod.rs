//! The call tree that queries sum over: the model's stack tree with twins merged and codes read as frames.
//!
//! [`CallTree`] is built once a trace, for functions or for call sites, and maps each stack to its group. What a filter
//! does to stacks (hide, focus), folding of recursion, and the coarser grains are a [`Shape`]: a second, smaller tree
//! made of the first one's groups. So a new filter costs one pass over the objects and one over the groups.

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

/// What counts as the same frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Grain {
    /// A name in a file.
    #[default]
    Function,
    /// A place in a file.
    Site,
    File,
    Module,
}

impl Grain {
    pub const ALL: [Grain; 4] = [Grain::Function, Grain::Site, Grain::File, Grain::Module];

    /// Its name in links.
    pub fn as_str(self) -> &'static str {
        match self {
            Grain::Function => "function",
            Grain::Site => "site",
            Grain::File => "file",
            Grain::Module => "module",
        }
    }

    /// The grain of the tree that is built from the stacks; the others are made of it.
    pub fn base(self) -> Grain {
        match self {
            Grain::Site => Grain::Site,
            Grain::Function | Grain::File | Grain::Module => Grain::Function,
        }
    }
}

from_name!(Grain, Grain::ALL);
