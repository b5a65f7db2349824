//! `camlscope compare`: what changed between two traces, or between two times of one.

use std::path::PathBuf;

use serde_json::Value;

use super::context::{Context, Failure};
use super::empty;
use super::filter::{FilterArgs, behind_end, parse_when, time_us};
use super::input::open;
use super::json::with_words;
use super::measure::{MeasureArgs, measure_word, narrowed, signed_amount};
use super::stacks::Grain;
use super::text::{self, Align, Cell, FAINT, PLAIN};
use super::values::at_least_one;
use crate::format;
use crate::protocol::{Answer, Question, Versus, View};
use crate::query::compare::{Change, CompareConfig, Comparison, Sum, Verdict};
use crate::query::filter::When;
use crate::query::measure::Measure;
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
    #[arg(long, value_name = "N", default_value = "30", value_parser = at_least_one)]
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
    let measure = args.measure.measure(&args.filter.check()?)?;
    if args.after.is_some() && args.filter.has_moments() {
        let hint = "each trace has a peak and an end of its own: give ranges of times that hold for both";
        return Err(Failure::Usage(hint.to_owned()));
    }
    let versus = match args.times {
        Some(Times { before, after }) => Versus::Moments { before, after },
        None => Versus::Other { per_second: args.per_second },
    };
    let sum = if args.own { Sum::Own } else { Sum::Total };
    let config = CompareConfig { measure, sum, per_second: args.per_second, limit: args.top };
    let (mut loaded, filter) = open(context, &args.before, &args.filter, measure)?;
    if let Some(Times { before, after }) = args.times {
        let trace = loaded.trace()?;
        let late = [before, after].map(|when| time_us(trace, when)).into_iter().find(|time| *time > trace.end_us);
        late.map_or(Ok(()), |late| Err(behind_end("--times", trace, late)))?;
    }
    if let Some(path) = &args.after {
        loaded.load_other(context, path)?;
    }
    let counting = narrowed(&filter, measure);
    let view = View { filter, measure, grain: args.by.of_query(), fold_recursion: false };
    let Answer::Compare(answer) = loaded.ask(view, Question::Compare { versus, config })? else {
        return Err(loaded.lost());
    };
    if answer.rows.is_empty() {
        empty::explain(context, loaded.trace()?, &counting)?;
    }
    match context.json {
        true => context.print_json(&reply(&answer, args.times.map_or(measure, |times| Measure::Live(times.after)))),
        false => context.print(&words(&answer, args.by, context.width)),
    }
}

/// The answer in JSON. Its unit stands beside the measure.
fn reply(answer: &Comparison, measure: Measure) -> Value {
    let mut json = with_words(answer);
    json["measure"] = measure_word(measure).into();
    json
}

fn parse_times(text: &str) -> Result<Times, String> {
    let (before, after) = text.split_once(',').ok_or("two times are expected, with a comma between them: 10s,50s")?;
    Ok(Times { before: parse_when(before.trim())?, after: parse_when(after.trim())? })
}

fn words(answer: &Comparison, grain: Grain, width: Option<usize>) -> String {
    let right = Align::Right;
    let mut table = text::Table::new(&[
        ("before", right),
        ("after", right),
        ("change", right),
        ("±", right),
        ("verdict", Align::Left),
        ("name", Align::Left),
        ("place", Align::Left),
    ])
    .cutting(&["name", "place"])
    .leaving_out(match grain {
        // Only their places tell sites of one function apart.
        Grain::Site => &["before", "after", "±"],
        Grain::Function | Grain::File | Grain::Module => &["place", "before", "after", "±"],
    });
    table.push(row(answer, &answer.all, "everything".to_owned(), String::new()));
    for changed in &answer.rows {
        table.push(row(answer, &changed.change, changed.label.name.clone(), place(&changed.label)));
    }
    let mut text = table.render(width);
    let n_more = answer.n_rows - answer.rows.len();
    if n_more > 0 {
        text.push_str(&format!("{FAINT}and {} more rows; --top shows more{FAINT:#}\n", format::count(n_more as u64)));
    }
    text
}

fn row(answer: &Comparison, change: &Change, name: String, place: String) -> Vec<Cell> {
    let style = match change.verdict {
        Verdict::Unclear | Verdict::Same => FAINT,
        Verdict::New | Verdict::Gone | Verdict::Grew | Verdict::Shrank => PLAIN,
    };
    let suffix = if answer.per_second { "/s" } else { "" };
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
