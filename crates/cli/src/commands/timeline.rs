//! `camlscope timeline`: live bytes over time, with allocation and promotion per step.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::arg_values::{at_least_one, one_of};
use super::context::{Context, Failure};
use super::empty;
use super::help;
use super::json::Measured;
use super::measure::{CountedArgs, narrowed};
use super::text::{BAR, Cell, Table, bar, sparkline};
use crate::UNITS;
use camlscope_engine::profile::WORD_BYTES;
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::filter::Clause;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::profile::{ObjectData, ProfileSummary, Snapshot};
use camlscope_engine::query::timeline::{By, Graph, SeriesOf, Timeline, TimelineConfig};
use camlscope_present::export::timeline_chart;
use camlscope_present::format;
use camlscope_present::layout::timeline::{Axes, Times};
use camlscope_present::words;

/// Print live bytes over time (minimum, maximum and last value of each step), and allocation and promotion per step.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::TIMELINE)]
pub struct Args {
    /// The trace or profile; `-` for standard input.
    file: PathBuf,
    /// Number of steps, all of the same length [default: 40; with --svg, 600].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    points: Option<u32>,
    /// Print a picture as SVG instead. With --by, it has a layer for each series.
    #[arg(long, conflicts_with = "json")]
    svg: bool,
    /// Print a series for each of the largest of these.
    #[arg(long, value_parser = one_of::<By>(["function", "site", "file", "module", "heap", "domain"]))]
    by: Option<By>,
    /// Number of series. The rest is one more series.
    #[arg(long, value_name = "N", default_value = "10", requires = "by", value_parser = at_least_one)]
    top: usize,
    #[command(flatten)]
    counted: CountedArgs,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let (mut loaded, filter, measure) = args.counted.open_in_bytes(context, &args.file, "timeline")?;
    let filter = narrowed(&filter, measure);
    let is_of_time = |clause: &Clause| matches!(clause, Clause::LiveAt(_) | Clause::Allocated(_));
    if loaded.profile().is_some() && filter.clauses.iter().any(is_of_time) {
        loaded.needed_trace(ObjectData::Curve)?;
    }
    let to_us = loaded.file.end_us;
    let by = args.by;
    if let Some(profile) =
        loaded.file.profile.clone().filter(|_| by.is_none() && filter.clauses.is_empty() && !args.svg)
    {
        return print_snapshots(context, measure, &profile);
    }
    let n_steps = args.points.unwrap_or(if args.svg { 600 } else { 40 }) as usize;
    let config = TimelineConfig { from_us: 0, to_us, n_steps, by, top: args.top, graph: Graph::LiveBytes };
    let Answer::Timeline(answer) =
        loaded.ask(View { filter: filter.clone(), ..View::default() }, Question::Timeline(config))?
    else {
        return Err(loaded.lost());
    };
    if answer.peak.bytes == 0.0 {
        empty::explain(context, &loaded, &filter)?;
    }
    if args.svg {
        let about = vec![format!("live bytes of {}", words::filter::filter(&filter))];
        let words = loaded.chart_words("Live bytes over time", about);
        let times = loaded.file.profile.as_deref().map_or(Times::Elapsed, |profile| Times::Cpu(profile.into()));
        let axes = Axes { graph: Graph::LiveBytes, times, units: UNITS };
        return context.print_text(&timeline_chart(&answer, &axes, words, &loaded.module_colors()));
    }
    match context.json {
        true => context.print_json(&Measured::new(measure, &json(&answer))),
        false => context.print(&as_text(&answer, context.width)),
    }
}

/// Adds the plain name of each series next to its name.
fn json(answer: &Timeline) -> Value {
    let mut json = serde_json::to_value(answer).unwrap_or_default();
    for (json, series) in json["series"].as_array_mut().into_iter().flatten().zip(&answer.series) {
        json["label"] = match &series.of {
            SeriesOf::Frame(label) => label.plain().into(),
            _ => series.name.as_str().into(),
        };
    }
    json
}

