//! `camlscope table`: who allocates, one row a function, call site, file or module.

use std::path::PathBuf;

use super::context::{Context, Failure};
use super::filter::FilterArgs;
use super::input::load;
use super::measure::MeasureArgs;
use super::stacks::Grain;
use super::text::{self, Align, Cell, FAINT};
use crate::export::table_csv;
use crate::format;
use crate::protocol::{Answer, Question, View};
use crate::query::measure::Measure;
use crate::query::table::{Column, Order, Row, Table, TableConfig};

/// Who allocates: bytes by itself and with all it calls, blocks, lifetimes, what is promoted and what stays.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace; `-` for standard input.
    file: PathBuf,
    /// What a row is.
    #[arg(long, value_enum, default_value = "function")]
    by: Grain,
    /// So many rows at most.
    #[arg(long, value_name = "N", default_value = "30")]
    top: usize,
    /// Rows whose name or file contains this, in either case of letters.
    #[arg(long, value_name = "TEXT", default_value = "")]
    search: String,
    /// Comma-separated values, all figures in full.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    filter: FilterArgs,
}

/// Rows of fewer samples say little and are printed faintly.
const FIRM_SAMPLES: u64 = 10;

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let filter = args.filter.filter()?;
    let measure = args.measure.measure(&filter)?;
    let config = TableConfig { order: order(args.by, measure), search: args.search.clone(), rows: 0..args.top };
    let mut loaded = load(context, &args.file)?;
    let view = View { filter, measure, grain: args.by.of_query(), fold_recursion: false };
    let Answer::Table(answer) = loaded.ask(view, Question::Table(config))? else {
        return Err(loaded.lost());
    };
    if args.csv {
        context.print(&table_csv(&answer))
    } else if context.json {
        context.print_json(&answer)
    } else {
        context.print(&words(&answer))
    }
}

/// By self for sites, by total for the others, in what the measure counts.
fn order(grain: Grain, measure: Measure) -> Order {
    let column = match (measure, grain) {
        (Measure::Blocks, Grain::Site) => Column::SelfBlocks,
        (Measure::Blocks, _) => Column::Blocks,
        (Measure::ByteSeconds, _) => Column::ByteSeconds,
        _ => return Order::usual(grain.of_query()),
    };
    Order { column, descending: true }
}

fn words(answer: &Table) -> String {
    let right = Align::Right;
    let mut table = text::Table::new(&[
        ("self", right),
        ("total", right),
        ("", right),
        ("±", right),
        ("samples", right),
        ("blocks", right),
        ("lifetime", right),
        ("promoted", right),
        ("at the end", right),
        ("name", Align::Left),
        ("place", Align::Left),
    ]);
    for row in &answer.rows {
        let share = |part: f64, whole: f64| if whole > 0.0 { format::percent(part / whole) } else { "–".to_owned() };
        let style = if row.total_samples < FIRM_SAMPLES { FAINT } else { text::PLAIN };
        let cells = [
            format::bytes(row.self_bytes),
            format::bytes(row.total_bytes),
            share(row.total_bytes, answer.all_bytes),
            row.error.map_or_else(|| "–".to_owned(), format::percent),
            format::count(row.total_samples),
            format::count(row.blocks.round() as u64),
            row.mean_lifetime_us.map_or_else(|| "–".to_owned(), |us| format::duration_us(us.round() as u64)),
            share(row.promoted_bytes, row.total_bytes),
            format::bytes(row.end_bytes),
            row.name.clone(),
            place(row),
        ];
        table.push(cells.into_iter().map(|cell| Cell::from(cell).styled(style)).collect());
    }
    let mut text = table.render();
    let n_more = answer.n_rows - answer.rows.len().min(answer.n_rows);
    if n_more > 0 {
        text.push_str(&format!("{FAINT}and {} more rows; --top shows more{FAINT:#}\n", format::count(n_more as u64)));
    }
    text
}

fn place(row: &Row) -> String {
    match (row.line, row.start_char, row.end_char) {
        (Some(line), Some(from), Some(to)) => format!("{}:{line}:{from}-{to}", row.file),
        _ => row.file.clone(),
    }
}
