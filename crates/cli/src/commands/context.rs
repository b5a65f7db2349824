//! Shared by all commands: output, errors and colors.

use crate::UNITS;
use std::fs::File;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use clap::ValueEnum;
use serde::Serialize;

use super::memory::Limit;
use super::text::{self, ERROR, HEADING, WARNING};
use camlscope_engine::query::summary::WarningSummary;
use camlscope_present::words;
use camlscope_present::words::errors::UserError;

/// The global options.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub json: bool,
    /// Whether the command prints several objects, one per line.
    pub json_lines: bool,
    pub memory: Option<u64>,
    /// The memory limit of the system for this process.
    pub limit: Option<Limit>,
    pub color: Color,
    /// The width of tables in characters, or `None` if lines may have any length.
    pub width: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    Always,
    Never,
}

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The file isn't a trace or can't be read.
    Input { path: PathBuf, error: UserError },
    /// The output couldn't be written. `path` is `None` for standard output.
    Output { path: Option<PathBuf>, error: io::Error },
    /// `n_failed` of `n` files couldn't be opened or written. Each failure has been reported.
    Some { n_failed: usize, n: usize },
    /// Each option is valid, but not in this combination or for this trace.
    Usage(String),
    /// The result was printed and exceeds the user's limit.
    AboveLimit(String),
}

impl Context {
    /// Prints text, with colors only if they are enabled.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = AutoStream::new(io::stdout().lock(), self.color.choice());
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    /// Prints text to standard error, for commands whose standard output belongs to another program.
    pub fn print_aside(&self, text: &str) {
        let mut stderr = AutoStream::new(io::stderr().lock(), self.color.choice());
        // If standard error is closed, nobody is reading.
        let _ = stderr.write_all(text.as_bytes());
    }

    /// Prints the contents of a file, as they are.
    pub fn print_text(&self, text: &str) -> Result<(), Failure> {
        let mut out = stdout();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    /// Prints a JSON object: on one line if the command prints several, otherwise indented.
    pub fn print_json(&self, reply: &impl Serialize) -> Result<(), Failure> {
        let mut out = stdout();
        let reply = Versioned { schema: SCHEMA, reply };
        match self.json_lines {
            true => serde_json::to_writer(&mut out, &reply),
            false => serde_json::to_writer_pretty(&mut out, &reply),
        }
        .map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        out.flush()?;
        Ok(())
    }

    /// Prints a warning to standard error, so that standard output has only the result.
    pub fn warn(&self, text: &str) {
        self.say("warning", WARNING, text);
    }

    /// Prints additional information about a result to standard error.
    pub fn note(&self, text: &str) {
        self.say("note", HEADING, text);
    }

    pub fn warn_all(&self, warnings: &[WarningSummary]) {
        for warning in warnings {
            self.warn(&words::warnings::text(warning, UNITS));
        }
    }

    /// Reports why one of several files is left out.
    pub fn leave_out(&self, failure: &Failure) {
        // The exit status depends on all files.
        let _ = Context { json: false, ..*self }.fail(failure);
    }

    /// Reports why a command failed, and returns its exit status.
    pub fn fail(&self, failure: &Failure) -> ExitCode {
        match failure {
            Failure::Output { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => {
                // The reader has read enough, as `head` does, so this isn't an error.
                ExitCode::SUCCESS
            }
            Failure::Output { path, error } => {
                let what = path.as_ref().map_or("standard output".to_owned(), |path| path.display().to_string());
                let error = UserError {
                    kind: "not-written".to_owned(),
                    text: format!("Can't write {what}: {error}."),
                    advice: String::new(),
                    offset: None,
                };
                self.fail_with(None, &error)
            }
            Failure::Input { path, error } => self.fail_with(Some(path), error),
            Failure::Some { n_failed, n } => self.complain(1, &format!("{n_failed} of {n} files failed.")),
            Failure::Usage(text) => self.complain(2, text),
            Failure::AboveLimit(text) => self.complain(3, text),
        }
    }

    fn fail_with(&self, path: Option<&Path>, error: &UserError) -> ExitCode {
        if self.json {
            let _ = self.print_json(&ErrorReply { error });
        } else {
            let path = path.map_or_else(String::new, |path| format!("{}: ", path.display()));
            self.complain(1, &format!("{path}{}", error.text));
            if !error.advice.is_empty() {
                eprintln!("{}", error.advice);
            }
        }
        ExitCode::from(1)
    }

    /// Reports an error, and returns its exit status.
    pub fn complain(&self, status: u8, text: &str) -> ExitCode {
        self.say("error", ERROR, text);
        ExitCode::from(status)
    }

    fn say(&self, kind: &str, style: Style, text: &str) {
        let mut stderr = AutoStream::new(io::stderr().lock(), self.color.choice());
        let _ = writeln!(stderr, "{style}{kind}:{style:#} {}", text::clean(text));
    }
}

impl Color {
    pub fn choice(self) -> ColorChoice {
        match self {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        }
    }
}

impl Failure {
    /// A usage error for a command that can't read standard input, if `path` is that.
    pub fn if_standard_input(path: &Path, command: &str, why: &str) -> Result<(), Failure> {
        match path.as_os_str() == "-" {
            true => {
                Err(Failure::Usage(format!("{command} can't read a trace from standard input: {why}. Use a file.")))
            }
            false => Ok(()),
        }
    }

    pub fn input(path: &Path, error: UserError) -> Failure {
        Failure::Input { path: path.to_owned(), error }
    }
}

impl From<io::Error> for Failure {
    /// For standard output. Errors of files set the path themselves.
    fn from(error: io::Error) -> Failure {
        Failure::Output { path: None, error }
    }
}

/// The version of the JSON, in each object. It increases if a field gets another meaning or is removed, which
/// docs/json.md then describes.
pub const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Versioned<'a, T> {
    schema: u32,
    #[serde(flatten)]
    reply: &'a T,
}

#[derive(Serialize)]
struct ErrorReply<'a> {
    error: &'a UserError,
}

/// Returns the width of the terminal, or `None` if standard output isn't one.
pub fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
}

/// Returns buffered standard output, for long output without colors.
pub fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Writes to a file, or to standard output for `-`, and returns the result of `write`.
pub fn write_to<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>) -> Result<T, Failure> {
    let write_all = |out: &mut dyn Write| {
        let written = write(out)?;
        out.flush()?;
        Ok(written)
    };
    if path.as_os_str() == "-" {
        return write_all(&mut stdout());
    }
    let written = File::create(path).map_err(Failure::from).and_then(|file| write_all(&mut BufWriter::new(file)));
    written.map_err(|failure| match failure {
        Failure::Output { path: None, error } => Failure::Output { path: Some(path.to_owned()), error },
        other => other,
    })
}
