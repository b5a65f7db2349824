//! `camlscope watch`: one line every few seconds about a running program.

use crate::UNITS;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::context::{Context, Failure};
use super::help;
use super::text::{ERROR, FAINT, HEADING, clean};
use crate::follow::{Activity, Follower, Found, Writer};
use camlscope_engine::protocol::{Answer, Error, Question, Request, View};
use camlscope_engine::query::filter::parse_time;
use camlscope_engine::query::growth::{HeapGrowth, Rate, Verdict};
use camlscope_engine::query::summary::Summary;
use camlscope_present::format;
use camlscope_present::words::errors::UserError;
use camlscope_present::words::growth;

/// Print one line every few seconds while the program runs: live bytes, the peak, and whether the heap grows.
///
/// Waits for a file that doesn't exist yet, and starts again when a new run replaces it. Stops when the program exits
/// (on Linux, if it runs on this machine), after --until-idle without new data, or on Ctrl+C. Prints a summary at the
/// end.
///
/// With --json, each line is one JSON object (JSON Lines).
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::WATCH)]
pub struct Args {
    /// The trace that the program is writing.
    file: PathBuf,
    /// How often to check the file for new data.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = time)]
    every: Duration,
    /// Stop after this long without new data, unless the program is known to be running. Also the time to wait for the
    /// file to appear [default: 60s, with no limit for the file].
    #[arg(long, value_name = "TIME", value_parser = time)]
    until_idle: Option<Duration>,
}

const USUAL_IDLE: Duration = Duration::from_secs(60);

/// A line of JSON.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line<'a> {
    /// The first packet of the trace has been read.
    Started {
        executable: &'a str,
        host: &'a str,
        pid: u64,
        start_time_us: u64,
        sample_rate: f64,
    },
    Now(&'a Figures),
    /// There has been no new data for this long.
    Resting {
        seconds: f64,
    },
    /// From here on, another run is followed.
    Restarted {
        why: &'static str,
    },
    Ended {
        why: &'static str,
        #[serde(flatten)]
        figures: Option<&'a Figures>,
    },
}

/// The state after reading part of the file.
#[derive(Clone, Debug, Serialize)]
struct Figures {
    /// The size of the file.
    file_bytes: u64,
    /// µs since the start of the trace.
    time_us: u64,
    live_bytes: f64,
    /// The change of `live_bytes` since the previous line, or since the start for the first one.
    live_change_bytes_per_s: f64,
    /// The same words as `leaks --json`: "growing", "stopped", "level" or "undecided".
    verdict: &'static str,
    /// Null if nothing is old enough to judge.
    growth_bytes_per_s: Option<f64>,
    growth_low: Option<f64>,
    growth_high: Option<f64>,
    peak_bytes: f64,
    peak_at_us: u64,
    allocated_bytes: f64,
    /// Growing functions, largest share first.
    growing: Vec<String>,
    #[serde(skip)]
    heap: HeapGrowth,
}

/// Why watching ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Program,
    Idle,
    Interrupted,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    Failure::if_standard_input(&args.file, "watch", "it follows a file while a program writes it")?;
    let interrupted = on_interrupt()?;
    let started = Instant::now();
    let mut watch = Watch {
        context,
        path: &args.file,
        follower: Follower::new(&args.file, context.budget_of_growing(&args.file)?),
        writer: Writer::default(),
        last: None,
        is_waiting: false,
        is_resting: false,
    };
    let end = loop {
        match watch.look()? {
            Found::Same => {
                if let Some(end) = watch.has_ended(args.until_idle.unwrap_or(USUAL_IDLE))? {
                    break end;
                }
            }
            Found::Nothing if args.until_idle.is_some_and(|most| started.elapsed() >= most) => {
                let waited = format::duration_us(started.elapsed().as_micros() as u64);
                return Err(Failure::input(&args.file, UserError::never_written(&waited)));
            }
            _ => {}
        }
        match interrupted.recv_timeout(args.every) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break End::Interrupted,
        }
    };
    watch.end(end)
}

/// Handles Ctrl+C from now on.
fn on_interrupt() -> Result<Receiver<()>, Failure> {
    let (sender, receiver) = channel();
    let handler = move || {
        // The receiver is gone only if the program is exiting anyway.
        let _ = sender.send(());
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::Usage(format!("Can't handle Ctrl+C: {error}.")))?;
    Ok(receiver)
}

