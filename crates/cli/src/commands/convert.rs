//! `camlscope convert`: writes a trace, or a view of it, as a file for other tools.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::ValueEnum;
use rustc_hash::FxHashMap;

use super::anonymize::AnonymizeArgs;
use super::arg_values::grain;
use super::batch::{each_file, files_in, report_failures, same_runs};
use super::context::{Context, Failure, write_to};
use super::empty;
use super::filter::{ClauseArg, select};
use super::help;
use super::input::{Loaded, is_same_file};
use super::measure::{CountedArgs, narrowed};
use super::report::{NAMES_FUNCTIONS, write_static};
use super::stacks::{StackArgs, read_stacks, write_stacks};
use super::written::WrittenFile;
use crate::tables::{self, Dataset, run_id};
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::filter::Filter;
use camlscope_engine::query::profile::ObjectData;
use camlscope_engine::query::tree::Grain;
use camlscope_formats::ctf::encode::{EncodeError, Written};
use camlscope_present::export::{
    Anonymizer, PprofPlan, PprofWriter, TraceConfig, WeightedStacks, firefox, folded, speedscope, write_trace,
};
use camlscope_present::format;
use camlscope_present::words::errors::UserError;

/// Write a file for another tool, or a smaller or anonymized trace.
///
/// With --json, prints what was written: one JSON object per file (JSON Lines).
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::CONVERT)]
pub struct Args {
    /// The trace or profile; `-` for standard input. Several files and folders can be converted to Parquet tables.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file to write; `-` for standard output. For Parquet tables, a folder.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// The format to write [default: by the extension of OUT; a trace for standard output].
    #[arg(long, value_enum)]
    to: Option<Format>,
    /// Overwrite the input file.
    #[arg(long)]
    force: bool,
    /// Keep 1 in N samples.
    #[arg(long, alias = "thin", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    downsample: Option<u32>,
    /// Keep only objects allocated in this time range: `1s..2s`, `..500ms`, `peak..end`.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| ClauseArg::read("allocated", text))]
    between: Option<ClauseArg>,
    #[command(flatten)]
    anonymize: AnonymizeArgs,
    /// Group frames of stacks by this [default: site for pprof, function for the others].
    #[arg(long, value_parser = grain())]
    by: Option<Grain>,
    /// Subtract the stacks of this trace or profile, like `pprof -base`: values are negative where it has more. Only with --to pprof.
    #[arg(long, value_name = "FILE")]
    base: Option<PathBuf>,
    /// Write every stack. By default, stacks below 0.01% of the total are merged into their callers.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    counted: CountedArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A memtrace trace (.ctf).
    Ctf,
    /// JSON for speedscope (.json).
    Speedscope,
    /// A profile for pprof (.pb.gz), with bytes and objects allocated and in use.
    Pprof,
    /// JSON for the Firefox Profiler.
    Firefox,
    /// Folded stacks for flame graphs (.folded, .txt).
    Folded,
    /// A static report (.html); `camlscope report` writes one with the trace inside.
    Html,
    /// A folder of Parquet tables for DuckDB, Polars, Spark and others. A trace replaces its own rows from earlier runs.
    Parquet,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let format = match args.to {
        Some(format) => format,
        None => format_of(&args.output)?,
    };
    if format == Format::Parquet {
        return write_tables(args, context);
    }
    let [file] = args.files.as_slice() else {
        return Err(Failure::Usage("Only --to parquet accepts several files.".to_owned()));
    };
    if !args.force && is_same_file(file, &args.output) {
        let path = args.output.display();
        return Err(Failure::Usage(format!("{path} is the input file. Use another name, or --force to overwrite it.")));
    }
    context.check_output(&args.output)?;
    let (is_trace, is_html) = (format == Format::Ctf, format == Format::Html);
    let refusals = [
        (
            is_trace && args.counted.measure.is_given(),
            "--measure doesn't work with --to ctf: a trace has all measures.",
        ),
        (is_trace && args.by.is_some(), "--by doesn't work with --to ctf: a trace keeps its stacks unchanged."),
        (!is_trace && args.downsample.is_some(), "--downsample only works with --to ctf."),
        ((is_trace || is_html) && args.all, "--all only works with --to folded, speedscope, firefox or pprof."),
        (format != Format::Pprof && args.base.is_some(), "--base only works with --to pprof."),
    ];
    if let Some((_, hint)) = refusals.into_iter().find(|(is_refused, _)| *is_refused) {
        return Err(Failure::Usage(hint.to_owned()));
    }
    let (mut loaded, filter, measure) = args.counted.open_between(context, file, args.between.as_ref())?;
    let written = || WrittenFile::new(file, &args.output, format.as_str());
    if is_html {
        if args.anonymize.anonymize {
            return Err(Failure::Usage(NAMES_FUNCTIONS.to_owned()));
        }
        write_static(&args.output, &mut loaded, filter, measure, args.by.unwrap_or(Grain::Function))?;
        return context.print_written(|| written().with_measure(measure));
    }
    if is_trace {
        let Written { n_cut_stacks, n_objects, .. } = write_ctf(args, context, &loaded, &filter)?;
        if n_cut_stacks > 0 {
            context.warn(&format!(
                "{} stacks are too deep for the format, so their innermost frames are missing.",
                format::count(n_cut_stacks)
            ));
        }
        return context.print_written(|| WrittenFile { objects: Some(n_objects), ..written() });
    }
    let grain = args.by.unwrap_or(if format == Format::Pprof { Grain::Site } else { Grain::Function });
    let stacks =
        StackArgs { filter, measure, grain, all: args.all, is_inverted: false, anonymize: args.anonymize.kept() };
    let done = match format {
        Format::Pprof => write_pprof(args, context, loaded, stacks)?,
        _ => write_stacks(context, &mut loaded, &stacks, |profile| {
            write_to(&args.output, |out| {
                match format {
                    Format::Speedscope => speedscope(profile, out),
                    Format::Firefox => firefox(profile, out),
                    _ => folded(profile, out),
                }?;
                Ok(WrittenStacks { total: profile.total(), merged_stacks: profile.merged().n_stacks })
            })
        })?,
    };
    context.print_written(|| written().with_measure(measure).with_stacks(done.total, done.merged_stacks))
}

