//! `camlscope sites`: allocation sites as lines that editors and CI read.

use std::path::PathBuf;

use clap::ValueEnum;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::arg_values::at_least_one;
use super::context::{Context, Failure};
use super::empty;
use super::help;
use super::input::Loaded;
use super::json::Measured;
use super::measure::{CountedArgs, narrowed};
use super::sources::{check_folders, files_of, search, trace_file, user_error};
use super::table::{all_of, order, own_weights};
use super::text::clean;
use crate::UNITS;
use crate::source::words::listed;
use crate::source::{SourcePath, shown};
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::label::{file_of_line, is_library};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::statistics;
use camlscope_engine::query::table::{Row, TableConfig};
use camlscope_engine::query::tree::Grain;
use camlscope_present::format;
use camlscope_present::words;

/// Print allocation sites, one per line, in the format of grep and compilers.
///
/// `file:line:column: 12.3 MiB ±0.4 (6.1%) allocated in Orders.Session.visit`: what the site allocates itself, with the
/// margin of its 95% confidence interval and its share of the total. Columns count from 1, as in Emacs, Vim and GitHub.
///
/// Emacs reads these lines with `M-x compile`, Vim with `:cexpr system('camlscope sites …')`, VS Code in its terminal.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::SITES)]
pub struct Args {
    /// The trace or profile; `-` for standard input.
    file: PathBuf,
    /// Folder with the source code, to print the paths of real files. Sites without one are left out. Can be repeated.
    #[arg(long, value_name = "DIR")]
    source: Vec<PathBuf>,
    /// The format of lines.
    #[arg(long, value_enum, default_value = "grep", conflicts_with = "json")]
    format: Format,
    /// Maximum number of sites.
    #[arg(long, value_name = "N", default_value = "30", value_parser = at_least_one)]
    top: usize,
    #[command(flatten)]
    counted: CountedArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// `file:line:column: text`
    Grep,
    /// Annotations of GitHub Actions
    Github,
}

/// An allocation site.
struct Site {
    row: Row,
    /// The real file if it was found, otherwise the path in the trace.
    path: String,
    is_found: bool,
    /// The memory that the site allocates itself, in the unit of the measure.
    own: f64,
    share: f64,
    /// The relative margin of the 95% interval of `own`.
    error: Option<f64>,
    text: String,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    check_folders(&args.source)?;
    let (mut loaded, filter, measure) = args.counted.open(context, &args.file)?;
    let view = View { filter, measure, grain: Grain::Site, ..View::default() };
    let sites = sites(args, context, &mut loaded, &view)?;
    if sites.is_empty() && !measure.is_growth() {
        empty::explain(context, &loaded, &narrowed(&view.filter, measure))?;
    } else if sites.is_empty() {
        empty::explain_growth(context, &mut loaded, &view)?;
    }
    if context.json {
        let sites: Vec<Value> = sites.iter().map(|site| site.to_json(loaded.trace().is_none())).collect();
        let reply = json!({ "sites": sites });
        return context.print_json(&Measured::new(measure, &reply).at(loaded.snapshots));
    }
    let line = match args.format {
        Format::Grep => Site::to_grep,
        Format::Github => Site::to_github,
    };
    context.print(&sites.iter().map(line).collect::<String>())
}

/// Returns the sites that allocate the most themselves. Code without a location isn't a site.
fn sites(args: &Args, context: &Context, loaded: &mut Loaded, view: &View) -> Result<Vec<Site>, Failure> {
    let measure = view.measure;
    let config = TableConfig { order: order(Grain::Site, measure), search: String::new(), rows: 0..usize::MAX };
    let Answer::Table(table) = loaded.ask(view.clone(), Question::Table(config))? else {
        return Err(loaded.lost());
    };
    let all = all_of(loaded, view, &table)?;
    // The query has no byte-seconds of a site itself.
    let own_weights = match measure {
        Measure::ByteSeconds => own_weights(loaded, view)?,
        _ => FxHashMap::default(),
    };
    let own = |row: &Row| {
        let (own, _) = table.amounts(row, measure.unit());
        own.unwrap_or_else(|| own_weights.get(&row.label()).copied().unwrap_or(0.0))
    };
    let mut rows: Vec<(&Row, f64)> =
        table.rows.iter().map(|row| (row, own(row))).filter(|(_, own)| *own > 0.0).collect();
    rows.sort_by(|one, two| two.1.total_cmp(&one.1));
    let (located, unlocated): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|(row, _)| row.line.is_some() && !row.file.is_empty());
    note_unlocated(context, measure, all, &unlocated);
    let mut sites = located;
    let mut paths = FxHashMap::default();
    if !args.source.is_empty() && !sites.is_empty() {
        paths = real_paths(args, context, loaded, view)?;
        let (found, missing): (Vec<_>, Vec<_>) = sites.into_iter().partition(|(row, _)| paths.contains_key(&row.file));
        note_missing(context, all, &missing);
        sites = found;
    }
    let rate = loaded.trace().map(|trace| trace.rate());
    let site = |(row, own): (&Row, f64)| {
        let share = if all > 0.0 { own / all } else { 0.0 };
        let error = rate.and_then(|rate| statistics::relative_margin(row.self_samples, rate));
        let figure =
            words::measure::figure(UNITS, measure, own, words::measure::margin(measure, own, error), Some(share));
        let path = paths.get(&row.file);
        Site {
            row: row.clone(),
            path: path.unwrap_or(&row.file).clone(),
            is_found: path.is_some(),
            own,
            share,
            error,
            // A profile names code by file and line, which the reader already sees.
            text: match file_of_line(&row.name) {
                Some(_) => figure,
                None => format!("{figure} in {}", row.label().plain()),
            },
        }
    };
    Ok(sites.into_iter().take(args.top).map(site).collect())
}

