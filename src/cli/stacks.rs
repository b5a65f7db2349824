//! Stacks and what they weigh, for all commands that look at them.

use clap::ValueEnum;

use super::context::Failure;
use super::input::Loaded;
use crate::export::Profile;
use crate::protocol::{Answer, Question, View};
use crate::query::filter::Filter;
use crate::query::measure::Measure;
use crate::query::stacks::StacksConfig;
use crate::query::tree;

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
pub fn profile(loaded: &mut Loaded, filter: Filter, measure: Measure, grain: Grain) -> Result<Profile, Failure> {
    let view = View { filter, measure, grain: grain.of_query(), ..View::default() };
    match loaded.ask(view, Question::Stacks(StacksConfig::ALL))? {
        Answer::Stacks(list) => Ok(Profile::of_stacks(&list, measure)),
        _ => Err(loaded.lost()),
    }
}