impl Format {
    fn as_str(self) -> &'static str {
        match self {
            Format::Ctf => "ctf",
            Format::Speedscope => "speedscope",
            Format::Pprof => "pprof",
            Format::Firefox => "firefox",
            Format::Folded => "folded",
            Format::Html => "html",
            Format::Parquet => "parquet",
        }
    }
}

/// The sum of the written stacks, in the unit of the measure, and how many were merged.
#[derive(Clone, Copy, Debug, Default)]
struct WrittenStacks {
    total: f64,
    merged_stacks: u64,
}

/// Writes tables of all files, including those in folders.
fn write_tables(args: &Args, context: &Context) -> Result<(), Failure> {
    let is_changed = args.downsample.is_some()
        || args.between.is_some()
        || args.anonymize.anonymize
        || args.by.is_some()
        || args.base.is_some()
        || args.all;
    if is_changed || args.counted.measure.is_given() || !args.counted.filter.check()?.clauses.is_empty() {
        let hint = "--to parquet writes complete traces. Remove the other options, and filter the tables instead.";
        return Err(Failure::Usage(hint.to_owned()));
    }
    let (files, mut failures) = files_in(&args.files)?;
    let n_files = files.len() + failures.len();
    let others = same_runs(&files);
    // Only the user knows which of them is the right one.
    let same_run = |(path, others): (&PathBuf, &Vec<&Path>)| {
        let others: Vec<String> = others.iter().map(|path| path.display().to_string()).collect();
        (!others.is_empty()).then(|| Failure::input(path, UserError::same_run(&others.join(" and "))))
    };
    failures.extend(files.iter().zip(&others).filter_map(same_run));
    let is_alone: Vec<bool> = others.iter().map(Vec::is_empty).collect();
    let files: Vec<PathBuf> = files.into_iter().zip(is_alone).filter(|(_, alone)| *alone).map(|file| file.0).collect();
    if files.is_empty() {
        return report_failures(context, failures, n_files);
    }
    let unwritten = |error: io::Error| Failure::Output { path: Some(args.output.clone()), error };
    let waits = || context.note(&format!("Waiting for another process to finish writing {}.", args.output.display()));
    let dataset = Dataset::open(&args.output, waits).map_err(unwritten)?;
    let taken = Mutex::new(FxHashMap::default());
    let done = each_file(context, &files, |loaded, path| {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let id = run_id(&loaded.file, &name);
        // The heads of compressed files may not have identified the run.
        let other = taken.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), path.to_owned());
        if let Some(other) = other {
            return Err(Failure::input(path, UserError::same_run(&other.display().to_string())));
        }
        let Answer::Growth(growth) = loaded.ask(View::default(), Question::Growth)? else {
            return Err(loaded.lost());
        };
        let shown = path.display().to_string();
        let source = tables::TraceOrigin { id: &id, file: &shown, summary: &loaded.file };
        let written = match (loaded.trace(), loaded.profile()) {
            (Some(trace), _) => tables::write_trace(&dataset, source, trace, &growth.heap),
            (None, Some(profile)) => tables::write_profile(&dataset, source, profile, &growth.heap),
            (None, None) => return Err(loaded.lost()),
        };
        written.map_err(|error| unwritten(error.into()))?;
        Ok(WrittenFile { trace: Some(id), ..WrittenFile::new(path, &args.output, Format::Parquet.as_str()) })
    })?;
    for done in done {
        match done {
            Ok(written) => context.print_written(|| written)?,
            Err(failure) => failures.push(failure),
        }
    }
    report_failures(context, failures, n_files)
}

