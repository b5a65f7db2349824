//! `camlscope compare`: what changed between two traces, or between two times of one.

use std::path::PathBuf;

use super::context::{Context, Failure};
use super::filter::{FilterArgs, parse_when};
use super::input::load;
use super::measure::{MeasureArgs, signed_amount};
use super::stacks::Grain;
use super::text::{self, Align, Cell, FAINT, PLAIN};
use crate::format;
use crate::protocol::{Answer, Question, Versus, View};
use crate::query::compare::{Change, CompareConfig, Comparison, Scale, Sum, Verdict};
use crate::query::filter::When;
use crate::query::tree::Label;

/// What changed between two traces, or between two times of one, with how sure that is.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace before; `-` for standard input.
    before: PathBuf,
    /// The trace after.
    #[arg(required_unless_present = "times", conflicts_with = "times")]
    after: Option<PathBuf>,
    /// What is live at two times of one trace: `10s,50s`, `1s,peak`, `peak,end`.
    #[arg(long, value_name = "A,B", value_parser = parse_times, conflicts_with = "measure")]
    times: Option<Times>,
    /// What a row is.
    #[arg(long, value_enum, default_value = "function")]
    by: Grain,
    /// Count what a row allocated itself, not what it called.
    #[arg(long = "self")]
    own: bool,
    /// Divide by each trace's duration, for runs of different length.
    #[arg(long, conflicts_with = "times")]
    per_second: bool,
    /// So many rows at most.
    #[arg(long, value_name = "N", default_value = "30")]
    top: usize,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    filter: FilterArgs,
}

#[derive(Clone, Copy, Debug)]
struct Times {
    before: When,
    after: When,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let filter = args.filter.filter()?;
    let measure = args.measure.measure(&filter)?;
    let scale = if args.per_second { Scale::PerSecond } else { Scale::AsIs };
    let versus = match args.times {
        Some(Times { before, after }) => Versus::Moments { before, after },
        None => Versus::Other { scale },
    };
    let sum = if args.own { Sum::Own } else { Sum::Total };
    let config = CompareConfig { measure, sum, scale, limit: args.top };
    let mut loaded = load(context, &args.before)?;
    if let Some(path) = &args.after {
        loaded.load_other(context, path)?;
    }
    let view = View { filter, measure, grain: args.by.of_query(), fold_recursion: false };
    let Answer::Compare(answer) = loaded.ask(view, Question::Compare { versus, config })? else {
        return Err(loaded.lost());
    };
    if context.json { context.print_json(&answer) } else { context.print(&words(&answer)) }
}

fn parse_times(text: &str) -> Result<Times, String> {
    let (before, after) = text.split_once(',').ok_or("two times are expected, with a comma between them: 10s,50s")?;
    Ok(Times { before: parse_when(before.trim())?, after: parse_when(after.trim())? })
}

fn words(answer: &Comparison) -> String {
    let right = Align::Right;
    let mut table = text::Table::new(&[
        ("before", right),
        ("after", right),
        ("change", right),
        ("±", right),
        ("verdict", Align::Left),
        ("name", Align::Left),
        ("place", Align::Left),
    ]);
    table.push(row(answer, &answer.all, "everything".to_owned(), String::new()));
    for changed in &answer.rows {
        table.push(row(answer, &changed.change, changed.label.name.clone(), place(&changed.label)));
    }
    let mut text = table.render();
    let n_more = answer.n_rows - answer.rows.len();
    if n_more > 0 {
        text.push_str(&format!("{FAINT}and {} more rows; --top shows more{FAINT:#}\n", format::count(n_more as u64)));
    }
    text
}

fn row(answer: &Comparison, change: &Change, name: String, place: String) -> Vec<Cell> {
    let style = match change.verdict {
        Verdict::Same | Verdict::TooFewSamples => FAINT,
        Verdict::New | Verdict::Gone | Verdict::Grew | Verdict::Shrank => PLAIN,
    };
    let suffix = match answer.scale {
        Scale::AsIs => "",
        Scale::PerSecond => "/s",
        Scale::PerAllocated => "/MiB",
    };
    let cells = [
        format!("{}{suffix}", answer.unit.amount(change.before)),
        format!("{}{suffix}", answer.unit.amount(change.after)),
        format!("{}{suffix}", signed_amount(answer.unit, change.change)),
        format!("{}{suffix}", answer.unit.amount(change.error)),
        change.verdict.as_str().to_owned(),
        name,
        place,
    ];
    cells.into_iter().map(|cell| Cell::from(cell).styled(style)).collect()
}

fn place(label: &Label) -> String {
    match label.place {
        Some(place) => format!("{}:{}:{}-{}", label.file, place.line, place.start_char, place.end_char),
        None => label.file.clone(),
    }
}
