//! `camlscope fleet`: one line per trace.

use crate::UNITS;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use super::batch::{each_file, files_in, report_failures};
use super::context::{Context, Failure};
use super::help;
use super::input::Loaded;
use super::text::{Cell, Table};
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::summary::Summary;
use camlscope_present::format;
use camlscope_present::words;
use camlscope_present::words::errors::UserError;

/// Print one line per trace: how much memory it used, and its top finding.
///
/// ± is a 95% confidence interval of the peak. With --json, each line is one JSON object (JSON Lines).
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::FLEET)]
pub struct Args {
    /// Traces, profiles, or folders. Folders are searched for `.ctf` files, compressed or not, and for `spacetime-<pid>` files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Sort lines by this.
    #[arg(long, value_enum, default_value = "start")]
    sort: Sort,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// Oldest first.
    Start,
    Program,
    /// Largest first.
    Peak,
    /// Largest first.
    Allocated,
    /// Largest first.
    Promoted,
    /// Longest first.
    Duration,
}

/// In bytes and µs. Errors are margins of 95% intervals, as fractions.
#[derive(Debug, Serialize)]
struct Line {
    file: String,
    format: String,
    program: String,
    host: String,
    pid: u64,
    start_time_us: u64,
    duration_us: u64,
    peak_bytes: f64,
    /// `None` if nothing was sampled, and for profiles, which are exact.
    peak_error: Option<f64>,
    allocated_bytes: f64,
    allocated_error: Option<f64>,
    promoted_bytes: Option<f64>,
    samples: u64,
    /// The first finding of `summary`.
    stands_out: Option<String>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct FailedLine<'a> {
    file: String,
    error: &'a UserError,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let (files, mut failures) = files_in(&args.files)?;
    let n_files = files.len() + failures.len();
    let mut lines = Vec::new();
    for done in each_file(context, &files, line)? {
        match done {
            Ok(line) => lines.push(line),
            Err(failure) => failures.push(failure),
        }
    }
    args.sort.sort(&mut lines);
    warn_same_runs(context, &lines);
    if context.json {
        lines.iter().try_for_each(|line| context.print_json(line))?;
        for failure in &failures {
            if let Failure::Input { path, error } = failure {
                context.print_json(&FailedLine { file: path.display().to_string(), error })?;
            }
        }
    } else if !lines.is_empty() {
        context.print(&table(&lines).render(context.width))?;
    }
    match context.json && !failures.is_empty() {
        // They are in the JSON.
        true => Err(Failure::Some { n_failed: failures.len(), n: n_files }),
        false => report_failures(context, failures, n_files),
    }
}

/// Warns about lines of the same run, because adding up lines would count it twice.
fn warn_same_runs(context: &Context, lines: &[Line]) {
    let run = |line: &Line| (line.host.clone(), line.program.clone(), line.pid, line.start_time_us);
    let mut files: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.start_time_us > 0) {
        files.entry(run(line)).or_default().push(&line.file);
    }
    for mut files in files.into_values().filter(|files| files.len() > 1) {
        files.sort_unstable();
        context.warn(&format!("{} are the same run.", files.join(" and ")));
    }
}

fn line(loaded: &mut Loaded, path: &Path) -> Result<Line, Failure> {
    let Answer::Findings(findings) = loaded.ask(View::default(), Question::Findings)? else {
        return Err(loaded.lost());
    };
    let Summary { info, samples, peak, profile, .. } = &loaded.file;
    let is_sampled = profile.is_none();
    Ok(Line {
        file: path.display().to_string(),
        format: loaded.file.format.clone(),
        program: info.executable.rsplit('/').next().unwrap_or_default().to_owned(),
        host: info.host.clone(),
        pid: info.pid,
        start_time_us: info.start_time_us,
        duration_us: loaded.file.end_us,
        peak_bytes: peak.bytes,
        peak_error: loaded.file.kept_error(peak.samples).filter(|_| is_sampled),
        allocated_bytes: loaded.file.allocated_bytes,
        allocated_error: loaded.file.allocated_error().filter(|_| is_sampled),
        promoted_bytes: is_sampled.then(|| loaded.file.bytes_of(samples.moved())),
        samples: samples.total,
        stands_out: findings.into_iter().next().map(|finding| words::findings::headline(&finding, UNITS)),
        warnings: loaded.file.warnings.iter().map(|warning| warning.kind.as_str().to_owned()).collect(),
    })
}

impl Sort {
    fn sort(self, lines: &mut [Line]) {
        let whole = |bytes: f64| Reverse(bytes.max(0.0) as u64);
        match self {
            Sort::Start => lines.sort_by_key(|line| line.start_time_us),
            Sort::Program => lines.sort_by(|one, two| one.program.cmp(&two.program)),
            Sort::Peak => lines.sort_by_key(|line| whole(line.peak_bytes)),
            Sort::Allocated => lines.sort_by_key(|line| whole(line.allocated_bytes)),
            Sort::Promoted => lines.sort_by_key(|line| whole(line.promoted_bytes.unwrap_or(0.0))),
            Sort::Duration => lines.sort_by_key(|line| Reverse(line.duration_us)),
        }
    }
}

fn table(lines: &[Line]) -> Table {
    let columns = ["file", "program", "start", "duration", "peak", "±", "allocated", "promoted", "top finding"];
    let mut table = Table::new(&columns, &["file", "program", "start", "top finding"])
        .cutting(&["file", "program", "top finding"])
        .leaving_out(&["promoted", "±", "duration", "program", "allocated", "start", "top finding"]);
    for line in lines {
        let start = if line.start_time_us == 0 { String::new() } else { format::date_time(line.start_time_us) };
        let cells = [
            line.file.clone(),
            line.program.clone(),
            start,
            format::duration_us(line.duration_us),
            UNITS.bytes(line.peak_bytes),
            line.peak_error.map_or_else(String::new, |error| UNITS.bytes(error * line.peak_bytes)),
            UNITS.bytes(line.allocated_bytes),
            line.promoted_bytes.map_or_else(String::new, |bytes| UNITS.bytes(bytes)),
            line.stands_out.clone().unwrap_or_default(),
        ];
        table.push(cells.iter().map(|text| Cell::new(text)).collect());
    }
    table
}
