//! `camlscope convert`: the trace, or what it shows, as a file for other programs.

use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::context::{Context, Failure, write_to};
use super::empty;
use super::filter::{Asked, FilterArgs, select};
use super::input::{Loaded, open};
use super::measure::{MeasureArgs, measure_word, narrowed};
use super::stacks::{Grain, StackArgs, read_stacks, write_stacks};
use super::table::order;
use crate::ctf::encode::{EncodeError, Written};
use crate::export::{
    Anonymiser, Keep, PprofWriter, Profile, Recording, Report, TraceConfig, folded, html, speedscope, write_trace,
};
use crate::format;
use crate::profile::WORD_BYTES;
use crate::protocol::{Answer, View};
use crate::query::filter::{Filter, When};
use crate::query::measure::{Measure, Unit};
use crate::trace::Trace;

/// Writes the trace anew (thinned, cut to a window, without names), or its stacks for other viewers.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace or profile; `-` for standard input.
    file: PathBuf,
    /// The file to write; `-` for standard output.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// What to write. Where it is not given, OUT's ending says it; standard output gets a trace.
    #[arg(long, value_enum)]
    to: Option<Format>,
    /// Write over the trace itself.
    #[arg(long)]
    force: bool,
    /// Keep one sample in N.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    thin: Option<u32>,
    /// Keep the objects allocated in this window: `1s..2s`, `..500ms`, `peak..end`.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| Asked::read("allocated", text))]
    between: Option<Asked>,
    /// Write a file that tells nobody whose program it is: names of modules, functions and files become numbers.
    ///
    /// Numbers are given out anew for each file, so there is nothing to look up. Kept are times, sizes, lifetimes, heaps,
    /// domains, the sampling rate, and which frame calls which. Left out are executable, host, pid and start time; and,
    /// unless --keep asks for them, places in files, the parameters of OCaml's runtime and the context.
    #[arg(long, visible_alias = "anonymize")]
    anonymise: bool,
    /// What to keep of what --anonymise leaves out.
    #[arg(long, value_enum, value_name = "WHAT,…", value_delimiter = ',', requires = "anonymise")]
    keep: Vec<Kept>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kept {
    /// Lines and columns of call sites.
    Places,
    /// The parameters of OCaml's runtime.
    Parameters,
    /// What the program said about itself.
    Context,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let format = match args.to {
        Some(format) => format,
        None => format_of(&args.output)?,
    };
    if !args.force && is_same_file(&args.file, &args.output) {
        let path = args.output.display();
        return Err(Failure::Usage(format!(
            "{path} is the trace itself: give another name, or --force to write over it"
        )));
    }
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
    let measure = args.measure.measure(&args.filter.check()?)?;
    let (mut loaded, mut filter) = open(context, &args.file, &args.filter, measure)?;
    if let Some(between) = &args.between {
        filter.clauses.push(between.of_file(&loaded.file)?);
    }
    if format == Format::Html {
        return write_report(args, &mut loaded, filter, measure);
    }
    if format == Format::Ctf {
        let written = write_ctf(args, context, &loaded, &filter)?;
        if written.n_cut_stacks > 0 {
            context.warn(&format!(
                "{} stacks are longer than the format holds: their innermost frames are missing.",
                format::count(written.n_cut_stacks)
            ));
        }
        return Ok(());
    }
    let grain = args.by.unwrap_or(if format == Format::Pprof { Grain::Site } else { Grain::Function });
    let stacks = StackArgs { filter, measure, grain, all: args.all, is_inverted: false, anonymise: args.kept() };
    if format == Format::Pprof {
        return write_pprof(args, context, &mut loaded, stacks);
    }
    write_stacks(context, &mut loaded, &stacks, |profile| {
        write_to(&args.output, |out| {
            Ok(match format {
                Format::Speedscope => speedscope(profile, out),
                _ => folded(profile, out),
            }?)
        })
    })
}

impl Args {
    /// What an anonymised file keeps; `None` if names stay.
    fn kept(&self) -> Option<Keep> {
        let is_kept = |what: Kept| self.keep.contains(&what);
        self.anonymise.then(|| Keep {
            places: is_kept(Kept::Places),
            parameters: is_kept(Kept::Parameters),
            context: is_kept(Kept::Context),
        })
    }
}

/// Each measure that is read, with the units that it fills and their factors.
type PprofParts = Vec<(Measure, Vec<(Unit, f64)>)>;

