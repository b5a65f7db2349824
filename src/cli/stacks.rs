//! Call trees and what they weigh, for all commands that look at stacks.

use std::rc::Rc;

use clap::ValueEnum;

use super::context::Failure;
use super::filter::{select, wrong_filter};
use crate::export::Profile;
use crate::query::filter::{Filter, Plan};
use crate::query::measure::Measure;
use crate::query::selection::Selection;
use crate::query::stacks::{StacksConfig, stacks};
use crate::query::tree::{self, CallTree, GroupId, Shape, ShapedTree};
use crate::trace::Trace;

/// What counts as the same frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Grain {
    Function,
    /// A place in a file.
    Site,
    File,
    Module,
}

impl Grain {
    pub fn of_query(self) -> tree::Grain {
        match self {
            Grain::Function => tree::Grain::Function,
            Grain::Site => tree::Grain::Site,
            Grain::File => tree::Grain::File,
            Grain::Module => tree::Grain::Module,
        }
    }
}

/// Every stack that weighs anything, the heaviest first.
pub fn profile(trace: &Trace, filter: &Filter, measure: Measure, grain: Grain) -> Result<Profile, Failure> {
    let selection = measured(trace, filter, measure)?;
    let tree = shaped_tree(trace, grain.of_query(), filter)?;
    let weights = tree.weigh(trace, &selection, measure.weight());
    let own = |group: GroupId| weights[group.0 as usize];
    Ok(Profile::of_stacks(&stacks(trace, &tree, own, measure.scale(trace), StacksConfig::ALL), measure))
}

/// What passes the filter and counts for the measure.
pub fn measured(trace: &Trace, filter: &Filter, measure: Measure) -> Result<Selection, Failure> {
    let selection = select(trace, filter)?;
    match measure.narrowing() {
        None => Ok(selection),
        Some(clause) => Ok(Plan::new(trace, &[clause]).map_err(wrong_filter)?.narrow(trace, &selection)),
    }
}

/// The call tree, less what the filter hides, from where it focuses.
pub fn shaped_tree(trace: &Trace, grain: tree::Grain, filter: &Filter) -> Result<ShapedTree, Failure> {
    let base = Rc::new(CallTree::new(trace, grain));
    ShapedTree::new(trace, &base, &Shape::new(grain, false, filter)).map_err(wrong_filter)
}
