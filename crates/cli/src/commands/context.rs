//! What all commands share: how they answer, how they fail, and when they color.

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

/// The options that every command has.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub json: bool,
    pub memory: Option<u64>,
    /// The memory that the system allows this process.
    pub limit: Option<Limit>,
    pub color: Color,
    /// Characters a line, for tables; `None`: lines may be of any length.
    pub width: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    Always,
    Never,
}

/// Why a command gave up.
#[derive(Debug)]
pub enum Failure {
    /// The file is no trace, or cannot be read.
    Input { path: PathBuf, error: UserError },
    /// What was asked for could not be written; `path` where it is a file.
    Output { path: Option<PathBuf>, error: io::Error },
    /// So many of several files could not be opened or written, each of which was told.
    Some { n_failed: usize, n: usize },
    /// The options fit one by one, but not together or not this trace.
    Usage(String),
    /// The answer was given, and passes the limit that was set.
    AboveLimit(String),
}

impl Context {
    /// Text for people; its colors go only where they are wanted.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = AutoStream::new(io::stdout().lock(), self.color.choice());
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    /// One JSON value, set out in lines.
    pub fn print_json(&self, value: &impl Serialize) -> Result<(), Failure> {
        let mut out = stdout();
        serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        out.flush()?;
        Ok(())
    }

    /// One JSON value in a line of its own.
    pub fn print_json_line(&self, value: &impl Serialize) -> Result<(), Failure> {
        let mut out = stdout();
        serde_json::to_writer(&mut out, value).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        out.flush()?;
        Ok(())
    }

    /// To standard error, so that what is printed stays what was asked for.
    pub fn warn(&self, text: &str) {
        self.say("warning", WARNING, text);
    }

    /// What one should know about an answer that is as it should be; to standard error.
    pub fn note(&self, text: &str) {
        self.say("note", HEADING, text);
    }

    pub fn warn_all(&self, warnings: &[WarningSummary]) {
        for warning in warnings {
            self.warn(&words::warnings::text(warning, UNITS));
        }
    }

    /// Says why one of several files is left out, and goes on.
    pub fn leave_out(&self, failure: &Failure) {
        // The exit status is that of all files.
        let _ = Context { json: false, ..*self }.fail(failure);
    }

    /// Says why a command gave up, and returns its exit status.
    pub fn fail(&self, failure: &Failure) -> ExitCode {
        match failure {
            Failure::Output { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => {
                // Who reads has read enough (`head`): no error.
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

    fn complain(&self, status: u8, text: &str) -> ExitCode {
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
    pub fn input(path: &Path, error: UserError) -> Failure {
        Failure::Input { path: path.to_owned(), error }
    }
}

impl From<io::Error> for Failure {
    /// Of standard output; files say which they are.
    fn from(error: io::Error) -> Failure {
        Failure::Output { path: None, error }
    }
}

#[derive(Serialize)]
struct ErrorReply<'a> {
    error: &'a UserError,
}

/// Characters a line of the terminal that standard output is; `None` if it is none.
pub fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
}

/// Standard output for what has no colors and may be long.
pub fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Writes a file, or standard output for `-`, and returns what `write` says of it.
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