fn note_unlocated(context: &Context, measure: Measure, all: f64, rows: &[(&Row, f64)]) {
    let own: f64 = rows.iter().map(|(_, own)| own).sum();
    if own > 0.0 {
        let share = Some(own / all).filter(|share| share.is_finite());
        let figure = words::measure::figure(UNITS, measure, own, 0.0, share);
        context.note(&format!("{figure} by code without a source location."));
    }
}

/// Editors can't open these sites. Their share says how much of the picture is missing.
fn note_missing(context: &Context, all: f64, rows: &[(&Row, f64)]) {
    if rows.is_empty() {
        return;
    }
    let mut files: Vec<&str> = Vec::new();
    for (row, _) in rows {
        if !files.contains(&row.file.as_str()) {
            files.push(&row.file);
        }
    }
    let share = format::percent(rows.iter().map(|(_, own)| own / all).sum());
    let (n, sites) = (rows.len(), if rows.len() == 1 { "site" } else { "sites" });
    let files = listed(files.into_iter());
    context.note(&format!("Left out {n} {sites} ({share}): the --source folders don't contain {files}."));
    if rows.iter().any(|(row, _)| is_library(&row.name)) {
        context.note("To attribute library code to the lines that call it, add --hide '^(Stdlib|Camlinternal)'.");
    }
}

/// Returns the real paths of the trace's files, as far as `--source` has them.
fn real_paths(
    args: &Args,
    context: &Context,
    loaded: &mut Loaded,
    view: &View,
) -> Result<FxHashMap<String, String>, Failure> {
    let files = files_of(loaded, view)?.files;
    let wanted: Vec<_> = files.iter().map(trace_file).collect();
    let found = search(context, &args.source, &wanted)?.found;
    let mut paths = FxHashMap::default();
    for (file, place) in files.iter().zip(&found) {
        if let SourcePath::At(path) = place {
            paths.insert(file.file.clone(), shown(path));
        }
    }
    if paths.is_empty() {
        let names = listed(files.iter().map(|file| file.file.as_str()));
        let text =
            format!("There are no source files of this trace in the --source folders. The trace's files are {names}.");
        let error = user_error("no-source", &text, "Use --source DIR to name the folder with the source code.");
        return Err(Failure::input(&args.file, error));
    }
    Ok(paths)
}

impl Site {
    /// The line and the first column, both from 1. OCaml counts columns from 0.
    fn position(&self) -> (u32, u32) {
        let column = |start_char: u16| u32::from(start_char) + 1;
        (self.row.line.unwrap_or(1), self.row.start_char.map_or(1, column))
    }

    fn to_grep(&self) -> String {
        let (line, column) = self.position();
        format!("{}:{line}:{column}: {}\n", clean(&self.path), clean(&self.text))
    }

    /// A workflow command. GitHub decodes `%25` and the like.
    fn to_github(&self) -> String {
        let (line, column) = self.position();
        let escaped = |text: &str| clean(text).replace('%', "%25");
        let path = escaped(&self.path).replace(':', "%3A").replace(',', "%2C");
        format!("::notice file={path},line={line},col={column},title=Memory::{}\n", escaped(&self.text))
    }

    fn to_json(&self, is_profile: bool) -> Value {
        let (line, column) = self.position();
        let Row { name, file, self_samples, .. } = &self.row;
        let mut site = json!({
            "file": file,
            "path": Some(&self.path).filter(|_| self.is_found),
            "line": line,
            "column": column,
            "name": name,
            "label": self.row.label().plain(),
            "self": self.own,
            "share": self.share,
            "text": self.text,
        });
        if !is_profile {
            site["self_samples"] = json!(self_samples);
            site["error"] = json!(self.error);
        }
        site
    }
}