/// Prints a profile's curves, which have one value per snapshot. Allocations are counted since the start of the
/// program.
fn print_snapshots(context: &Context, measure: Measure, profile: &ProfileSummary) -> Result<(), Failure> {
    let each = || profile.snapshots.iter();
    let bytes = |words: u64| words as f64 * WORD_BYTES;
    let values = |of: fn(&Snapshot) -> u64| each().map(of).collect::<Vec<_>>();
    let curve = |of: fn(&Snapshot) -> u64| each().map(|snapshot| bytes(of(snapshot))).collect::<Vec<_>>();
    let snapshots = json!({
        "times_us": values(|snapshot| snapshot.at_us),
        "live_bytes": curve(|snapshot| snapshot.live_words),
        "live_blocks": values(|snapshot| snapshot.live_blocks),
        "unattributed_bytes": curve(|snapshot| snapshot.unattributed_words),
        "allocated_bytes": curve(|snapshot| snapshot.allocated_words),
    });
    if context.json {
        return context.print_json(&Measured::new(measure, &snapshots));
    }
    let mut table = Table::new(&["CPU time", "live", "blocks", "unattributed", "allocated so far"], &[]);
    for snapshot in each() {
        table.push(vec![
            Cell::from(format::elapsed_us(snapshot.at_us)),
            Cell::from(UNITS.bytes(bytes(snapshot.live_words))),
            Cell::from(format::count(snapshot.live_blocks)),
            Cell::from(UNITS.bytes(bytes(snapshot.unattributed_words))),
            Cell::from(UNITS.bytes(bytes(snapshot.allocated_words))),
        ]);
    }
    context.print(&table.render(context.width))
}

fn as_text(answer: &Timeline, width: Option<usize>) -> String {
    let mut text = steps(answer, width);
    let peak = &answer.peak;
    text.push_str(&format!("\npeak {} at {}\n", UNITS.bytes(peak.bytes), format::duration_us(peak.at_us)));
    if !answer.series.is_empty() {
        text.push('\n');
        text.push_str(&series(answer, width));
    }
    text
}

fn steps(answer: &Timeline, width: Option<usize>) -> String {
    /// The maximum width of the figures.
    const FIGURES: usize = 72;
    let bar_width = width.map_or(30, |width| width.saturating_sub(FIGURES).clamp(8, 30));
    let columns = ["from", "live: min", "max", "last", "", "allocated", "promoted"];
    let mut table = Table::new(&columns, &[""]).leaving_out(&["live: min"]);
    let highest = answer.live_max.iter().copied().fold(0.0, f64::max);
    for (n, &last) in answer.live_last.iter().enumerate() {
        let from_us = answer.from_us as f64 + n as f64 * answer.step_us;
        let bytes = |values: &[f64]| Cell::from(UNITS.bytes(values.get(n).copied().unwrap_or(0.0)));
        table.push(vec![
            format::duration_us(from_us.round() as u64).into(),
            bytes(&answer.live_min),
            bytes(&answer.live_max),
            bytes(&answer.live_last),
            Cell::from(format!("{:<bar_width$}", bar(last / highest, bar_width))).styled(BAR),
            bytes(&answer.allocated),
            bytes(&answer.promoted),
        ]);
    }
    table.render(width)
}

/// Prints the series as sparklines, largest area first.
fn series(answer: &Timeline, width: Option<usize>) -> String {
    let mut table = Table::new(&["live", "max", "at the end", "curve"], &["live", "curve"])
        .cutting(&["live"])
        .leaving_out(&["curve"]);
    for (name, series) in answer.series_names().iter().zip(&answer.series) {
        let highest = series.live_last.iter().copied().fold(0.0, f64::max);
        table.push(vec![
            name.as_str().into(),
            UNITS.bytes(highest).into(),
            UNITS.bytes(series.live_last.last().copied().unwrap_or(0.0)).into(),
            Cell::from(sparkline(&series.live_last)).styled(BAR),
        ]);
    }
    table.render(width)
}
