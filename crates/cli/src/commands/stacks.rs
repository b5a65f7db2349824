//! Weighted stacks, shared by several commands.

use super::context::{Context, Failure};
use super::empty;
use super::input::Loaded;
use super::measure::narrowed;
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::filter::Filter;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::stacks::{LEAST_SHARE, Reversed, StackSource, StacksConfig};
use camlscope_engine::query::tree::Grain;
use camlscope_present::export::{Anonymizer, Keep, WeightedStacks};

/// Which stacks a command writes, and how.
#[derive(Clone, Debug)]
pub struct StackArgs {
    pub filter: Filter,
    pub measure: Measure,
    pub grain: Grain,
    /// Includes every stack instead of merging small ones.
    pub all: bool,
    pub is_inverted: bool,
    /// Anonymizes names, except what `Keep` lists.
    pub anonymize: Option<Keep>,
}

/// Passes the stacks to `write`, then prints to standard error what was merged. Returns the result of `write`.
pub fn write_stacks<T>(
    context: &Context,
    loaded: &mut Loaded,
    args: &StackArgs,
    write: impl FnOnce(&WeightedStacks<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (written, is_empty) = read_stacks(loaded, args, |stacks| {
        let profile = WeightedStacks::new(stacks, args.measure);
        let profile = match args.anonymize {
            Some(keep) => profile.anonymized(&mut Anonymizer::new(keep)),
            None => profile,
        };
        let written = write(&profile)?;
        if let Some(merged) = profile.merged_words() {
            context.note(&format!("{merged}. Use --all to write every stack."));
        }
        Ok((written, profile.total() == 0.0))
    })?;
    if is_empty {
        empty::explain(context, loaded, &narrowed(&args.filter, args.measure))?;
    }
    Ok(written)
}

/// Reads all stacks, or merges small ones.
pub fn read_stacks<T>(
    loaded: &mut Loaded,
    args: &StackArgs,
    read: impl FnOnce(&dyn StackSource) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (filter, grain) = (args.filter.clone(), args.grain);
    let view = View { filter, measure: args.measure, grain, ..View::default() };
    if args.all {
        return loaded.with_every_stack(&view, |stacks| match args.is_inverted {
            true => read(&Reversed(stacks)),
            false => read(stacks),
        })?;
    }
    let config = StacksConfig { least_share: LEAST_SHARE, is_inverted: args.is_inverted };
    match loaded.ask(view, Question::Stacks(config))? {
        Answer::Stacks(list) => read(&list),
        _ => Err(loaded.lost()),
    }
}
