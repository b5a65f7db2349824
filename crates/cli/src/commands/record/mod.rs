//! `camlscope record`: runs a program with memtrace enabled, shows what it does, and prints the summary at the end.
//!
//! Standard input and output, signals and the exit status are the program's own, so that `camlscope record --` can be put
//! before any command. Everything that camlscope says goes to standard error.

mod advice;
mod output;
mod program;
mod signals;
mod status_line;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::ValueEnum;

use self::output::Output;
use self::program::{Launch, Program};
use self::signals::Signals;
use self::status_line::StatusLine;
use super::context::{Context, Failure};
use super::open::PageArgs;
use super::{help, input, summary, view};
use crate::UNITS;
use crate::follow::{Follower, Found};
use crate::serving::{Contents, Served};
use camlscope_engine::query::summary::Summary;
use camlscope_present::format;

/// Run a program and record its trace.
///
/// Sets MEMTRACE and MEMTRACE_RATE for the program, which must call Memtrace.trace_if_requested. Shows live bytes, the peak
/// and the size of the trace while it runs, and a summary at the end, all on standard error.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::RECORD, override_usage = "camlscope record [OPTIONS] -- PROGRAM [ARGS]...")]
pub struct Args {
    /// The share of allocated words to sample, above 0 and up to 1. A higher rate gives smaller error bars and a larger
    /// file [default: MEMTRACE_RATE if it's set, or 1e-4].
    #[arg(long, value_name = "R", value_parser = rate)]
    rate: Option<f64>,
    /// The trace to write. An existing file is replaced [default: PROGRAM.ctf, or PROGRAM.2.ctf and so on if it exists].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Open the page in the browser, and follow the program there.
    #[arg(long, conflicts_with = "view")]
    open: bool,
    /// Follow the program in the terminal UI. Its output goes to a file next to the trace.
    #[arg(long)]
    view: bool,
    /// Print only errors.
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    page: PageArgs,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// memtrace's own default is 1e-6, for traces of hours. docs/cli.md says what this one gives for a minute.
const RATE: f64 = 1e-4;

pub fn run(args: &Args, context: &Context) -> Result<ExitCode, Failure> {
    if context.json {
        let hint = "Standard output belongs to the program. Use camlscope summary --json on the trace.";
        return Err(Failure::Usage(format!("record doesn't print JSON. {hint}")));
    }
    if args.view {
        view::check("record --view")?;
    }
    let rate = match args.rate {
        Some(rate) => rate,
        None => rate_of_environment()?.unwrap_or(RATE),
    };
    let page = args.open.then(|| args.page.find()).transpose()?;
    let output = Output::choose(args.output.as_deref(), Path::new(&args.program[0]))?;
    let log = args.view.then(|| output.log());
    let launch = Launch { command: &args.program, trace: output.absolute(), rate, log: log.as_deref() };
    let signals = Signals::handle()?;
    let program = match launch.start()? {
        Ok(program) => program,
        Err(error) => {
            output.discard_if_empty();
            return Ok(advice::not_started(context, &args.program[0], &error));
        }
    };
    signals.forward_to(&program);
    let follower = Follower::new(output.path(), context.budget_of_growing(output.path())?);
    let status_line = if args.quiet { None } else { StatusLine::new() };
    let mut run = Run { context, output, program, follower: Some(follower), status_line, due: Instant::now() };

    let mut served = None;
    if (args.open || args.view) && run.wait_for_trace() {
        match page {
            Some(page) => served = Some(run.open(args, &page, &signals)?),
            None => run.view(&signals)?,
        }
    }
    let status = run.wait_for_end();
    signals.program_has_ended()?;
    let is_recorded = run.report(args, rate);
    if let Some(log) = log {
        context.note(&format!("The program's output is in {}.", log.display()));
    }
    if let Some(served) = served {
        served.presence().wait();
    }
    Ok(match (status, is_recorded) {
        (0, false) => ExitCode::from(1),
        (status, _) => ExitCode::from(status),
    })
}

/// A program and its trace.
struct Run<'a> {
    context: &'a Context,
    output: Output,
    program: Program,
    /// `None` once the trace can't be followed.
    follower: Option<Follower>,
    /// `None` if standard error isn't a terminal.
    status_line: Option<StatusLine>,
    /// When to look at the trace again.
    due: Instant,
}

/// How often the status line changes.
const EVERY: Duration = Duration::from_secs(1);
/// How often to look for the first data.
const SOON: Duration = Duration::from_millis(100);
/// Reading the trace takes at most 1/SHARE of the time.
const SHARE: u32 = 10;

