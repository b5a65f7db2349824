//! `camlscope watch`: a line each few seconds about a program that is still running.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde::Serialize;

use super::context::{Context, Failure};
use super::text::{ERROR, FAINT, HEADING, clean};
use crate::follow::{Activity, Follower, Found, Writer};
use crate::format;
use crate::protocol::{Answer, Question, Request, UserError, View};
use crate::query::filter::parse_time;
use crate::query::leaks::{LeaksConfig, Verdict};
use crate::query::summary::Summary;
use crate::query::tree::Grain;

/// Follow a trace while its program runs: a line each few seconds, with what is live, how fast it grows, the peak, and which
/// functions grow.
///
/// Waits for a file that does not exist yet, and begins again when a new run replaces it. Ends when the program does, if it
/// runs on this machine (on Linux); else when nothing new has come for the time of --until-idle; or with Ctrl-C. Then it
/// prints a summary. Exit status: 0, however it ended.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace that the program writes.
    file: PathBuf,
    /// How often to look at the file.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = time)]
    every: Duration,
    /// End when nothing new has come for so long, unless the program is seen to run.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time)]
    until_idle: Duration,
}

/// One line of JSON.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line<'a> {
    /// The trace's first packet is there.
    Started {
        executable: &'a str,
        host: &'a str,
        pid: u64,
        start_time_us: u64,
        sample_rate: f64,
    },
    Now(&'a Figures),
    /// Nothing new has come for so long.
    Resting {
        seconds: f64,
    },
    /// Another run is followed from here on.
    Restarted {
        why: &'static str,
    },
    Ended {
        why: &'static str,
        #[serde(flatten)]
        figures: Option<&'a Figures>,
    },
}

/// What is known after some part of the file.
#[derive(Clone, Debug, Serialize)]
struct Figures {
    /// Bytes of the file.
    file_bytes: u64,
    /// µs since the trace's start.
    time_us: u64,
    live_bytes: f64,
    /// Since the line before; since the start in the first one.
    growth_bytes_per_s: f64,
    peak_bytes: f64,
    peak_at_us: u64,
    allocated_bytes: f64,
    /// Functions, those that grow most first.
    growing: Vec<String>,
}

/// Why it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Program,
    Idle,
    Interrupted,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let interrupted = on_interrupt()?;
    let mut watch = Watch {
        context,
        path: &args.file,
        follower: Follower::new(&args.file, context.budget()),
        writer: Writer::new(),
        last: None,
        is_waiting: false,
        is_resting: false,
    };
    let end = loop {
        if matches!(watch.look()?, Found::Same)
            && let Some(end) = watch.has_ended(args.until_idle)?
        {
            break end;
        }
        match interrupted.recv_timeout(args.every) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break End::Interrupted,
        }
    };
    watch.end(end)
}

/// Hears Ctrl-C from now on.
fn on_interrupt() -> Result<Receiver<()>, Failure> {
    let (sender, receiver) = channel();
    let handler = move || {
        // Nobody listens any more only when the program ends anyway.
        let _ = sender.send(());
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::Usage(format!("Ctrl-C cannot be heard: {error}")))?;
    Ok(receiver)
}

struct Watch<'a> {
    context: &'a Context,
    path: &'a Path,
    follower: Follower,
    writer: Writer,
    /// Of the last line.
    last: Option<Figures>,
    /// Whether it was said that the file is awaited, and that the program rests.
    is_waiting: bool,
    is_resting: bool,
}

