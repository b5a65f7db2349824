//! `camlscope leaks`: whether the heap grows, since when, and which functions allocate what is never freed.

use crate::UNITS;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::arg_values::{at_least_one, grain};
use super::context::{Context, Failure};
use super::empty;
use super::help;
use super::json::Measured;
use super::measure::{CountedArgs, narrowed};
use super::text::{BAR, Cell, ERROR, FAINT, HEADING, PLAIN, Table, clean, sparkline};
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::frame_names::frame_names;
use camlscope_engine::query::growth::{Change, Growth, HeapGrowth, Rate, Segment, SiteGrowth, Verdict};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::format;
use camlscope_present::terminal_text::{coarser, wrapped};
use camlscope_present::words::growth;

/// Report whether the heap grows, since when, and which allocation sites account for it.
///
/// Growth is bytes per second that were never freed, by time of allocation. Objects that are too young to judge don't count.
/// The verdict is on the whole trace. A filter only selects sites. `--measure growth` gives the
/// same figures in `table`, `flame`, `compare` and all exports.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::LEAKS)]
pub struct Args {
    /// The trace or profile; `-` for standard input.
    file: PathBuf,
    /// Group sites by this.
    #[arg(long, value_parser = grain(), default_value = "site")]
    by: Grain,
    /// Number of sites to print [default: 20; with --json, all].
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    top: Option<usize>,
    #[command(flatten)]
    counted: CountedArgs,
}

/// What fits on a screen.
const USUAL_TOP: usize = 20;
const BARS_WIDTH: usize = 16;
/// The width of text without a terminal.
const USUAL_WIDTH: usize = 100;

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let (mut loaded, filter, measure) = args.counted.open_in_bytes(context, &args.file, "leaks")?;
    let filter = narrowed(&filter, measure);
    let view = View { filter: filter.clone(), grain: args.by, ..View::default() };
    let Answer::Growth(mut answer) = loaded.ask(view, Question::Growth)? else {
        return Err(loaded.lost());
    };
    if answer.sites.is_empty() {
        empty::explain(context, &loaded, &filter)?;
    }
    let n_sites = answer.sites.len();
    let top = args.top.unwrap_or(if context.json { usize::MAX } else { USUAL_TOP });
    answer.sites.truncate(top);
    match context.json {
        true => context.print_json(&Measured::new(Measure::GROWTH, &reply(&answer)).at(loaded.snapshots)),
        false => context.print(&text(&answer, n_sites, !filter.clauses.is_empty(), context.width)),
    }
}

/// Returns the result as JSON. Rates are null if nothing is old enough to judge. Times are µs since the start of the
/// trace.
fn reply(growth: &Growth) -> Value {
    let Growth { heap, sites, .. } = growth;
    // Growth since the start has time 0. Without growth, there is no time.
    let is_growth = heap.since.is_some() || matches!(heap.verdict, Verdict::Growing | Verdict::Stopped);
    let since = |of: fn(&Change) -> u64| is_growth.then(|| heap.since.as_ref().map_or(0, of));
    let segment = |Segment { window, rate }: &Segment| {
        with_rate(Some(*rate), json!({ "from_us": window.from_us, "to_us": window.to_us }))
    };
    let of_heap = json!({
        "verdict": heap.verdict.as_str(),
        "text": growth::headline(heap, UNITS),
        "since_us": since(|change| change.at_us),
        "since_low_us": since(|change| change.low_us),
        "since_high_us": since(|change| change.high_us),
        "until_us": heap.until.map(|change| change.at_us),
        "until_low_us": heap.until.map(|change| change.low_us),
        "until_high_us": heap.until.map(|change| change.high_us),
        "old_enough_us": heap.old_enough_us,
        "judged_until_us": heap.judged_until_us(),
        "samples": heap.samples,
        "called_from": heap.caller.as_ref().map(|caller| &caller.name),
        "called_from_label": heap.caller.as_ref().map(Label::plain),
        "segments": heap.segments.iter().map(segment).collect::<Vec<_>>(),
        // Bytes per second that were never freed, in equal steps of allocation time over the entire trace.
        "never_freed": heap.bars,
    });
    let sites: Vec<Value> = sites.iter().map(|site| site_reply(heap, site)).collect();
    json!({ "heap": with_rate(heap.rate, of_heap), "sites": sites })
}

