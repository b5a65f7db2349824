//! Stacks and what they weigh, for all commands that look at them.

use clap::ValueEnum;

use super::context::{Context, Failure};
use super::input::Loaded;
use crate::export::Profile;
use crate::protocol::{Answer, Question, View};
use crate::query::filter::Filter;
use crate::query::measure::Measure;
use crate::query::stacks::{LEAST_SHARE, Reversed, StackSource, StacksConfig};
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

/// Which stacks a command writes, and how.
#[derive(Clone, Debug)]
pub struct StackArgs {
    pub filter: Filter,
    pub measure: Measure,
    pub grain: Grain,
    /// Every stack, instead of those that can be seen.
    pub all: bool,
    pub is_inverted: bool,
    pub anonymise: bool,
}

/// Gives `write` the stacks, then says on standard error what was left out of them.
pub fn write_stacks(
    context: &Context,
    loaded: &mut Loaded,
    args: StackArgs,
    write: impl FnOnce(&Profile<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let StackArgs { filter, measure, grain, all, is_inverted, anonymise } = args;
    let view = View { filter, measure, grain: grain.of_query(), ..View::default() };
    let write = |stacks: &dyn StackSource| {
        let profile = Profile::new(stacks, measure);
        let profile = if anonymise { profile.anonymised() } else { profile };
        write(&profile)?;
        if let Some(merged) = profile.merged_words() {
            context.note(&format!("{merged}; --all writes every stack."));
        }
        Ok(())
    };
    if all {
        return loaded.with_every_stack(&view, |stacks| match is_inverted {
            true => write(&Reversed(stacks)),
            false => write(stacks),
        })?;
    }
    let config = StacksConfig { least_share: LEAST_SHARE, is_inverted };
    match loaded.ask(view, Question::Stacks(config))? {
        Answer::Stacks(list) => write(&list),
        _ => Err(loaded.lost()),
    }
}
