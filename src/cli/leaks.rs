//! `camlscope leaks`: which sites grow, and which only look large.

use std::path::PathBuf;

use super::context::{Context, Failure};
use super::filter::FilterArgs;
use super::input::load;
use super::measure::MeasureArgs;
use super::stacks::Grain;
use super::text::{Align, BAR, Cell, ERROR, FAINT, PLAIN, Table, sparkline};
use crate::format;
use crate::protocol::{Answer, Question, View};
use crate::query::leaks::{Leaks, LeaksConfig, Site, Verdict};

/// Each allocation site with a verdict (growing, bounded, start-up, burst) and its reason; those that grow first.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace; `-` for standard input.
    file: PathBuf,
    /// What a site is.
    #[arg(long, value_enum, default_value = "site")]
    by: Grain,
    /// So many sites at most; all in JSON where it is not given.
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    filter: FilterArgs,
}

/// What fits on a screen.
const USUAL_TOP: usize = 20;
/// Values of the curve a character.
const CURVE_WIDTH: usize = 16;

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let filter = args.measure.narrowed(args.filter.filter()?)?;
    let mut loaded = load(context, &args.file)?;
    let view = View { filter, grain: args.by.of_query(), ..View::default() };
    let Answer::Leaks(mut answer) = loaded.ask(view, Question::Leaks(LeaksConfig::default()))? else {
        return Err(loaded.lost());
    };
    let n_sites = answer.sites.len();
    let top = args.top.unwrap_or(if context.json { usize::MAX } else { USUAL_TOP });
    answer.sites.truncate(top);
    if context.json { context.print_json(&answer) } else { context.print(&words(&answer, n_sites)) }
}

fn words(answer: &Leaks, n_sites: usize) -> String {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("verdict", Align::Left),
        ("a second", right),
        ("at the end", right),
        ("samples", right),
        ("live", Align::Left),
        ("site", Align::Left),
    ]);
    for site in &answer.sites {
        let style = match site.verdict {
            Verdict::Growing => ERROR,
            Verdict::TooFewSamples => FAINT,
            Verdict::Bounded | Verdict::StartUp | Verdict::Burst | Verdict::Kept | Verdict::BuildsUp => PLAIN,
        };
        table.push(vec![
            Cell::from(site.verdict.name()).styled(style),
            Cell::from(format::bytes(site.growth_bytes_per_s)),
            Cell::from(format::bytes(site.end_bytes)),
            Cell::from(format::count(site.samples)),
            Cell::from(sparkline(&coarser(&site.sparkline))).styled(BAR),
            Cell::from(place(site)),
        ]);
    }
    let mut text = table.render();
    let growing: Vec<&Site> = answer.sites.iter().filter(|site| site.verdict == Verdict::Growing).collect();
    text.push_str(&format!("\n{}\n", answer.conclusion.text));
    for site in growing {
        text.push_str(&format!("\n{}\n    {}\n", super::text::clean(&place(site)), super::text::clean(&site.reason)));
    }
    let n_more = n_sites - answer.sites.len();
    if n_more > 0 {
        text.push_str(&format!(
            "\n{FAINT}and {} more sites; --top shows more{FAINT:#}\n",
            format::count(n_more as u64)
        ));
    }
    text
}

fn place(site: &Site) -> String {
    match site.line {
        Some(line) => format!("{} {}:{line}", site.name, site.file),
        None if site.file.is_empty() => site.name.clone(),
        None => format!("{} {}", site.name, site.file),
    }
}

/// The highest of each few values.
fn coarser(values: &[f64]) -> Vec<f64> {
    let step = values.len().div_ceil(CURVE_WIDTH).max(1);
    values.chunks(step).map(|values| values.iter().copied().fold(0.0, f64::max)).collect()
}
