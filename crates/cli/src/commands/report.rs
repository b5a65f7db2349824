//! `camlscope report`: the entire page as one file with the trace inside, or a small static report.
//!
//! [`page_file`] finds the page.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use super::anonymize::AnonymizeArgs;
use super::arg_values::grain;
use super::context::{Context, Failure, write_to};
use super::empty;
use super::filter::{ClauseArg, select};
use super::help;
use super::input::{Loaded, is_same_file};
use super::measure::CountedArgs;
use super::page_file;
use super::table::order;
use super::written::WrittenFile;
use crate::UNITS;
use camlscope_engine::protocol::{Answer, View};
use camlscope_engine::query::filter::Filter;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::tree::Grain;
use camlscope_engine::trace::{Trace, Whole};
use camlscope_present::export::{
    EmbedConfig, Notes, ROOM_FOR_TOTALS, Report, ReportHeader, around_trace, embed_file, embed_trace, html,
};
use camlscope_present::format;
use camlscope_present::words::errors::UserError;
use camlscope_view::{Tab, ViewState};

/// Write an HTML report: the whole page as one file, with the trace inside.
///
/// With --json, prints what was written.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::REPORT)]
pub struct Args {
    /// The trace or profile; `-` for standard input.
    file: PathBuf,
    /// The file to write; `-` for standard output.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Size limit of the report. A trace that doesn't fit is downsampled, and the report says so.
    #[arg(long, value_name = "SIZE", default_value = "20M", value_parser = format::parse_bytes)]
    max: u64,
    /// The title of the report.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    title: String,
    /// Notes to show below the title.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    notes: String,
    /// The view to open: a link copied from the page, or the part of it that starts with #.
    #[arg(long, value_name = "LINK", default_value = "", hide_default_value = true, conflicts_with = "is_static")]
    view: String,
    /// The `camlscope.html` to use [default: the one built into this program, or next to it].
    #[arg(long, value_name = "FILE", conflicts_with = "is_static")]
    page: Option<PathBuf>,
    /// Write a small report of text and pictures, without the trace and without scripts.
    #[arg(long = "static")]
    is_static: bool,
    /// Include only objects allocated in this time range: `1s..2s`, `..500ms`, `peak..end`.
    #[arg(long, value_name = "A..B", value_parser = |text: &str| ClauseArg::read("allocated", text))]
    between: Option<ClauseArg>,
    /// Group the rows of the static report's table by this [default: function].
    #[arg(long, value_parser = grain(), requires = "is_static")]
    by: Option<Grain>,
    #[command(flatten)]
    anonymize: AnonymizeArgs,
    #[command(flatten)]
    counted: CountedArgs,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    if is_same_file(&args.file, &args.output) {
        return Err(Failure::Usage(format!("{} is the input file. Use another name.", args.output.display())));
    }
    if args.is_static && args.anonymize.anonymize {
        return Err(Failure::Usage(NAMES_FUNCTIONS.to_owned()));
    }
    if !args.is_static && args.counted.measure.is_given() {
        let hint = "--measure only works with --static. In an interactive report, use --view to set the first measure.";
        return Err(Failure::Usage(hint.to_owned()));
    }
    args.check_view()?;
    context.check_output(&args.output)?;
    let written = || WrittenFile::new(&args.file, &args.output, "html");
    let page = if args.is_static { Cow::default() } else { page_file::find(args.page.as_deref(), NEEDS_PAGE)? };
    let (mut loaded, filter, measure) = args.counted.open_between(context, &args.file, args.between.as_ref())?;
    if args.is_static {
        write_static(&args.output, &mut loaded, filter, measure, args.by.unwrap_or(Grain::Function))?;
        return context.print_written(|| written().with_measure(measure));
    }
    write_report(args, context, &loaded, &filter, &page)?;
    context.print_written(written)
}

const NEEDS_PAGE: &str = "--static doesn't need it.";

pub const NAMES_FUNCTIONS: &str =
    "A static report shows function names. Anonymize the trace first with convert --to ctf --anonymize.";

/// Writes the report without the trace.
pub fn write_static(
    output: &Path,
    loaded: &mut Loaded,
    filter: Filter,
    measure: Measure,
    grain: Grain,
) -> Result<(), Failure> {
    let view = View { filter, measure, grain, ..View::default() };
    let questions = Report::questions(loaded.file.end_us, order(grain, measure));
    let answers: Vec<Answer> =
        questions.into_iter().map(|question| loaded.ask(view.clone(), question)).collect::<Result<_, _>>()?;
    let report = Report::new(&view, answers, UNITS).ok_or_else(|| loaded.lost())?;
    write_to(output, |out| Ok(out.write_all(html(&report).as_bytes())?))
}

