//! `camlscope leaks`: which sites grow, and which only look large.

use std::path::PathBuf;

use super::context::{Context, Failure};
use super::empty;
use super::filter::FilterArgs;
use super::input::open;
use super::json::Measured;
use super::measure::{MeasureArgs, narrowed};
use super::stacks::Grain;
use super::text::{Align, BAR, Cell, ERROR, FAINT, PLAIN, Table, sparkline};
use super::values::at_least_one;
use crate::format;
use crate::protocol::{Answer, Question, View};
use crate::query::leaks::{Leaks, LeaksConfig, Site, Verdict};
use crate::terminal::text::coarser;

/// Each allocation site with a verdict (growing, bounded, start-up, burst) and its reason; those that grow first.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace or profile; `-` for standard input.
    file: PathBuf,
    /// What a site is.
    #[arg(long, value_enum, default_value = "site")]
    by: Grain,
    /// So many sites at most; all in JSON where it is not given.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
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
    let measure = args.measure.in_bytes(&args.filter.check()?, "leaks")?;
    let (mut loaded, filter) = open(context, &args.file, &args.filter, measure)?;
    let filter = narrowed(&filter, measure);
    let view = View { filter: filter.clone(), grain: args.by.of_query(), ..View::default() };
    let Answer::Leaks(mut answer) = loaded.ask(view, Question::Leaks(LeaksConfig::default()))? else {
        return Err(loaded.lost());
    };
    if answer.sites.is_empty() {
        empty::explain(context, &loaded, &filter)?;
    }
    let n_sites = answer.sites.len();
    let top = args.top.unwrap_or(if context.json { usize::MAX } else { USUAL_TOP });
    answer.sites.truncate(top);
    match context.json {
        true => context.print_json(&Measured::new(measure, &answer)),
        false if answer.sites.is_empty() => Ok(()),
        false => context.print(&words(&answer, n_sites, loaded.trace().is_none(), context.width)),
    }
}

fn words(answer: &Leaks, n_sites: usize, is_profile: bool, width: Option<usize>) -> String {
    let right = Align::Right;
    let columns = [
        ("verdict", Align::Left),
        ("a second", right),
        ("at the end", right),
        ("samples", right),
        ("live", Align::Left),
        ("site", Align::Left),
    ];
    let is_shown = |column: &str| !(is_profile && column == "samples");
    let shown: Vec<(&str, Align)> = columns.into_iter().filter(|(name, _)| is_shown(name)).collect();
    let mut table = Table::new(&shown).cutting(&["site"]).leaving_out(&["samples", "live"]);
    for site in &answer.sites {
        let style = match site.verdict {
            Verdict::Growing => ERROR,
            Verdict::TooFewSamples => FAINT,
            Verdict::Bounded | Verdict::StartUp | Verdict::Burst | Verdict::Kept | Verdict::BuildsUp => PLAIN,
        };
        let cells = [
            Cell::from(site.verdict.name()).styled(style),
            Cell::from(format::bytes(site.growth_bytes_per_s)),
            Cell::from(format::bytes(site.end_bytes)),
            Cell::from(format::count(site.samples)),
            Cell::from(sparkline(&coarser(&site.sparkline, CURVE_WIDTH))).styled(BAR),
            Cell::from(place(site)),
        ];
        let shown = columns.iter().zip(cells).filter(|((name, _), _)| is_shown(name));
        table.push(shown.map(|(_, cell)| cell).collect());
    }
    let mut text = table.render(width);
    text.push_str(&format!("\n{}\n", answer.conclusion.text));
    for site in answer.sites.iter().filter(|site| site.verdict == Verdict::Growing) {
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
        // Where there are no names of functions, the place is the name.
        Some(line) if site.name.ends_with(&format!(":{line}")) => {
            let columns =
                site.start_char.zip(site.end_char).map_or_else(String::new, |(from, to)| format!(":{from}-{to}"));
            format!("{}:{line}{columns}", site.file)
        }
        Some(line) => format!("{} {}:{line}", site.name, site.file),
        None if site.file.is_empty() => site.name.clone(),
        None => format!("{} {}", site.name, site.file),
    }
}
