//! `camlscope annotate`: source code with figures per line.

mod choice;
mod listing;
mod reply;

use std::path::PathBuf;

use serde_json::json;

use self::choice::{Chosen, choose};
use super::arg_values::at_least_one;
use super::context::{Context, Failure};
use super::empty;
use super::help;
use super::json::Measured;
use super::measure::{CountedArgs, narrowed};
use super::sources::{check_folders, files_of, recorded_at, user_error};
use super::text::clean;
use crate::source::figures::About;
use crate::source::words::{self, why_missing};
use crate::source::{self, Source, SourcePath, shown};
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::lines::{FileLines, LinesConfig, SourceFile, SourceLine};

/// Print source code with figures per line.
///
/// `self` is what a line allocates itself, `total` includes everything it calls. An object counts once per line, however often the
/// line is in its stack. ± is a 95% interval of the total.
///
/// Only hot lines are printed, which have at least 1% of the total, with some context. Library code isn't attributed to its
/// callers. For that, use `--hide ^Stdlib`: it adds what library functions allocate to the lines that call them.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::ANNOTATE)]
pub struct Args {
    /// The trace or profile; `-` for standard input.
    trace: PathBuf,
    /// Source files, or ends of their paths in the trace [default: the files with the largest totals].
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder with the source code. Can be repeated.
    #[arg(long, value_name = "DIR", default_value = ".")]
    source: Vec<PathBuf>,
    /// Print whole files.
    #[arg(long, conflicts_with = "context")]
    all: bool,
    /// Lines of context before and after a hot line.
    #[arg(long, value_name = "N", default_value = "3")]
    context: usize,
    /// Maximum number of files, unless FILE is given.
    #[arg(long, value_name = "N", default_value = "5", value_parser = at_least_one)]
    top: usize,
    #[command(flatten)]
    counted: CountedArgs,
}

/// A file of the trace with its lines, and its source if there is one.
struct Annotated {
    file: SourceFile,
    path: Option<PathBuf>,
    source: Option<Source>,
    lines: FileLines,
    /// Whether the source was changed after the trace was recorded.
    is_newer: bool,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    check_folders(&args.source)?;
    let (mut loaded, filter, measure) = args.counted.open(context, &args.trace)?;
    let view = View { filter, measure, ..View::default() };
    let files = files_of(&mut loaded, &view)?;
    let about = About { measure, all: files.all, is_profile: loaded.trace().is_none() };
    let mut chosen = Vec::new();
    if !files.files.is_empty() {
        chosen = choose(args, context, files.files)?;
    } else if measure.is_growth() {
        empty::explain_growth(context, &mut loaded, &view)?;
    } else {
        empty::explain(context, &loaded, &narrowed(&view.filter, measure))?;
    }
    let recorded_at = recorded_at(&loaded, &args.trace);
    let mut annotated = Vec::new();
    for Chosen { file, place } in chosen {
        let question = Question::Lines(LinesConfig { file: file.file.clone() });
        let Answer::Lines(lines) = loaded.ask(view.clone(), question)? else {
            return Err(loaded.lost());
        };
        let (path, source) = read(&file, place, context)?;
        let modified = source.as_ref().and_then(|source| source.modified);
        let is_newer = modified.zip(recorded_at).is_some_and(|(modified, recorded)| modified > recorded);
        let annotated_file = Annotated { file, path, source, lines, is_newer };
        warn_changed(context, &annotated_file);
        annotated.push(annotated_file);
    }
    if context.json {
        let files: Vec<_> = annotated.iter().map(|file| reply::file(file, about)).collect();
        let reply = json!({ "all": about.all, "files": files });
        return context.print_json(&Measured::new(measure, &reply).at(loaded.snapshots));
    }
    let listings: Vec<String> =
        annotated.iter().map(|file| listing::listing(file, about, args, context.width)).collect();
    context.print(&listings.join("\n"))
}

/// Reads a source file. Without one, there are still figures.
fn read(file: &SourceFile, place: SourcePath, context: &Context) -> Result<(Option<PathBuf>, Option<Source>), Failure> {
    if let Some(why) = why_missing(&file.file, &place) {
        context.warn(&why);
    }
    let SourcePath::At(path) = place else { return Ok((None, None)) };
    match source::read(&path) {
        Ok(source) => Ok((Some(path), Some(source))),
        Err(error) => {
            let error = user_error("unreadable", &format!("Can't read the source file: {error}."), "");
            Err(Failure::input(&path, error))
        }
    }
}

/// Says that the source isn't what was compiled, which would put figures on the wrong lines.
fn warn_changed(context: &Context, annotated: &Annotated) {
    let Some(path) = annotated.path.as_deref().map(shown) else { return };
    if annotated.is_newer {
        context.warn(&words::newer(&path));
    }
    let n_beyond = annotated.lines.lines.iter().filter(|line| annotated.is_beyond(line)).count();
    if n_beyond > 0 {
        context.warn(&words::beyond(&path, n_beyond, annotated.n_lines().unwrap_or(0) as usize));
    }
}

impl Annotated {
    /// `None` without a source.
    fn n_lines(&self) -> Option<u32> {
        self.source.as_ref().map(|source| source.lines.len() as u32)
    }

    /// Returns whether the line doesn't exist in the source.
    fn is_beyond(&self, line: &SourceLine) -> bool {
        self.n_lines().is_some_and(|n_lines| line.line == 0 || line.line > n_lines)
    }

    fn text(&self, line: u32) -> Option<&str> {
        let at = (line as usize).checked_sub(1)?;
        self.source.as_ref()?.lines.get(at).map(String::as_str)
    }

    /// The path of the source, or else the path in the trace.
    fn shown_path(&self) -> String {
        let path = self.path.as_deref().map_or_else(|| self.file.file.clone(), shown);
        clean(&path).into_owned()
    }
}
