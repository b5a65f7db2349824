//! `camlscope flame`: folded stacks, for flame graph tools and grep, or a flame graph as a picture.

use std::io::Write;
use std::path::PathBuf;

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::arg_values::grain;
use super::context::{Context, Failure, stdout};
use super::empty;
use super::help;
use super::input::Loaded;
use super::json::Measured;
use super::measure::{CountedArgs, narrowed};
use super::stacks::{StackArgs, write_stacks};
use camlscope_engine::protocol::{self, Question, View};
use camlscope_engine::query::flame::{BoxSelector, Direction, FlameConfig};
use camlscope_engine::query::tree::Grain;
use camlscope_present::export::{FLAME_WIDTH, WeightedStacks, flame_chart, folded};
use camlscope_present::words;
use camlscope_present::words::measure::counted;

/// Print folded stacks for flame graph tools, one per line: `main;f;g 42`.
///
/// With `--by site`, a frame is a name and a location: `f orders.ml:12`. Stacks are in the order of the call tree, largest first.
/// Stacks below 0.01% of the total are merged into their callers, so totals stay exact.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::FLAME)]
pub struct Args {
    /// The trace or profile; `-` for standard input.
    file: PathBuf,
    /// Print stacks from the allocation site to main. Stacks below 0.01% of the total lose their outer callers.
    #[arg(long)]
    inverted: bool,
    /// Print a flame graph as an SVG picture instead.
    #[arg(long, conflicts_with_all = ["json", "all"])]
    svg: bool,
    /// Print every stack, however small. With --inverted, in the order of the call tree from main.
    #[arg(long)]
    all: bool,
    /// Group frames by this.
    #[arg(long, value_parser = grain(), default_value = "function")]
    by: Grain,
    #[command(flatten)]
    counted: CountedArgs,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let (mut loaded, filter, measure) = args.counted.open(context, &args.file)?;
    if args.svg {
        let view = View { filter, measure, grain: args.by, ..View::default() };
        return print_chart(args, context, &mut loaded, view);
    }
    let stacks =
        StackArgs { filter, measure, grain: args.by, all: args.all, is_inverted: args.inverted, anonymize: None };
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

/// Prints the flame graph as SVG. Boxes narrower than a pixel are merged.
fn print_chart(args: &Args, context: &Context, loaded: &mut Loaded, view: View) -> Result<(), Failure> {
    /// Deeper stacks would make a picture that nobody scrolls through.
    const MAX_DEPTH: u32 = 500;
    let (direction, order) = match args.inverted {
        true => (Direction::Inverted, "callees above callers"),
        false => (Direction::TopDown, "callers above callees"),
    };
    let config =
        FlameConfig { direction, root: BoxSelector::Top, x: 0.0..1.0, width_px: FLAME_WIDTH, depths: 0..MAX_DEPTH };
    let protocol::Answer::Flame(flame) = loaded.ask(view.clone(), Question::Flame(config))? else {
        return Err(loaded.lost());
    };
    if flame.all == 0.0 {
        empty::explain(context, loaded, &narrowed(&view.filter, view.measure))?;
    }
    let counted = format!("{} of {}", counted(view.measure), words::filter::filter(&view.filter));
    let about = vec![counted, format!("by {}, {order}", view.grain.as_str())];
    let words = loaded.chart_words("Flame graph", about);
    context.print_text(&flame_chart(&flame, words, &loaded.module_colors()))
}

#[derive(Serialize)]
struct Answer<'a> {
    total: f64,
    /// The number and total weight of merged stacks, and the minimum weight of stacks that are kept.
    merged_stacks: u64,
    merged: f64,
    merged_below: f64,
    stacks: AnswerStacks<'a>,
}

#[derive(Serialize)]
struct AnswerStack<'a> {
    frames: Vec<&'a str>,
    /// The frames of folded stacks: plain names, with the locations of call sites.
    labels: Vec<&'a str>,
    value: f64,
}

/// Written one at a time as they are read.
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
