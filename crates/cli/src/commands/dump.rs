//! `camlscope dump`: one event per line, in the format of memtrace's dump_trace.

use std::io::Write;
use std::path::PathBuf;

use super::arg_values::suggesting;
use super::context::{Context, Failure, SCHEMA, stdout};
use super::empty;
use super::filter::{NAMED_TIMES, parse_when, past_end, time_us};
use super::help;
use super::input::Loaded;
use super::measure::{CountedArgs, narrowed};
use super::text::clean;
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::events::{EventsConfig, EventsPage, Start};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::profile::ObjectData;
use camlscope_engine::query::summary::Summary;

/// Print every event, one per line, with its stack from main to the allocation site.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::DUMP)]
pub struct Args {
    /// The trace; `-` for standard input.
    file: PathBuf,
    /// Start at this event. Events are numbered from 0.
    #[arg(long, value_name = "N", group = "start")]
    from_event: Option<u64>,
    /// Start at this time: `1.5s`, `20ms`, `peak`.
    #[arg(long, value_name = "TIME", group = "start", hide_possible_values = true,
        value_parser = suggesting(NAMED_TIMES, parse_when))]
    from_time: Option<When>,
    /// Start where this object is allocated. Objects are numbered from 0.
    #[arg(long, value_name = "N", group = "start")]
    from_object: Option<u32>,
    /// Maximum number of events [default: all].
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Maximum number of frames per stack, innermost first [default: all].
    #[arg(long, value_name = "N")]
    frames: Option<usize>,
    #[command(flatten)]
    counted: CountedArgs,
}

/// The number of events decoded at a time, so that memory use doesn't depend on the size of the trace.
const PAGE: u64 = 4096;

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let (mut loaded, filter, measure) = args.counted.open_in_bytes(context, &args.file, "dump")?;
    let filter = narrowed(&filter, measure);
    loaded.needed_trace(ObjectData::Events)?;
    let start = start(args, &loaded.file)?;
    let mut pages = Pages {
        view: View { filter: filter.clone(), ..View::default() },
        next: Some((start, args.limit.unwrap_or(u64::MAX))),
        max_frames: args.frames.unwrap_or(usize::MAX),
        loaded: &mut loaded,
    };
    let total = if context.json { print_json(&mut pages, measure) } else { print_lines(&mut pages) }?;
    if total == 0 {
        empty::explain(context, &loaded, &filter)?;
    }
    Ok(())
}

fn start(args: &Args, file: &Summary) -> Result<Start, Failure> {
    let by_event = args.from_event.map(Start::Event);
    let by_time = match args.from_time.map(|when| time_us(file, when)) {
        Some(late) if late > file.end_us => return Err(past_end("--from-time", file, late)),
        time => time.map(Start::Time),
    };
    Ok(by_event.or(by_time).or(args.from_object.map(Start::Object)).unwrap_or(Start::Event(0)))
}

/// Returns the total number of events.
fn print_lines(pages: &mut Pages<'_>) -> Result<u64, Failure> {
    let mut out = stdout();
    let mut total = 0;
    while let Some(page) = pages.turn()? {
        total = page.total;
        for event in &page.events {
            writeln!(out, "{}", clean(&event.line()))?;
        }
    }
    out.flush()?;
    Ok(total)
}

/// Prints one JSON object, like other commands, but incrementally, because it may be as long as the trace.
fn print_json(pages: &mut Pages<'_>, measure: Measure) -> Result<u64, Failure> {
    let mut out = stdout();
    let (mut total, mut head, mut separator) = (0, true, "");
    while let Some(page) = pages.turn()? {
        total = page.total;
        if std::mem::take(&mut head) {
            let (measure, first) = (measure.to_string(), page.first);
            write!(out, "{{\"schema\":{SCHEMA},\"measure\":\"{measure}\",\"unit\":\"events\",")?;
            write!(out, "\"total\":{total},\"first\":{first},\"events\":[")?;
        }
        for event in &page.events {
            writeln!(out, "{separator}")?;
            serde_json::to_writer(&mut out, event).map_err(std::io::Error::from)?;
            separator = ",";
        }
    }
    writeln!(out, "\n]}}")?;
    out.flush()?;
    Ok(total)
}

/// Yields at least one page, even if it's empty.
struct Pages<'a> {
    loaded: &'a mut Loaded,
    view: View,
    /// The start of the next page, and the number of events left to print.
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