impl Run<'_> {
    /// Waits until the trace can be opened. Returns false if the program ends before.
    fn wait_for_trace(&mut self) -> bool {
        loop {
            // The program may write everything at its end.
            let has_ended = self.program.wait(SOON).is_some();
            if matches!(self.look(), Some(Found::Grown(_))) {
                return true;
            }
            if has_ended || self.follower.is_none() {
                return false;
            }
        }
    }

    fn wait_for_end(&mut self) -> u8 {
        if self.status_line.is_none() {
            self.follower = None;
        }
        loop {
            let patience = self.due.saturating_duration_since(Instant::now());
            let patience = if self.follower.is_some() { patience } else { Duration::MAX };
            if let Some(status) = self.program.wait(patience) {
                self.status_line = None;
                return status;
            }
            self.look();
        }
    }

    /// Reads what is new in the trace, and shows it.
    fn look(&mut self) -> Option<Found> {
        let began = Instant::now();
        // A file of an earlier run isn't the trace.
        let found = match &mut self.follower {
            Some(follower) if self.output.has_changed() => follower.look(),
            Some(_) => Ok(Found::Nothing),
            None => return None,
        };
        let found = found.inspect_err(|_| self.follower = None).ok();
        if let Some(status_line) = &mut self.status_line {
            let name = self.output.path().display();
            match &found {
                Some(Found::Grown(summary)) => status_line.show(&status(&name.to_string(), summary)),
                Some(Found::Nothing) => status_line.show(&format!("camlscope  waiting for data in {name}")),
                _ => status_line.redraw(),
            }
        }
        self.due = Instant::now() + EVERY.max(SHARE * began.elapsed());
        found
    }

    fn open(&mut self, args: &Args, page: &str, signals: &Signals) -> Result<Served, Failure> {
        let contents = Contents { page, traces: &[self.output.path()], follows: true };
        let served = args.page.serve(contents)?;
        signals.interrupt_afterwards(Arc::clone(served.presence()));
        self.context.print_aside(&format!("{}\n", served.address()));
        args.page.announce(self.context, &served);
        Ok(served)
    }

    /// Shows the terminal UI until the user quits. The program goes on.
    fn view(&mut self, signals: &Signals) -> Result<(), Failure> {
        self.status_line = None;
        // The UI reads the file by itself.
        self.follower = None;
        signals.forward_also(&mut viewer(self.context, &self.output)?)?;
        if self.program.wait(Duration::ZERO).is_none() {
            self.context.note("The program is still running. Press Ctrl+C to stop it.");
            self.status_line = StatusLine::new();
            self.follower =
                Some(Follower::new(self.output.path(), self.context.budget_of_growing(self.output.path())?));
        }
        Ok(())
    }

    /// Prints the summary of the trace, or why there is none. Returns whether there is one.
    fn report(&mut self, args: &Args, rate: f64) -> bool {
        // The summary reads the file again, within the same limit of memory.
        self.follower = None;
        let name = self.output.path().display().to_string();
        if !self.output.has_changed() {
            self.output.discard_if_empty();
            advice::not_written(self.context, &args.program[0]);
            return false;
        }
        let shown = input::load(self.context, self.output.path())
            .and_then(|mut loaded| Ok((summary::text_of(&mut loaded)?, loaded.file)));
        match shown {
            Ok(_) if args.quiet => {}
            Ok((text, file)) => {
                self.context.print_aside(&text);
                advice::few_samples(self.context, &file, rate);
                let size = UNITS.bytes(file.file_bytes as f64);
                self.context.note(&format!("Wrote {name} ({size}). Explore it with camlscope open {name}."));
            }
            Err(failure) => {
                self.context.leave_out(&failure);
                return false;
            }
        }
        true
    }
}

/// Starts the terminal UI. As a process of its own, it handles signals in its own way.
fn viewer(context: &Context, output: &Output) -> Result<Child, Failure> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["view", "--follow"]).arg(output.path());
    if let Some(color) = context.color.to_possible_value() {
        command.args(["--color", color.get_name()]);
    }
    if let Some(memory) = context.memory {
        command.args(["--memory", &memory.to_string()]);
    }
    Ok(command.spawn()?)
}

/// `camlscope  12.4 s  live 33 MiB  peak 35 MiB  program.ctf 1.2 MiB`.
fn status(name: &str, summary: &Summary) -> String {
    format!(
        "camlscope  {}  live {}  peak {}  {name} {}",
        format::duration_us(summary.end_us),
        UNITS.bytes(summary.bytes_of(summary.samples.live_at_end)),
        UNITS.bytes(summary.peak.bytes),
        UNITS.bytes(summary.file_bytes as f64),
    )
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= 1.0 => Ok(rate),
        _ => Err("expected a number above 0 and up to 1, such as 1e-4".to_owned()),
    }
}

fn rate_of_environment() -> Result<Option<f64>, Failure> {
    let Some(text) = env::var_os("MEMTRACE_RATE").filter(|text| !text.is_empty()) else { return Ok(None) };
    let text = text.to_string_lossy();
    rate(&text).map(Some).map_err(|error| Failure::Usage(format!("MEMTRACE_RATE is “{text}”: {error}.")))
}
