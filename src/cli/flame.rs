//! `camlscope flame`: folded stacks, for any flame graph tool and for grep.

use std::path::PathBuf;

use serde::Serialize;

use super::context::{Context, Failure};
use super::filter::FilterArgs;
use super::input::load;
use super::measure::MeasureArgs;
use super::stacks::{Grain, profile};
use crate::export::{Profile, folded};

/// Folded stacks, the heaviest first: `main;f;g 42`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace; `-` for standard input.
    file: PathBuf,
    /// Stacks from the allocation point to main.
    #[arg(long)]
    inverted: bool,
    /// What a frame is.
    #[arg(long, value_enum, default_value = "function")]
    by: Grain,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    filter: FilterArgs,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let filter = args.filter.filter()?;
    let measure = args.measure.measure(&filter)?;
    let mut loaded = load(context, &args.file)?;
    let mut profile = profile(&mut loaded, filter, measure, args.by)?;
    if args.inverted {
        profile.stacks.iter_mut().for_each(|stack| stack.frames.reverse());
    }
    if context.json { context.print_json(&Answer::new(&profile)) } else { context.print(&folded(&profile)) }
}

#[derive(Serialize)]
struct Answer<'a> {
    measure: &'a str,
    unit: &'static str,
    total: f64,
    stacks: Vec<AnswerStack<'a>>,
}

#[derive(Serialize)]
struct AnswerStack<'a> {
    frames: Vec<&'a str>,
    value: f64,
}

impl<'a> Answer<'a> {
    fn new(profile: &'a Profile) -> Answer<'a> {
        let name = |&frame: &u32| profile.frames[frame as usize].name.as_str();
        let stacks = profile.stacks.iter();
        Answer {
            measure: &profile.title,
            unit: profile.unit.name(),
            total: profile.stacks.iter().map(|stack| stack.weight).sum(),
            stacks: stacks
                .map(|stack| AnswerStack { frames: stack.frames.iter().map(name).collect(), value: stack.weight })
                .collect(),
        }
    }
}
