//! `camlscope convert`: the trace, or what it shows, as a file for other programs.

use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::context::{Context, Failure, write_to};
use super::filter::{FilterArgs, clause, select};
use super::input::{Loaded, load};
use super::measure::MeasureArgs;
use super::stacks::{Grain, StackArgs, write_stacks};
use crate::ctf::encode::{EncodeError, Written};
use crate::export::{Report, TraceConfig, folded, html, pprof, speedscope, write_trace};
use crate::format;
use crate::protocol::{Answer, Question, View};
use crate::query::filter::{Clause, Filter, When};
use crate::query::flame::{Direction, FlameConfig, Spot};
use crate::query::leaks::LeaksConfig;
use crate::query::measure::Measure;
use crate::query::table::{Order, TableConfig};
use crate::query::timeline::TimelineConfig;
use crate::trace::Trace;

/// Writes the trace anew (thinned, cut to a window, without names), or its stacks for other viewers.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace; `-` for standard input.
    file: PathBuf,
    /// The file to write; `-` for standard output.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// What to write; told by the name of OUT where it is not given.
    #[arg(long, value_enum)]
    to: Option<Format>,
    /// Keep one sample in N.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    thin: Option<u32>,
    /// Keep the objects allocated in this window: `1s..2s`, `..500ms`.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| clause("allocated", text))]
    between: Option<Clause>,
    /// Hash the names of functions and files; leave out executable, host, context, pid and start time.
    #[arg(long, visible_alias = "anonymize")]
    anonymise: bool,
    /// What a frame of the stacks is; for pprof `site`, for the others `function` where it is not given.
    #[arg(long, value_enum)]
    by: Option<Grain>,
    /// Write every stack. Without it, those below 0.01 % of the whole are added to their callers.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    filter: FilterArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A memtrace trace (.ctf).
    Ctf,
    /// JSON for speedscope (.json).
    Speedscope,
    /// A profile for pprof (.pb.gz).
    Pprof,
    /// Folded stacks for flame graphs (.folded, .txt).
    Folded,
    /// A report that any browser opens (.html).
    Html,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let format = args.to.unwrap_or_else(|| format_of(&args.output));
    if format == Format::Ctf && args.measure.is_given() {
        return Err(Failure::Usage("--measure has no meaning for a trace, which holds them all".to_owned()));
    }
    if format == Format::Ctf && args.by.is_some() {
        return Err(Failure::Usage("--by has no meaning for a trace, which keeps its stacks as they are".to_owned()));
    }
    if format != Format::Ctf && args.thin.is_some() {
        return Err(Failure::Usage("--thin is for traces: give it with --to ctf".to_owned()));
    }
    if matches!(format, Format::Ctf | Format::Html) && args.all {
        let hint = "--all is for stacks: give it with --to folded, speedscope or pprof";
        return Err(Failure::Usage(hint.to_owned()));
    }
    let mut filter = args.filter.filter()?;
    filter.clauses.extend(args.between.clone());
    let measure = args.measure.measure(&filter)?;
    let mut loaded = load(context, &args.file)?;
    if format == Format::Html {
        return write_report(args, &mut loaded, filter, measure);
    }
    if format == Format::Ctf {
        let written = write_ctf(args, loaded.trace()?, &filter)?;
        if written.n_cut_stacks > 0 {
            context.warn(&format!(
                "{} stacks are longer than the format holds: their innermost frames are missing.",
                format::count(written.n_cut_stacks)
            ));
        }
        return Ok(());
    }
    let grain = args.by.unwrap_or(if format == Format::Pprof { Grain::Site } else { Grain::Function });
    let stacks = StackArgs { filter, measure, grain, all: args.all, is_inverted: false, anonymise: args.anonymise };
    write_stacks(context, &mut loaded, stacks, |profile| {
        write_to(&args.output, |out| match format {
            Format::Speedscope => speedscope(profile, out),
            Format::Pprof => pprof(profile, out),
            Format::Folded | Format::Ctf | Format::Html => folded(profile, out),
        })
    })
}

fn write_report(args: &Args, loaded: &mut Loaded, filter: Filter, measure: Measure) -> Result<(), Failure> {
    if args.anonymise {
        let hint = "a report names functions: anonymise the trace first, with --to ctf, and report on that";
        return Err(Failure::Usage(hint.to_owned()));
    }
    let about = format!("{} of {}", measure_words(measure), filter.words());
    let grain = args.by.unwrap_or(Grain::Function).of_query();
    let view = View { filter, measure, grain, ..View::default() };
    let to_us = loaded.trace()?.end_us;
    let questions = [
        Question::Summary,
        Question::Findings,
        Question::Timeline(TimelineConfig { from_us: 0, to_us, n_steps: 500, by: None, top: 0 }),
        Question::Flame(FlameConfig {
            direction: Direction::TopDown,
            root: Spot::Top,
            x: 0.0..1.0,
            width_px: 1000.0,
            depths: 0..200,
        }),
        Question::Table(TableConfig { order: Order::usual(grain), search: String::new(), rows: 0..100 }),
        Question::Leaks(LeaksConfig::default()),
    ];
    let answers: Vec<Answer> =
        questions.into_iter().map(|question| loaded.ask(view.clone(), question)).collect::<Result<_, _>>()?;
    let answers: [Answer; 6] = answers.try_into().map_err(|_| loaded.lost())?;
    let [
        Answer::Summary(summary),
        Answer::Findings(findings),
        Answer::Timeline(timeline),
        Answer::Flame(flame),
        Answer::Table(table),
        Answer::Leaks(leaks),
    ] = answers
    else {
        return Err(loaded.lost());
    };
    let report = Report { summary: *summary, findings, about, timeline, flame, table, leaks };
    write_to(&args.output, |out| out.write_all(html(&report).as_bytes()))
}

fn measure_words(measure: Measure) -> &'static str {
    match measure {
        Measure::Allocated => "bytes allocated",
        Measure::Blocks => "blocks allocated",
        Measure::Live(When::Peak) => "bytes live at the peak",
        Measure::Live(When::End) => "bytes live at the end",
        Measure::Live(When::At(_)) => "bytes live at a moment",
        Measure::Promoted => "bytes promoted",
        Measure::ByteSeconds => "byte-seconds",
        Measure::Samples => "samples",
    }
}

fn write_ctf(args: &Args, trace: &Trace, filter: &Filter) -> Result<Written, Failure> {
    let selection = select(trace, filter)?;
    let config = TraceConfig { thin: args.thin.unwrap_or(1), anonymise: args.anonymise };
    let mut written = None;
    write_to(&args.output, |out| {
        written = Some(write_trace(trace, &selection, config, out).map_err(|error| match error {
            EncodeError::Io(error) => error,
            other => io::Error::other(other),
        })?);
        Ok(())
    })?;
    written.ok_or_else(|| Failure::from(io::Error::other("nothing was written")))
}

fn format_of(output: &Path) -> Format {
    let name = output.to_string_lossy().to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&[".json"]) {
        Format::Speedscope
    } else if ends(&[".pb.gz", ".pprof", ".pb"]) {
        Format::Pprof
    } else if ends(&[".html", ".htm"]) {
        Format::Html
    } else if ends(&[".folded", ".txt"]) {
        Format::Folded
    } else {
        Format::Ctf
    }
}