fn site_reply(heap: &HeapGrowth, site: &SiteGrowth) -> Value {
    let fields = json!({
        "name": site.name,
        "label": site.label().plain(),
        "file": site.file,
        "line": site.line,
        "start_char": site.start_char,
        "end_char": site.end_char,
        "verdict": site.verdict.as_str(),
        "reason": growth::reason(heap, site, UNITS),
        "share_of_growth": site.share.map(|share| share.value),
        "share_low": site.share.map(|share| share.low),
        "share_high": site.share.map(|share| share.high),
        "allocated_bytes": site.allocated_bytes,
        "end_bytes": site.end_bytes,
        "samples": site.samples,
        "growth_samples": site.grown_samples,
        "never_freed": site.bars,
    });
    with_rate(site.rate, fields)
}

fn with_rate(rate: Option<Rate>, mut fields: Value) -> Value {
    fields["growth_bytes_per_s"] = rate.map(|rate| rate.bytes_per_s).into();
    fields["growth_low"] = rate.map(|rate| rate.low).into();
    fields["growth_high"] = rate.map(|rate| rate.high).into();
    fields
}

fn text(growth: &Growth, n_sites: usize, is_filtered: bool, width: Option<usize>) -> String {
    let Growth { heap, sites, .. } = growth;
    let line_width = width.unwrap_or(USUAL_WIDTH);
    let mut text = String::new();
    for line in wrapped(&growth::headline(heap, UNITS), line_width) {
        text.push_str(&format!("{HEADING}{}{HEADING:#}\n", clean(&line)));
    }
    let mut details = growth::details(heap, UNITS);
    if is_filtered {
        details.push("The verdict is for the entire trace. The table lists sites that match the filter.".to_owned());
    }
    for line in details.iter().flat_map(|detail| wrapped(detail, line_width)) {
        text.push_str(&format!("{FAINT}{}{FAINT:#}\n", clean(&line)));
    }
    if sites.is_empty() {
        return text;
    }
    text.push('\n');
    text.push_str(&table(growth).render(width));
    let n_more = n_sites - sites.len();
    if n_more > 0 {
        let sites = if n_more == 1 { "site" } else { "sites" };
        let n_more = format::count(n_more as u64);
        text.push_str(&format!("\n{FAINT}{n_more} more {sites}. Use --top to show more.{FAINT:#}\n"));
    }
    text
}

fn table(growth: &Growth) -> Table {
    let Growth { heap, sites, .. } = growth;
    let columns = ["verdict", "growth (95% interval)", "share", "at the end", "samples", "never freed", "site"];
    let is_shown = |column: &str| !(heap.is_profile && column == "samples");
    let shown: Vec<&str> = columns.into_iter().filter(|name| is_shown(name)).collect();
    let left = &["verdict", "never freed", "site"];
    let mut table = Table::new(&shown, left).cutting(&["site"]).leaving_out(&["samples", "never freed", "at the end"]);
    for (site, location) in sites.iter().zip(locations(sites)) {
        let style = match site.verdict {
            Verdict::Growing => ERROR,
            Verdict::Undecided(_) | Verdict::NothingAllocated => FAINT,
            Verdict::Stopped | Verdict::Level => PLAIN,
        };
        let rate = site.rate.map_or_else(|| "–".to_owned(), |rate| growth::rate(Some(rate), UNITS));
        let share = site.share.map_or_else(|| "–".to_owned(), |share| format!("{:.1}%", share.value * 100.0));
        let cells = [
            Cell::from(site.verdict.as_str()).styled(style),
            Cell::from(rate),
            Cell::from(share),
            Cell::from(UNITS.bytes(site.end_bytes)),
            Cell::from(format::count(site.samples)),
            Cell::from(sparkline(&coarser(&site.bars, BARS_WIDTH))).styled(BAR),
            Cell::from(location),
        ];
        let shown = columns.iter().zip(cells).filter(|(name, _)| is_shown(name));
        table.push(shown.map(|(_, cell)| cell).collect());
    }
    table
}

/// Returns distinct names and locations for all rows.
fn locations(sites: &[SiteGrowth]) -> Vec<String> {
    let labels: Vec<Label> = sites.iter().map(SiteGrowth::label).collect();
    let with_file = |(text, label): (String, &Label)| match label.place {
        None if !label.file.is_empty() && !text.ends_with(&label.file) => format!("{text} {}", label.file),
        _ => text,
    };
    frame_names(&labels).into_iter().zip(&labels).map(with_file).collect()
}
