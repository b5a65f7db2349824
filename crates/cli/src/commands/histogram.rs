//! `camlscope histogram`: the sizes or lifetimes of blocks.

use std::path::PathBuf;

use super::arg_values::{one_of, suggesting};
use super::context::{Context, Failure};
use super::empty;
use super::help;
use super::json::Measured;
use super::measure::{CountedArgs, narrowed};
use super::text::{BAR, Cell, Table, bar, facts};
use crate::UNITS;
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::histogram::{Bin, BinAmounts, Bins, Counted, Histogram, HistogramConfig, Of, Split};
use camlscope_engine::query::measure::{Measure, Unit};
use camlscope_present::format;

/// Print a histogram of sizes or lifetimes, with statistics.
///
/// Lifetime statistics only cover collected objects. `table` also counts objects that were never collected, with their
/// age at the end of the trace, so its mean lifetimes are longer.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::HISTOGRAM)]
pub struct Args {
    /// The trace; `-` for standard input.
    file: PathBuf,
    /// Sizes in words, or lifetimes.
    #[arg(long, value_parser = one_of::<Of>(["size", "lifetime"]))]
    of: Of,
    /// Bins: `log2`, `log10`, `classic` (single sizes up to 32 words, then up to 256, up to 10,000, and above), or equal bins such
    /// as `0..256:16` and `0s..2s:20` [default: log2 for sizes, log10 for lifetimes].
    #[arg(long, hide_possible_values = true,
        value_parser = suggesting(&["log2", "log10", "classic"], |text| Ok(text.to_owned())))]
    bins: Option<String>,
    /// What bars and statistics count [default: what the measure counts, or samples].
    #[arg(long, value_parser = one_of::<Counted>(["samples", "bytes", "blocks"]))]
    weight: Option<Counted>,
    /// Split bins by heap or by fate. Only with --json.
    #[arg(long, value_parser = one_of::<Split>(["heap", "fate"]), requires = "json")]
    split: Option<Split>,
    #[command(flatten)]
    counted: CountedArgs,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let measure = args.counted.measure.measure(&args.counted.filter.check()?)?;
    let weight = weight(args, measure)?;
    let bins = bins(args).map_err(Failure::Usage)?;
    let config = HistogramConfig { of: args.of, bins, split: args.split, weight };
    let (mut loaded, filter, measure) = args.counted.open_with(context, &args.file, measure)?;
    let filter = narrowed(&filter, measure);
    let view = View { filter: filter.clone(), ..View::default() };
    let Answer::Histogram(answer) = loaded.ask(view, Question::Histogram(config))? else {
        return Err(loaded.lost());
    };
    if answer.stats.count == 0.0 && answer.never.is_none_or(|never| never.samples == 0) {
        empty::explain(context, &loaded, &filter)?;
    }
    match context.json {
        true => context.print_json(&Measured::in_unit(measure, weight.as_str(), &answer)),
        false => context.print(&as_text(&answer, &config, context.width)),
    }
}

/// Returns the requested weight, or that of the measure.
fn weight(args: &Args, measure: Measure) -> Result<Counted, Failure> {
    Ok(match (args.weight, measure.unit().counted()) {
        (_, Unit::ByteSeconds | Unit::Calls) => {
            let name = measure.name();
            let hint = format!("histogram doesn't support --measure {name}. Use --weight samples, bytes or blocks.");
            return Err(Failure::Usage(hint));
        }
        (Some(weight), _) => weight,
        (None, Unit::Samples) => Counted::Samples,
        (None, Unit::Blocks) => Counted::Blocks,
        (None, _) if !args.counted.measure.is_given() => Counted::Samples,
        (None, _) => Counted::Bytes,
    })
}

