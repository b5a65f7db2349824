//! `camlscope leaks`: whether the heap grows, since when, and which functions allocate what is never freed.

use crate::UNITS;
use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Value, json};

use super::arg_values::{at_least_one, grain};
use super::context::{Context, Failure};
use super::empty;
use super::help;
use super::json::Measured;
use super::measure::{CountedArgs, narrowed};
use super::text::{BAR, Cell, ERROR, FAINT, HEADING, PLAIN, Table, clean, sparkline};
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::growth::{Change, Growth, HeapGrowth, Rate, Segment, SiteGrowth, Verdict};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::format;
use camlscope_present::terminal_text::{coarser, wrapped};
use camlscope_present::words::growth;
use camlscope_present::words::labels::distinct_labels;

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
    /// Print only sites with these verdicts.
    #[arg(long, value_enum, value_name = "VERDICT,…", value_delimiter = ',')]
    verdict: Vec<PrintedVerdict>,
    /// Print only sites with at least this share of the growth: `5%`.
    #[arg(long, value_name = "P%", value_parser = parse_share)]
    min_share: Option<f64>,
    /// Print only sites that grow by at least this many bytes per second: `10K` (K, M, G: powers of 1024).
    #[arg(long, value_name = "SIZE", value_parser = format::parse_bytes)]
    min_growth: Option<u64>,
    /// Number of sites to print [default: 20; with --json, all].
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    top: Option<usize>,
    #[command(flatten)]
    counted: CountedArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PrintedVerdict {
    Growing,
    Stopped,
    Level,
    Undecided,
}

impl Args {
    /// Whether a site is above the thresholds.
    fn prints(&self, site: &SiteGrowth) -> bool {
        let is_verdict = |verdict: &PrintedVerdict| match verdict {
            PrintedVerdict::Growing => site.verdict == Verdict::Growing,
            PrintedVerdict::Stopped => site.verdict == Verdict::Stopped,
            PrintedVerdict::Level => site.verdict == Verdict::Level,
            PrintedVerdict::Undecided => matches!(site.verdict, Verdict::Undecided(_) | Verdict::NothingAllocated),
        };
        let (share, rate) =
            (site.share.map_or(0.0, |share| share.value), site.rate.map_or(0.0, |rate| rate.bytes_per_s));
        (self.verdict.is_empty() || self.verdict.iter().any(is_verdict))
            && self.min_share.is_none_or(|least| share >= least)
            && self.min_growth.is_none_or(|least| rate >= least as f64)
    }
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
    let n_all = answer.sites.len();
    answer.sites.retain(|site| args.prints(site));
    let n_sites = answer.sites.len();
    if n_sites == 0 && n_all > 0 {
        context.note(&format!("No site is above the thresholds. {} are below.", format::count(n_all as u64)));
    }
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
    let sites: Vec<Value> =
        sites.iter().zip(titles(sites)).map(|(site, title)| site_reply(heap, site, title)).collect();
    json!({ "heap": with_rate(heap.rate, of_heap), "sites": sites })
}

fn site_reply(heap: &HeapGrowth, site: &SiteGrowth, title: String) -> Value {
    let fields = json!({
        "name": site.name,
        "label": site.label().plain(),
        "title": title,
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
    let columns =
        ["verdict", "growth (95% interval)", "share", "at the end", "samples", "never freed", "site", "reason"];
    let is_shown = |column: &str| !(heap.is_profile && column == "samples");
    let shown: Vec<&str> = columns.into_iter().filter(|name| is_shown(name)).collect();
    let left = &["verdict", "never freed", "site", "reason"];
    let mut table =
        Table::new(&shown, left).cutting(&["site"]).leaving_out(&["reason", "samples", "never freed", "at the end"]);
    for (site, title) in sites.iter().zip(titles(sites)) {
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
            Cell::from(title),
            Cell::from(growth::reason(heap, site, UNITS)).styled(FAINT),
        ];
        let shown = columns.iter().zip(cells).filter(|(name, _)| is_shown(name));
        table.push(shown.map(|(_, cell)| cell).collect());
    }
    table
}

fn titles(sites: &[SiteGrowth]) -> Vec<String> {
    distinct_labels(&sites.iter().map(SiteGrowth::label).collect::<Vec<Label>>())
}

fn parse_share(text: &str) -> Result<f64, String> {
    let percent =
        text.strip_suffix('%').and_then(format::read_decimal).filter(|percent| (0.0..=100.0).contains(percent));
    percent.map(|percent| percent / 100.0).ok_or_else(|| format!("expected a percentage such as 5%, not “{text}”"))
}