impl Watch<'_> {
    fn look(&mut self) -> Result<Found, Failure> {
        let found = self.follower.look().map_err(|error| Failure::input(self.path, error))?;
        self.writer.on_found(&found);
        match &found {
            Found::Nothing if !self.is_waiting => {
                self.is_waiting = true;
                self.context.note(&format!("waiting for {}", self.path.display()));
            }
            Found::Nothing | Found::Same | Found::Part => {}
            Found::Replaced => self.begin_again("replaced", "the file was replaced: a new run begins")?,
            Found::Shrunk => self.begin_again("shrunk", "the file became shorter: a new run begins")?,
            Found::Grown(summary) => self.tell(summary)?,
        }
        Ok(found)
    }

    fn begin_again(&mut self, why: &'static str, text: &str) -> Result<(), Failure> {
        self.last = None;
        self.say(&Line::Restarted { why }, || format!("{HEADING}{text}{HEADING:#}"))
    }

    fn tell(&mut self, summary: &Summary) -> Result<(), Failure> {
        if self.last.is_none() {
            self.tell_start(summary)?;
        }
        let figures = self.figures(summary)?;
        self.say(&Line::Now(&figures), || words(&figures))?;
        self.last = Some(figures);
        self.is_resting = false;
        Ok(())
    }

    fn tell_start(&mut self, summary: &Summary) -> Result<(), Failure> {
        let info = &summary.info;
        let line = Line::Started {
            executable: &info.executable,
            host: &info.host,
            pid: info.pid,
            start_time_us: info.start_time_us,
            sample_rate: info.sample_rate,
        };
        self.say(&line, || {
            let program = info.executable.rsplit('/').next().unwrap_or_default();
            let rate = format::rate(info.sample_rate, f64::from(info.word_size) / 8.0);
            format!("{HEADING}{}{HEADING:#} process {}, {rate}", clean(program), info.pid)
        })
    }

    fn figures(&mut self, summary: &Summary) -> Result<Figures, Failure> {
        let (before_us, before) = self.last.as_ref().map_or((0, 0.0), |last| (last.time_us, last.live_bytes));
        let live_bytes = summary.bytes_of(summary.samples.live_at_end);
        let seconds = summary.end_us.saturating_sub(before_us) as f64 / 1e6;
        Ok(Figures {
            file_bytes: summary.file_bytes,
            time_us: summary.end_us,
            live_bytes,
            growth_bytes_per_s: if seconds > 0.0 { (live_bytes - before) / seconds } else { 0.0 },
            peak_bytes: summary.peak.bytes,
            peak_at_us: summary.peak.at_us,
            allocated_bytes: summary.allocated_bytes,
            growing: self.growing()?,
        })
    }

    fn growing(&mut self) -> Result<Vec<String>, Failure> {
        let view = View { grain: Grain::Function, ..View::default() };
        let request = Request { view, question: Question::Leaks(LeaksConfig::default()) };
        match self.follower.session().handle(&request) {
            Ok(Answer::Leaks(leaks)) => {
                let growing = leaks.sites.into_iter().filter(|site| site.verdict == Verdict::Growing);
                Ok(growing.map(|site| site.name).collect())
            }
            Ok(_) => Err(Failure::input(self.path, UserError::no_load())),
            Err(error) => Err(Failure::input(self.path, error)),
        }
    }

    fn has_ended(&mut self, until_idle: Duration) -> Result<Option<End>, Failure> {
        match self.writer.activity(until_idle) {
            Activity::Writing => Ok(None),
            Activity::Resting(idle) => {
                if !self.is_resting {
                    self.is_resting = true;
                    self.tell_rest(idle)?;
                }
                Ok(None)
            }
            Activity::Ended => {
                // It may have written its last packet after the look.
                let is_same_run = matches!(self.look()?, Found::Grown(_) | Found::Same);
                Ok(is_same_run.then_some(End::Program))
            }
            Activity::Silent(_) => Ok(Some(End::Idle)),
        }
    }

    fn tell_rest(&self, idle: Duration) -> Result<(), Failure> {
        let seconds = idle.as_secs_f64();
        self.say(&Line::Resting { seconds }, || {
            format!("nothing new for {}: the program rests", format::duration_us((seconds * 1e6) as u64))
        })
    }

    fn end(&self, end: End) -> Result<(), Failure> {
        let (why, text) = match end {
            End::Program => ("program-ended", "the program has ended"),
            End::Idle => ("idle", "nothing new comes: the program has ended or rests"),
            End::Interrupted => ("interrupted", "interrupted"),
        };
        let figures = self.last.as_ref();
        self.say(&Line::Ended { why, figures }, || match figures {
            None => text.to_owned(),
            Some(figures) => format!("{text}\n{}", closing(figures)),
        })
    }

    fn say(&self, line: &Line<'_>, text: impl FnOnce() -> String) -> Result<(), Failure> {
        if self.context.json { self.context.print_json_line(line) } else { self.context.print(&(text() + "\n")) }
    }
}

/// `12.4 s  live 33 MiB  +1.2 MiB/s  peak 35 MiB  growing: Orders.Session.start`.
fn words(figures: &Figures) -> String {
    let rate = figures.growth_bytes_per_s;
    let sign = if rate < 0.0 { '−' } else { '+' };
    let mut text = format!(
        "{}  live {}  {FAINT}{sign}{}/s{FAINT:#}  peak {}",
        format::duration_us(figures.time_us),
        format::bytes(figures.live_bytes),
        format::bytes(rate.abs()),
        format::bytes(figures.peak_bytes),
    );
    if !figures.growing.is_empty() {
        text.push_str(&format!("  {ERROR}growing:{ERROR:#} {}", named(&figures.growing)));
    }
    text
}

/// The most that a line names.
const MAX_NAMED: usize = 3;

fn named(growing: &[String]) -> String {
    let mut text = clean(&growing[..growing.len().min(MAX_NAMED)].join(", ")).to_string();
    if growing.len() > MAX_NAMED {
        text.push_str(&format!(" and {} more", growing.len() - MAX_NAMED));
    }
    text
}

fn closing(figures: &Figures) -> String {
    let growing = match figures.growing.as_slice() {
        [] => "nothing grows".to_owned(),
        growing => format!("{ERROR}growing:{ERROR:#} {}", named(growing)),
    };
    format!(
        "{} in all: {} allocated, peak {} at {}, {} live at the end; {growing}",
        format::duration_us(figures.time_us),
        format::bytes(figures.allocated_bytes),
        format::bytes(figures.peak_bytes),
        format::duration_us(figures.peak_at_us),
        format::bytes(figures.live_bytes),
    )
}

/// A time that is asked for, above 0.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    match parse_time(text) {
        Some(us) if us > 0 => Ok(Duration::from_micros(us)),
        _ => Err("a time is expected, like 500ms, 2s or 5min".to_owned()),
    }
}