struct Watch<'a> {
    context: &'a Context,
    path: &'a Path,
    follower: Follower,
    writer: Writer,
    /// The figures of the last line.
    last: Option<Figures>,
    /// Whether the user was told that the file doesn't exist yet, and that the program is idle.
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
                self.context.note(&format!("Waiting for {}.", self.path.display()));
            }
            Found::Nothing | Found::Same | Found::Part => {}
            Found::Replaced => self.begin_again("replaced", "the file was replaced: new run")?,
            Found::Shrunk => self.begin_again("shrunk", "the file got shorter: new run")?,
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
        self.say(&Line::Now(&figures), || as_text(&figures))?;
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
            let rate = UNITS.rate(info.sample_rate, f64::from(info.word_size) / 8.0);
            format!("{HEADING}{}{HEADING:#} pid {}, {rate}", clean(program), info.pid)
        })
    }

    fn figures(&mut self, summary: &Summary) -> Result<Figures, Failure> {
        let (before_us, before) = self.last.as_ref().map_or((0, 0.0), |last| (last.time_us, last.live_bytes));
        let live_bytes = summary.bytes_of(summary.samples.live_at_end);
        let seconds = summary.end_us.saturating_sub(before_us) as f64 / 1e6;
        let heap = self.heap_growth()?;
        let is_growing = heap.verdict == Verdict::Growing;
        let carriers = heap.carriers.iter().filter(|_| is_growing);
        Ok(Figures {
            file_bytes: summary.file_bytes,
            time_us: summary.end_us,
            live_bytes,
            live_change_bytes_per_s: if seconds > 0.0 { (live_bytes - before) / seconds } else { 0.0 },
            verdict: heap.verdict.as_str(),
            growth_bytes_per_s: heap.rate.map(|rate| rate.bytes_per_s),
            growth_low: heap.rate.map(|rate| rate.low),
            growth_high: heap.rate.map(|rate| rate.high),
            peak_bytes: summary.peak.bytes,
            peak_at_us: summary.peak.at_us,
            allocated_bytes: summary.allocated_bytes,
            growing: carriers.map(|carrier| carrier.name.clone()).collect(),
            heap,
        })
    }

    fn heap_growth(&mut self) -> Result<HeapGrowth, Failure> {
        let request = Request { view: View::default(), question: Question::Growth };
        match self.follower.session().handle(&request) {
            Ok(Answer::Growth(growth)) => Ok(growth.heap),
            Ok(_) => Err(Failure::input(self.path, Error::NoLoad.into())),
            Err(error) => Err(Failure::input(self.path, error.into())),
        }
    }

    fn has_ended(&mut self, until_idle: Duration) -> Result<Option<End>, Failure> {
        match self.writer.activity(until_idle) {
            Activity::Writing => Ok(None),
            Activity::Resting(idle) => {
                if !self.is_resting {
                    self.is_resting = true;
                    let seconds = idle.as_secs_f64();
                    self.say(&Line::Resting { seconds }, || {
                        format!("no new data for {}: the program is idle", format::duration_us((seconds * 1e6) as u64))
                    })?;
                }
                Ok(None)
            }
            Activity::Ended => {
                // The program may have written its last packet after the last check.
                let is_same_run = matches!(self.look()?, Found::Grown(_) | Found::Same);
                Ok(is_same_run.then_some(End::Program))
            }
            Activity::Silent(_) => Ok(Some(End::Idle)),
        }
    }

    fn end(&self, end: End) -> Result<(), Failure> {
        let (why, text) = match end {
            End::Program => ("program-ended", "the program exited"),
            End::Idle => ("idle", "no new data: the program exited or is idle"),
            End::Interrupted => ("interrupted", "interrupted"),
        };
        let figures = self.last.as_ref();
        self.say(&Line::Ended { why, figures }, || match figures {
            None => text.to_owned(),
            Some(figures) => format!("{text}\n{}", closing(figures)),
        })
    }

    fn say(&self, line: &Line<'_>, text: impl FnOnce() -> String) -> Result<(), Failure> {
        if self.context.json { self.context.print_json(line) } else { self.context.print(&(text() + "\n")) }
    }
}

/// `12.4 s  live 33 MiB  +1.2 MiB/s  peak 35 MiB  growing by 1.1 MiB/s (0.9–1.4): Orders.Session.start`.
fn as_text(figures: &Figures) -> String {
    let change = figures.live_change_bytes_per_s;
    let sign = if change < 0.0 { '−' } else { '+' };
    format!(
        "{}  live {}  {FAINT}{sign}{}/s{FAINT:#}  peak {}  {}",
        format::duration_us(figures.time_us),
        UNITS.bytes(figures.live_bytes),
        UNITS.bytes(change.abs()),
        UNITS.bytes(figures.peak_bytes),
        growth(figures),
    )
}

/// Returns the verdict in a few words.
fn growth(figures: &Figures) -> String {
    let HeapGrowth { verdict, rate, .. } = &figures.heap;
    match verdict {
        Verdict::Growing => {
            format!("{ERROR}growing{ERROR:#} by {}: {}", growth::rate(*rate, UNITS), named(&figures.growing))
        }
        Verdict::Stopped | Verdict::Level => {
            let high = rate.map_or(0.0, |Rate { high, .. }| high);
            format!("growth below {}/s", UNITS.bytes(high))
        }
        Verdict::Undecided(_) | Verdict::NothingAllocated => format!("{FAINT}growth: can't tell yet{FAINT:#}"),
    }
}

/// The maximum number of functions named in a line.
const MAX_NAMED: usize = 3;

fn named(growing: &[String]) -> String {
    let mut text = clean(&growing[..growing.len().min(MAX_NAMED)].join(", ")).to_string();
    if growing.len() > MAX_NAMED {
        text.push_str(&format!(" and {} more", growing.len() - MAX_NAMED));
    }
    text
}

fn closing(figures: &Figures) -> String {
    format!(
        "{} in total: {} allocated, peak {} at {}, {} live at the end\n{}",
        format::duration_us(figures.time_us),
        UNITS.bytes(figures.allocated_bytes),
        UNITS.bytes(figures.peak_bytes),
        format::duration_us(figures.peak_at_us),
        UNITS.bytes(figures.live_bytes),
        clean(&growth::headline(&figures.heap, UNITS)),
    )
}

/// Parses a duration above 0.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    match parse_time(text) {
        Some(us) if us > 0 => Ok(Duration::from_micros(us)),
        _ => Err("expected a time such as 500ms, 2s or 5min".to_owned()),
    }
}