fn bins(args: &Args) -> Result<Bins, String> {
    let Some(text) = &args.bins else {
        return Ok(if args.of == Of::Size { Bins::Log2 } else { Bins::Log10 });
    };
    let expected = match args.of {
        Of::Size => "log2, log10, classic, or equal bins such as 0..256:16",
        Of::Lifetime => "log2, log10, or equal bins such as 0s..2s:20",
    };
    Bins::parse(text, args.of).ok_or_else(|| format!("Invalid value “{text}” for --bins: expected {expected}."))
}

fn as_text(answer: &Histogram, config: &HistogramConfig, width: Option<usize>) -> String {
    let weigh = |amounts: BinAmounts| match config.weight {
        Counted::Samples => amounts.samples as f64,
        Counted::Bytes => amounts.bytes,
        Counted::Blocks => amounts.blocks,
    };
    let amounts_of = |bin: &Bin| BinAmounts { samples: bin.samples, bytes: bin.bytes, blocks: bin.blocks };
    let range_of = |bin: &Bin| match config.of {
        Of::Size if bin.to <= bin.from + 1 => format::count(bin.from),
        Of::Size => format!("{}–{}", format::count(bin.from), format::count(bin.to - 1)),
        Of::Lifetime => format!("{} to {}", format::duration_us(bin.from), format::duration_us(bin.to)),
    };
    let mut rows: Vec<(String, f64)> = answer.bins.iter().map(|bin| (range_of(bin), weigh(amounts_of(bin)))).collect();
    if answer.below.samples > 0 {
        rows.insert(0, ("below".to_owned(), weigh(answer.below)));
    }
    if answer.above.samples > 0 {
        rows.push(("above".to_owned(), weigh(answer.above)));
    }
    rows.extend(answer.never.map(|never| ("never collected".to_owned(), weigh(never))));

    let name = match config.of {
        Of::Size => "words",
        Of::Lifetime => "lifetime",
    };
    let unit = config.weight.as_str();
    let all: f64 = rows.iter().map(|(_, weight)| weight).sum();
    let largest = rows.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
    let mut table = Table::new(&[name, unit, "share", ""], &[""]);
    /// The maximum width of the figures.
    const FIGURES: usize = 40;
    let bar_width = width.map_or(40, |width| width.saturating_sub(FIGURES).clamp(8, 40));
    for (range, weight) in rows {
        table.push(vec![
            range.into(),
            amount(weight, config.weight).into(),
            (if all > 0.0 { format::percent(weight / all) } else { "–".to_owned() }).into(),
            Cell::from(bar(weight / largest, bar_width)).styled(BAR),
        ]);
    }
    format!("{}\n{}", table.render(width), statistics(answer, config))
}

fn statistics(answer: &Histogram, config: &HistogramConfig) -> String {
    let stats = &answer.stats;
    if stats.count == 0.0 {
        return "No objects.\n".to_owned();
    }
    let value = |value: f64| match config.of {
        Of::Size => format!("{value:.1} words"),
        Of::Lifetime => format::duration_us(value.round() as u64),
    };
    let whole = |whole: u64| match config.of {
        Of::Size => format!("{} words", format::count(whole)),
        Of::Lifetime => format::duration_us(whole),
    };
    // Objects that were never collected have a bar, but no lifetime to average.
    let (total, mean) = match config.of {
        Of::Size => ("total", "mean"),
        Of::Lifetime => ("collected", "mean of collected"),
    };
    facts(&[
        (total, amount(stats.count, config.weight)),
        (mean, value(stats.mean)),
        ("standard deviation", value(stats.sd)),
        ("median", whole(stats.median)),
        ("90th percentile", whole(stats.p90)),
        ("99th percentile", whole(stats.p99)),
        ("largest", whole(stats.max)),
        ("above 256 words", format::percent(stats.large_percent / 100.0)),
    ])
}

fn amount(weight: f64, counted: Counted) -> String {
    match counted {
        Counted::Bytes => UNITS.bytes(weight),
        Counted::Samples | Counted::Blocks => format::count(weight.round() as u64),
    }
}
