//! The command line: the same engine as the page, for terminals, scripts and checks.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde::Serialize;

use crate::format;
use crate::protocol::UserError;
use crate::query::summary::Summary;
use crate::session::Session;
use crate::synth;
use crate::trace::Budget;

/// Looks into memory traces of OCaml programs.
#[derive(Debug, Parser)]
#[command(name = "camlscope", version, about, max_term_width = 100)]
pub struct Cli {
    /// Answer with one JSON object on standard output.
    #[arg(long, global = true)]
    json: bool,
    /// How much memory a trace may take before it is thinned: `512M`, `16G`.
    #[arg(long, global = true, value_name = "SIZE", value_parser = format::parse_bytes)]
    memory: Option<u64>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What the trace is: program, rate, counts, warnings.
    Summary {
        /// The trace; `-` for standard input.
        file: PathBuf,
    },
    #[command(hide = true)]
    Synth(synth::Args),
}

/// Bytes read at a time: what the page's worker slices, too.
const CHUNK_BYTES: usize = 4 << 20;

/// Runs a command and says how it went: 0 done, 1 the file is no trace or cannot be read (2, wrong usage, is clap's).
pub fn run(cli: &Cli) -> ExitCode {
    match &cli.command {
        Command::Summary { file } => summary(cli, file),
        Command::Synth(args) => synth::run(args),
    }
}

fn summary(cli: &Cli, file: &Path) -> ExitCode {
    match load(cli, file) {
        Ok(summary) => {
            for warning in &summary.warnings {
                eprintln!("warning: {}", warning.text);
            }
            print(&if cli.json { json(&summary) } else { summary_text(&summary) });
            ExitCode::SUCCESS
        }
        Err(error) => {
            if cli.json {
                print(&json(&ErrorReply { error: &error }));
            } else {
                eprintln!("camlscope: {}: {}", file.display(), error.text);
                if !error.advice.is_empty() {
                    eprintln!("{}", error.advice);
                }
            }
            ExitCode::from(1)
        }
    }
}

#[derive(Serialize)]
struct ErrorReply<'a> {
    error: &'a UserError,
}

fn load(cli: &Cli, path: &Path) -> Result<Summary, UserError> {
    let mut session = match cli.memory {
        None => Session::new(),
        Some(bytes) => Session::with_budget(Budget { bytes: usize::try_from(bytes).unwrap_or(usize::MAX) }),
    };
    if path.as_os_str() == "-" {
        session.begin(None);
        feed(&mut session, io::stdin().lock())?;
    } else {
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        let metadata = file.metadata().map_err(|error| unreadable(&error))?;
        if metadata.is_dir() {
            return Err(UserError::directory());
        }
        session.begin(Some(metadata.len()));
        feed(&mut session, file)?;
    }
    let summary = session.finish()?;
    Ok(session.full_summary().unwrap_or(summary))
}

fn feed(session: &mut Session, mut source: impl Read) -> Result<(), UserError> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match source.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(n) => session.push(&chunk[..n])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(&error)),
        }
    }
}

fn unreadable(error: &io::Error) -> UserError {
    UserError::unreadable(&error.to_string())
}

fn json(value: &impl Serialize) -> String {
    // Our own types hold nothing that JSON cannot say.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// A reader that closes the pipe early (`head`) is no error.
fn print(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}

fn summary_text(summary: &Summary) -> String {
    let info = &summary.info;
    let none = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
    let start = match info.start_time_us {
        0 => "not recorded".to_owned(),
        us => format::date_time(us),
    };
    let error = format::relative_error(summary.samples.total, info.sample_rate)
        .map_or_else(String::new, |error| format!(" ±{}", format::percent(error)));
    let domains = summary.domains.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    let rows = [
        ("executable", none(&info.executable)),
        ("host", none(&info.host)),
        ("pid", info.pid.to_string()),
        ("start", start),
        ("duration", format::duration_us(summary.end_us)),
        ("rate", format::rate(info.sample_rate, f64::from(info.word_size) / 8.0)),
        ("OCaml parameters", none(&info.runtime_params)),
        ("context", none(info.context.as_deref().unwrap_or(""))),
        ("format", format!("{} version {}, {}-bit", summary.format, summary.version, info.word_size)),
        ("domains", none(&domains)),
        ("file", format::bytes(summary.file_bytes as f64)),
        ("allocations", format::count(summary.events.alloc)),
        ("promotions", format::count(summary.events.promote)),
        ("collections", format::count(summary.events.collect)),
        ("samples", format::count(summary.samples.total)),
        ("allocated", format!("{}{error}", format::bytes(summary.allocated_bytes))),
    ];
    rows.iter().map(|(name, value)| format!("{name:<18}{value}\n")).collect()
}