/// Writes a pprof file with what was allocated and what is in use. With `--base`, the stacks of another trace are
/// subtracted.
fn write_pprof(
    args: &Args,
    context: &Context,
    mut loaded: Loaded,
    stacks: StackArgs,
) -> Result<WrittenStacks, Failure> {
    let view = View { filter: stacks.filter.clone(), measure: stacks.measure, grain: stacks.grain, ..View::default() };
    let plan = PprofPlan::new(&view, &loaded.file);
    let plan = if args.anonymize.anonymize { plan.anonymized() } else { plan };
    let mut anonymizer = args.anonymize.kept().map(Anonymizer::new);
    let mut done = WrittenStacks::default();
    write_to(&args.output, |out| {
        let mut writer = PprofWriter::new(out, &plan)?;
        let mut add = |loaded: &mut Loaded, plan: &PprofPlan, sign: f64| -> Result<f64, Failure> {
            let mut total = 0.0;
            for part in &plan.parts {
                let View { filter, measure, .. } = part.view.clone();
                read_stacks(loaded, &StackArgs { filter, measure, ..stacks.clone() }, |source| {
                    let mut profile = WeightedStacks::new(source, measure);
                    if let Some(anonymizer) = &mut anonymizer {
                        profile = profile.anonymized(anonymizer);
                    }
                    writer.add(&profile, part.of, sign)?;
                    if let Some(merged) = profile.merged_words() {
                        context.note(&format!("{}: {merged}. Use --all to write every stack.", part.of.kind));
                    }
                    if part.of == plan.default {
                        total = profile.total();
                        done.merged_stacks += profile.merged().n_stacks;
                    }
                    Ok(())
                })?;
            }
            Ok(total)
        };
        let total = add(&mut loaded, &plan, 1.0)?;
        let filter = narrowed(&stacks.filter, stacks.measure);
        if total == 0.0 {
            empty::explain(context, &loaded, &filter)?;
        }
        // Only one of the two traces is in memory at a time.
        loaded.close();
        let base_total = match &args.base {
            None => 0.0,
            Some(base) => {
                let (mut base, filter, measure) = args.counted.open_between(context, base, args.between.as_ref())?;
                let plan = PprofPlan::new(&View { filter, measure, ..view.clone() }, &base.file);
                let total = add(&mut base, &plan, -1.0)?;
                base.close();
                total
            }
        };
        writer.finish()?;
        done.total = total - base_total;
        Ok(done)
    })
}

fn write_ctf(args: &Args, context: &Context, loaded: &Loaded, filter: &Filter) -> Result<Written, Failure> {
    let trace = loaded.needed_trace(ObjectData::Objects)?;
    let selection = select(trace, filter)?;
    if selection.is_empty() {
        empty::explain(context, loaded, filter)?;
    }
    let config = TraceConfig { one_in: args.downsample.unwrap_or(1), anonymize: args.anonymize.kept() };
    write_to(&args.output, |out| {
        Ok(write_trace(trace, &selection, config, out).map_err(|error| match error {
            EncodeError::Io(error) => error,
            other => io::Error::other(other),
        })?)
    })
}

/// Returns the format for a file extension.
fn format_of(output: &Path) -> Result<Format, Failure> {
    let name = output.to_string_lossy().to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if name == "-" || ends(&[".ctf"]) {
        Ok(Format::Ctf)
    } else if ends(&[".json"]) {
        Ok(Format::Speedscope)
    } else if ends(&[".pb.gz", ".pprof", ".pb"]) {
        Ok(Format::Pprof)
    } else if ends(&[".html", ".htm"]) {
        Ok(Format::Html)
    } else if ends(&[".folded", ".txt"]) {
        Ok(Format::Folded)
    } else {
        let path = output.display();
        Err(Failure::Usage(format!(
            "The extension of {path} isn't a known format. Use --to ctf, speedscope, pprof, firefox, folded or html."
        )))
    }
}