fn write_report(args: &Args, context: &Context, loaded: &Loaded, filter: &Filter, page: &str) -> Result<(), Failure> {
    let mut header = args.header(filter);
    let no_page = || Failure::Usage("camlscope.html is damaged: it has no </body>.".to_owned());
    let (before, behind) = around_trace(page, &header).ok_or_else(no_page)?;
    let page_bytes = (before.len() + behind.len()) as u64 + ROOM_FOR_TOTALS;
    let Some(room) = args.max.checked_sub(page_bytes).filter(|room| *room > 0) else {
        let least = UNITS.bytes(page_bytes as f64);
        return Err(Failure::Usage(format!("--max is too small: the page alone takes {least}. Use a larger --max.")));
    };
    let copy = match loaded.trace() {
        Some(trace) => {
            let (copy, whole) = embed(args, context, loaded, trace, filter, room)?;
            header.whole = Some(whole);
            copy
        }
        None => profile_file(args, filter, room)?,
    };
    let (before, behind) = around_trace(page, &header).ok_or_else(no_page)?;
    write_to(&args.output, |out| {
        Ok([before.as_bytes(), &copy, behind.as_bytes()].iter().try_for_each(|part| out.write_all(part))?)
    })
}

impl Args {
    /// The part of a link that describes the view. Empty for the usual view.
    fn view(&self) -> &str {
        match self.view.split_once('#') {
            Some((_, view)) => view,
            None if self.view.contains("://") => "",
            None => &self.view,
        }
    }

    /// Rejects a view in which the page would find nothing it knows. Links of later versions may have more fields.
    fn check_view(&self) -> Result<(), Failure> {
        let view = self.view();
        let is_tab = |tab: &Tab| view.strip_prefix("tab=") == Some(tab.as_str());
        if view.is_empty() || Tab::ALL.iter().any(is_tab) || ViewState::from_hash(view) != ViewState::default() {
            return Ok(());
        }
        let hint = "isn't a link to a view. Copy one on the page, with Share and Copy link.";
        Err(Failure::Usage(format!("--view {} {hint}", self.view)))
    }

    fn header(&self, filter: &Filter) -> ReportHeader {
        let is_anonymized = self.anonymize.anonymize;
        let name = self.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        // A view contains the selected names and the name of the trace.
        let kept = |text: &str| if is_anonymized { String::new() } else { text.to_owned() };
        ReportHeader {
            name: kept(&name),
            view: kept(self.view()),
            notes: Notes { title: self.title.clone(), remarks: self.notes.clone() },
            filter: kept(&filter.to_string()),
            is_cut: !filter.clauses.is_empty(),
            is_anonymized,
            whole: None,
        }
    }
}

/// Returns a copy of the trace that fits, and the totals of the original.
fn embed(
    args: &Args,
    context: &Context,
    loaded: &Loaded,
    trace: &Trace,
    filter: &Filter,
    room: u64,
) -> Result<(Vec<u8>, Whole), Failure> {
    let selection = select(trace, filter)?;
    if selection.is_empty() {
        empty::explain(context, loaded, filter)?;
    }
    let config = EmbedConfig { max_bytes: room, anonymize: args.anonymize.kept() };
    let embedded = embed_trace(trace, &selection, config)
        .map_err(|error| Failure::input(&args.file, UserError::not_embedded(&error.to_string())))?;
    if embedded.whole.downsampled > trace.downsampled {
        context.note(&format!(
            "The report is downsampled (1 in {} samples) to fit in --max. Allocation totals stay exact, but other \
             figures have wider margins of error.",
            format::count((embedded.whole.downsampled / trace.downsampled.max(1)).into())
        ));
    }
    Ok((embedded.base64, embedded.whole))
}

/// Returns the profile unchanged. It has no samples to drop, and there is no encoder for it.
fn profile_file(args: &Args, filter: &Filter, room: u64) -> Result<Vec<u8>, Failure> {
    if !filter.clauses.is_empty() || args.anonymize.anonymize {
        let hint = "Reports on a Spacetime profile don't support filters or --anonymize.";
        return Err(Failure::Usage(hint.to_owned()));
    }
    if args.file.as_os_str() == "-" {
        return Err(Failure::Usage("Can't report on a Spacetime profile from standard input. Use a file.".to_owned()));
    }
    let unreadable = |error: std::io::Error| Failure::input(&args.file, UserError::unreadable(&error.to_string()));
    let file = fs::read(&args.file).map_err(unreadable)?;
    embed_file(&file, room).ok_or_else(|| {
        let words = "it doesn't fit in --max, and a profile can't be downsampled";
        Failure::input(&args.file, UserError::not_embedded(words))
    })
}
