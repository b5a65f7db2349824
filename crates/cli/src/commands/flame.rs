//! `camlscope flame`: folded stacks, for any flame graph tool and for grep.

use std::io::Write;
use std::path::PathBuf;

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::arg_values::grain;
use super::context::{Context, Failure, stdout};
use super::json::Measured;
use super::measure::CountedArgs;
use super::stacks::{StackArgs, write_stacks};
use camlscope_engine::query::tree::Grain;
use camlscope_present::export::{WeightedStacks, folded};

/// Folded stacks, one a line: `main;f;g 42`.
///
/// Names are plain, as their authors wrote them. With `--by site`, a frame is a name and a location: `f orders.ml:12`.
/// They come in the order of the call tree: callers before those that they call, the heaviest first. Stacks below 0.01%
/// of the whole are added to their callers.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace or profile; `-` for standard input.
    file: PathBuf,
    /// Write stacks from the allocation site to main. Stacks below 0.01% of the total lose their outer callers.
    #[arg(long)]
    inverted: bool,
    /// Write every stack, however light. With --inverted, in the order of the call tree from main.
    #[arg(long)]
    all: bool,
    /// What a frame is.
    #[arg(long, value_parser = grain(), default_value = "function")]
    by: Grain,
    #[command(flatten)]
    counted: CountedArgs,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let (mut loaded, filter, measure) = args.counted.open(context, &args.file)?;
    let stacks =
        StackArgs { filter, measure, grain: args.by, all: args.all, is_inverted: args.inverted, anonymise: None };
    let snapshots = loaded.snapshots;
    write_stacks(context, &mut loaded, &stacks, |profile| {
        if context.json {
            return context.print_json(&Measured::new(measure, &Answer::new(profile)).at(snapshots));
        }
        let mut out = stdout();
        folded(profile, &mut out)?;
        Ok(out.flush()?)
    })
}

#[derive(Serialize)]
struct Answer<'a> {
    total: f64,
    /// How many stacks were added to others, what they weigh together, and what a stack must weigh to be kept.
    merged_stacks: u64,
    merged: f64,
    merged_below: f64,
    stacks: AnswerStacks<'a>,
}

#[derive(Serialize)]
struct AnswerStack<'a> {
    frames: Vec<&'a str>,
    /// As folded stacks have them: plain names, with locations of call sites.
    labels: Vec<&'a str>,
    value: f64,
}

/// Written one by one, as they are read.
struct AnswerStacks<'a>(&'a WeightedStacks<'a>);

impl<'a> Answer<'a> {
    fn new(profile: &'a WeightedStacks<'a>) -> Answer<'a> {
        let merged = profile.merged();
        Answer {
            total: profile.total(),
            merged_stacks: merged.n_stacks,
            merged: merged.weight,
            merged_below: merged.least_share * profile.total(),
            stacks: AnswerStacks(profile),
        }
    }
}

impl Serialize for AnswerStacks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let labels = self.0.frame_names();
        let name = |&frame: &u32| self.0.frames[frame as usize].name.as_str();
        let label = |&frame: &u32| labels[frame as usize].as_str();
        let mut list = serializer.serialize_seq(None)?;
        self.0.for_each_stack(|frames, value| {
            let (labels, frames) = (frames.iter().map(label).collect(), frames.iter().map(name).collect());
            list.serialize_element(&AnswerStack { frames, labels, value })
        })?;
        list.end()
    }
}
