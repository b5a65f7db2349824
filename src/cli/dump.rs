//! `camlscope dump`: every event as a line, as memtrace's dump_trace prints them.

use std::io::Write;
use std::path::PathBuf;

use super::context::{Context, Failure, stdout};
use super::filter::{FilterArgs, parse_when};
use super::input::{Loaded, load};
use super::measure::MeasureArgs;
use super::text::clean;
use crate::protocol::{Answer, Question, View};
use crate::query::events::{EventsConfig, EventsPage, Start};
use crate::query::filter::When;
use crate::trace::Trace;

/// One line an event, with its stack from main to the allocation point.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace; `-` for standard input.
    file: PathBuf,
    /// Begin at this event, numbered from 0.
    #[arg(long, value_name = "N", group = "start")]
    from_event: Option<u64>,
    /// Begin at this time: `1.5s`, `20ms`, `peak`.
    #[arg(long, value_name = "TIME", group = "start", value_parser = parse_when)]
    from_time: Option<When>,
    /// Begin where this object is allocated; objects are numbered from 0.
    #[arg(long, value_name = "N", group = "start")]
    from_object: Option<u32>,
    /// Print so many events at most.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Print so many addresses of a stack at most, the innermost ones.
    #[arg(long, value_name = "N")]
    frames: Option<usize>,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    filter: FilterArgs,
}

/// Events decoded at a time, so that memory does not grow with the trace.
const PAGE: u64 = 4096;

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let filter = args.measure.narrowed(args.filter.filter()?)?;
    let mut loaded = load(context, &args.file)?;
    let start = start(args, loaded.trace()?);
    let mut pages = Pages {
        view: View { filter, ..View::default() },
        next: Some((start, args.limit.unwrap_or(u64::MAX))),
        max_frames: args.frames.unwrap_or(usize::MAX),
        loaded: &mut loaded,
    };
    if context.json { print_json(&mut pages) } else { print_lines(&mut pages) }
}

fn start(args: &Args, trace: &Trace) -> Start {
    let time_us = |when: When| match when {
        When::At(time_us) => time_us,
        When::Peak => trace.totals.peak.at_us,
        When::End => trace.end_us,
    };
    let by_event = args.from_event.map(Start::Event);
    let by_time = args.from_time.map(|when| Start::Time(time_us(when)));
    by_event.or(by_time).or(args.from_object.map(Start::Object)).unwrap_or(Start::Event(0))
}

fn print_lines(pages: &mut Pages<'_>) -> Result<(), Failure> {
    let mut out = stdout();
    while let Some(page) = pages.turn()? {
        for event in &page.events {
            writeln!(out, "{}", clean(&event.line()))?;
        }
    }
    Ok(out.flush()?)
}

/// One object as everywhere, but written as it is made: it may be as long as the trace.
fn print_json(pages: &mut Pages<'_>) -> Result<(), Failure> {
    let mut out = stdout();
    let (mut head, mut separator) = (true, "");
    while let Some(page) = pages.turn()? {
        if std::mem::take(&mut head) {
            write!(out, "{{\"total\":{},\"first\":{},\"events\":[", page.total, page.first)?;
        }
        for event in &page.events {
            writeln!(out, "{separator}")?;
            serde_json::to_writer(&mut out, event).map_err(std::io::Error::from)?;
            separator = ",";
        }
    }
    writeln!(out, "\n]}}")?;
    Ok(out.flush()?)
}

/// At least one page, if only an empty one.
struct Pages<'a> {
    loaded: &'a mut Loaded,
    view: View,
    /// Where the next page begins, and how many events are still wanted.
    next: Option<(Start, u64)>,
    max_frames: usize,
}

impl Pages<'_> {
    fn turn(&mut self) -> Result<Option<EventsPage>, Failure> {
        let Some((start, left)) = self.next else {
            return Ok(None);
        };
        let config =
            EventsConfig { start, limit: left.min(PAGE), max_frames: self.max_frames, kind: None, lives: false };
        let Answer::Events(page) = self.loaded.ask(self.view.clone(), Question::Events(config))? else {
            return Err(self.loaded.lost());
        };
        let n = page.events.len() as u64;
        let is_last = page.first + n >= page.total || n >= left;
        self.next = (!is_last).then(|| (Start::Event(page.first + n), left - n));
        Ok(Some(page))
    }
}