fn pprof_parts(measure: Measure, bytes_a_sample: f64) -> PprofParts {
    let mut parts = vec![
        (Measure::Samples, vec![(Unit::Samples, 1.0), (Unit::Bytes, bytes_a_sample)]),
        (Measure::Blocks, vec![(Unit::Blocks, 1.0)]),
    ];
    if measure == Measure::ByteSeconds {
        parts.push((Measure::ByteSeconds, vec![(Unit::ByteSeconds, 1.0)]));
    }
    parts
}

/// A profile has no samples; what was allocated is counted in words alone.
fn pprof_parts_of_profile(measure: Measure, has_call_counts: bool) -> PprofParts {
    let in_bytes = match measure {
        Measure::Blocks | Measure::Calls => Measure::Live(When::End),
        measure => measure,
    };
    let mut parts = vec![(in_bytes, vec![(Unit::Bytes, 1.0)])];
    if in_bytes.is_stock() {
        parts.push((Measure::Blocks, vec![(Unit::Blocks, 1.0)]));
    }
    if has_call_counts {
        parts.push((Measure::Calls, vec![(Unit::Calls, 1.0)]));
    }
    parts
}

/// A pprof file has samples, bytes and blocks of the objects that count for the measure; and byte-seconds if they are the
/// measure. The measure's own unit is what programs show first.
fn write_pprof(args: &Args, context: &Context, loaded: &mut Loaded, stacks: StackArgs) -> Result<(), Failure> {
    let StackArgs { measure, .. } = stacks;
    let file = &loaded.file;
    let recording = Recording {
        bytes_a_sample: loaded.trace().map_or(WORD_BYTES, Trace::bytes_a_sample),
        duration_us: file.end_us,
        start_us: if args.anonymise { 0 } else { file.info.start_time_us },
    };
    let parts = match &loaded.file.profile {
        None => pprof_parts(measure, recording.bytes_a_sample),
        Some(profile) => pprof_parts_of_profile(measure, profile.has_call_counts),
    };
    let units: Vec<Unit> = parts.iter().flat_map(|(_, scales)| scales.iter().map(|(unit, _)| *unit)).collect();
    let filter = narrowed(&stacks.filter, measure);
    let mut anonymiser = args.kept().map(Anonymiser::new);
    let mut total = 0.0;
    write_to(&args.output, |out| {
        let mut writer = PprofWriter::new(out, &units, measure.unit())?;
        writer.comment(&measure_word(measure));
        writer.recording(&recording)?;
        for (measure, scales) in &parts {
            let stacks = StackArgs { filter: filter.clone(), measure: *measure, ..stacks.clone() };
            read_stacks(loaded, &stacks, |source| {
                let mut profile = Profile::new(source, *measure);
                if let Some(anonymiser) = &mut anonymiser {
                    profile = profile.anonymised(anonymiser);
                }
                writer.add(&profile, scales)?;
                if let Some(merged) = profile.merged_words() {
                    context.note(&format!("{}: {merged}; --all writes every stack.", measure.name()));
                }
                total += profile.total();
                Ok(())
            })?;
        }
        Ok(writer.finish()?)
    })?;
    if total == 0.0 {
        empty::explain(context, loaded, &filter)?;
    }
    Ok(())
}

fn write_report(args: &Args, loaded: &mut Loaded, filter: Filter, measure: Measure) -> Result<(), Failure> {
    if args.anonymise {
        let hint = "a report names functions: anonymise the trace first, with --to ctf, and report on that";
        return Err(Failure::Usage(hint.to_owned()));
    }
    let grain = args.by.unwrap_or(Grain::Function);
    let view = View { filter, measure, grain: grain.of_query(), ..View::default() };
    let questions = Report::questions(loaded.file.end_us, order(grain, measure));
    let answers: Vec<Answer> =
        questions.into_iter().map(|question| loaded.ask(view.clone(), question)).collect::<Result<_, _>>()?;
    let report = Report::new(&view, answers).ok_or_else(|| loaded.lost())?;
    write_to(&args.output, |out| Ok(out.write_all(html(&report).as_bytes())?))
}

fn write_ctf(args: &Args, context: &Context, loaded: &Loaded, filter: &Filter) -> Result<Written, Failure> {
    let trace = loaded.needed_trace("objects to write")?;
    let selection = select(trace, filter)?;
    if selection.is_empty() {
        empty::explain(context, loaded, filter)?;
    }
    let config = TraceConfig { thin: args.thin.unwrap_or(1), anonymise: args.kept() };
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

/// What a file's ending says about it.
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
            "the ending of {path} does not say what to write: give --to ctf, speedscope, pprof, folded or html"
        )))
    }
}

/// Whether both are names of one file that exists.
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
