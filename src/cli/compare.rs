//! `camlscope compare`: what changed between two traces, or between two times of one.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use super::context::{Context, Failure};
use super::empty;
use super::filter::{FilterArgs, behind_end, parse_when, time_us};
use super::input::open;
use super::measure::{MeasureArgs, narrowed, signed_amount};
use super::stacks::Grain;
use super::text::{self, Align, Cell, FAINT, PLAIN};
use super::values::at_least_one;
use crate::format;
use crate::protocol::{Answer, Question, Versus, View};
use crate::query::compare::{Change, CompareConfig, Comparison, Scale, Sum, Verdict};
use crate::query::filter::When;
use crate::query::measure::Measure;
use crate::query::statistics::{self, LEVEL};
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
    /// Divide by each trace's duration, for runs of different length. What is live at a moment is never divided.
    #[arg(long, conflicts_with = "times")]
    per_second: bool,
    /// Divide by what each program allocated in all, for runs of different work.
    #[arg(long, conflicts_with_all = ["times", "per_second"])]
    per_allocated: bool,
    /// So many rows at most.
    #[arg(long, value_name = "N", default_value = "30", value_parser = at_least_one)]
    top: usize,
    /// Exit with status 3 if the measure's sum grew by more than this, and by more than chance explains: `5%`.
    #[arg(long, value_name = "P%", value_parser = parse_percent, conflicts_with = "times")]
    fail_above: Option<f64>,
    /// Print a table for a pull request: what changed by more than chance, in Markdown.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
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
    let scale = match (args.per_second, args.per_allocated) {
        (true, _) => Scale::PerSecond,
        (_, true) => Scale::PerAllocated,
        _ => Scale::AsIs,
    };
    let versus = match args.times {
        Some(Times { before, after }) => Versus::Moments { before, after },
        None => Versus::Other { scale },
    };
    let sum = if args.own { Sum::Own } else { Sum::Total };
    let config = CompareConfig { measure, sum, scale, limit: args.top };
    let (mut loaded, filter) = open(context, &args.before, &args.filter, measure)?;
    if let Some(Times { before, after }) = args.times {
        let file = &loaded.file;
        let late = [before, after].map(|when| time_us(file, when)).into_iter().find(|time| *time > file.end_us);
        late.map_or(Ok(()), |late| Err(behind_end("--times", file, late)))?;
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
        empty::explain(context, &loaded, &counting)?;
    }
    let measure = args.times.map_or(measure, |times| Measure::Live(times.after));
    let gate = args.fail_above.map(|limit| Gate::new(&answer, limit));
    if context.json {
        context.print_json(&reply(&answer, measure, gate))?;
    } else if args.markdown {
        context.print(&markdown(&answer, measure, args.by, gate))?;
    } else {
        context.print(&words(&answer, args.by, context.width))?;
    }
    match gate.filter(|gate| gate.is_passed) {
        Some(gate) => Err(Failure::AboveLimit(gate.words(&answer, measure))),
        None => Ok(()),
    }
}

/// Whether the whole grew by more than a limit.
#[derive(Clone, Copy, Debug, Serialize)]
struct Gate {
    /// As a share of what was there before.
    limit: f64,
    /// How often chance makes it look so where the limit is not passed.
    p: f64,
    is_passed: bool,
}

impl Gate {
    fn new(answer: &Comparison, limit: f64) -> Gate {
        let [before, after] = answer.sides;
        let p = statistics::exceeds(before, after, 1.0 + limit);
        Gate { limit, p, is_passed: p < LEVEL }
    }

    fn words(self, answer: &Comparison, measure: Measure) -> String {
        let Change { before, after, .. } = answer.all;
        let (before, after) = (answer.unit.amount(before), answer.unit.amount(after));
        let limit = format::percent(self.limit);
        match self.is_passed {
            true => format!("{}: {before} → {after}, more than {limit} above, and not by chance", measure.words()),
            false => {
                format!("{}: {before} → {after}, not more than {limit} above by more than chance", measure.words())
            }
        }
    }
}

/// The answer in JSON. Its unit stands beside the measure.
fn reply(answer: &Comparison, measure: Measure, gate: Option<Gate>) -> Value {
    let mut json = serde_json::to_value(answer).unwrap_or_default();
    json["measure"] = measure.to_string().into();
    if let Some(gate) = gate {
        json["gate"] = serde_json::to_value(gate).unwrap_or_default();
    }
    json
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    let percent = format::read_decimal(number).filter(|percent| (0.0..=1e6).contains(percent));
    percent.map(|percent| percent / 100.0).ok_or_else(|| format!("“{text}” is no percentage such as 5%"))
}

/// What changed by more than chance, as a table that hosts of code show in a pull request.
fn markdown(answer: &Comparison, measure: Measure, grain: Grain, gate: Option<Gate>) -> String {
    let amount = |value: f64| format!("{}{}", answer.unit.amount(value), answer.scale.suffix());
    let change = |change: &Change| {
        format!("{}{} ± {}", signed_amount(answer.unit, change.change), answer.scale.suffix(), amount(change.error))
    };
    let Change { before, after, verdict, .. } = answer.all;
    let mut text = format!(
        "### Memory, {}: {} → {}, {} ({})\n\n",
        measure.words(),
        amount(before),
        amount(after),
        change(&answer.all),
        verdict.as_str()
    );
    if let Some(gate) = gate {
        let mark = if gate.is_passed { "❌" } else { "✅" };
        text.push_str(&format!("{mark} {}.\n\n", gate.words(answer, measure)));
    }
    let changed: Vec<_> = answer.rows.iter().filter(|row| row.change.verdict.is_significant()).collect();
    if !changed.is_empty() {
        text.push_str(&format!(
            "| {} | before | after | change | verdict |\n| --- | ---: | ---: | ---: | --- |\n",
            grain.of_query().as_str()
        ));
    }
    for row in &changed {
        let name = match place(&row.label) {
            place if place.is_empty() => code(&row.label.name),
            place => format!("{} {}", code(&row.label.name), code(&place)),
        };
        let Change { before, after, verdict, .. } = row.change;
        let cells = [name, amount(before), amount(after), change(&row.change), verdict.as_str().to_owned()];
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    let n_hidden = answer.n_changed - changed.len();
    if n_hidden > 0 {
        text.push_str(&format!("\n{} more changed; `--top` shows more.\n", format::count(n_hidden as u64)));
    }
    let n_others = answer.n_rows - answer.n_changed;
    if n_others > 0 {
        let n_others = format::count(n_others as u64);
        text.push_str(&format!("\n{n_others} did not change by more than chance, or have too few samples to tell.\n"));
    }
    text
}

/// A name as Markdown shows it: names are data, and neither end the cell nor the code.
fn code(name: &str) -> String {
    format!("`{}`", text::clean(name).replace('`', "'").replace('|', "\\|"))
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
        Verdict::Same | Verdict::Unchanged | Verdict::TooFewSamples => FAINT,
        Verdict::New | Verdict::Gone | Verdict::Grew | Verdict::Shrank => PLAIN,
    };
    let suffix = answer.scale.suffix();
    let cells = [
        format!("{}{suffix}", answer.unit.amount(change.before)),
        format!("{}{suffix}", answer.unit.amount(change.after)),
        format!("{}{suffix}", signed_amount(answer.unit, change.change)),
        match change.error {
            0.0 => "–".to_owned(),
            error => format!("{}{suffix}", answer.unit.amount(error)),
        },
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
