//! `camlscope table`: allocations, one row per function, call site, file or module.

use std::path::PathBuf;

use clap::ValueEnum;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::Value;

use super::arg_values::{at_least_one, grain};
use super::context::{Context, Failure};
use super::empty;
use super::filter::select;
use super::help;
use super::input::Loaded;
use super::json::Measured;
use super::measure::{CountedArgs, narrowed};
use super::text::{self, Cell, FAINT};
use crate::UNITS;
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::measure::{GrowthUnit, Measure, Unit};
use camlscope_engine::query::profile::ObjectData;
use camlscope_engine::query::stacks::StackSource;
use camlscope_engine::query::table::{Column, Order, Row, Table, TableConfig};
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::export::table_csv;
use camlscope_present::format;

/// Print a table of functions, call sites, files or modules.
///
/// `self` is what a row allocates itself, `total` includes everything it calls. `share` is `self` as a percentage of
/// the selection's total.
///
/// ± is a 95% confidence interval of the total.
///
/// `lifetime` is the mean over all bytes of a row. Objects that were never collected count with their age at the end of the
/// trace. `histogram --of lifetime` leaves them out.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::TABLE)]
pub struct Args {
    /// The trace or profile; `-` for standard input.
    file: PathBuf,
    /// Group rows by this.
    #[arg(long, value_parser = grain(), default_value = "function")]
    by: Grain,
    /// Sort rows by this column, largest first; `name` from A to Z [default: self; with --json and --csv, total, except for call
    /// sites].
    #[arg(long, value_enum, value_name = "COLUMN")]
    sort: Option<Sort>,
    /// Maximum number of rows.
    #[arg(long, value_name = "N", default_value = "30", value_parser = at_least_one)]
    top: usize,
    /// Print only rows whose name or file contains this text, or matches a regular expression: `/^List/`. Case doesn't matter
    /// unless the expression has capital letters.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    search: String,
    /// Print comma-separated values with unrounded figures.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    counted: CountedArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// Bytes that the row allocates itself.
    #[value(name = "self")]
    Own,
    /// Including everything it calls.
    Total,
    /// Blocks, including everything it calls.
    Blocks,
    /// Bytes promoted to the major heap.
    Promoted,
    /// Bytes live at the end.
    End,
    /// Mean lifetime.
    Lifetime,
    Name,
}

/// Columns that a profile doesn't have.
const OF_OBJECTS: [&str; 5] = ["±", "samples", "lifetime", "promoted", "at the end"];

const LIFETIME_NOTE: &str = "lifetime: mean, weighted by bytes. Uncollected objects live until the end.";

/// Rows with fewer samples have little meaning and are dimmed.
const FIRM_SAMPLES: u64 = 10;

/// The table with the measure's sums for each row, in its unit.
#[derive(Serialize)]
struct Reply {
    n_rows: usize,
    /// The total of the selection.
    all: f64,
    all_bytes: f64,
    all_samples: u64,
    #[serde(skip)]
    per_seconds: f64,
    rows: Vec<MeasuredRow>,
}

#[derive(Serialize)]
struct MeasuredRow {
    #[serde(rename = "self")]
    own: f64,
    total: f64,
    /// The plain name.
    label: String,
    #[serde(flatten)]
    row: Row,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let (mut loaded, filter, measure) = args.counted.open(context, &args.file)?;
    let view = View { filter: filter.clone(), measure, grain: args.by, fold_recursion: false };
    // Scripts rely on the documented order.
    let is_for_scripts = context.json || args.csv;
    let sort = args.sort.or((!is_for_scripts).then_some(Sort::Own));
    let of_objects = match sort {
        Some(Sort::Promoted) => Some(ObjectData::Promotions),
        Some(Sort::End | Sort::Lifetime) => Some(ObjectData::Lifetimes),
        _ => None,
    };
    if let Some(data) = of_objects {
        loaded.needed_trace(data)?;
    }
    let order = sort.map_or_else(|| order(args.by, measure), |sort| sort.order(measure));
    // The query can't sort by a row's own byte-seconds, so rows are sorted here.
    let has_own_here = measure == Measure::ByteSeconds;
    let sorts_here = has_own_here && sort.map_or(args.by == Grain::Site, |sort| sort == Sort::Own);
    let rows = 0..if sorts_here { usize::MAX } else { args.top };
    let config = TableConfig { order, search: args.search.clone(), rows };
    let Answer::Table(mut answer) = loaded.ask(view.clone(), Question::Table(config))? else {
        return Err(loaded.lost());
    };
    let all = all_of(&mut loaded, &view, &answer)?;
    let mut own = FxHashMap::default();
    if has_own_here {
        own = own_weights(&mut loaded, &view)?;
    }
    if sorts_here {
        let weight = |row: &Row| own.get(&row.label()).copied().unwrap_or(0.0);
        answer.rows.sort_by(|one, two| weight(two).total_cmp(&weight(one)));
        answer.rows.truncate(args.top);
    }
    if answer.n_rows == 0 {
        explain(args, context, &mut loaded, &view)?;
    }
    if args.csv {
        return context.print(&table_csv(&answer));
    }
    let rows = answer.rows.iter().map(|row| MeasuredRow::new(&answer, row, measure, &own)).collect();
    let Table { n_rows, all_bytes, all_samples, per_seconds, .. } = answer;
    let reply = Reply { n_rows, all, all_bytes, all_samples, per_seconds, rows };
    match context.json {
        true => {
            context.print_json(&Measured::new(measure, &json(&reply, loaded.trace().is_none())).at(loaded.snapshots))
        }
        false => context.print(&as_text(&reply, args.by, measure, loaded.trace().is_none(), context.width)),
    }
}

/// Removes columns that the file can't have.
fn json(reply: &Reply, is_profile: bool) -> Value {
    const OF_OBJECTS: [&str; 7] =
        ["self_samples", "total_samples", "error", "byte_seconds", "mean_lifetime_us", "promoted_bytes", "end_bytes"];
    const OF_CALLS: [&str; 2] = ["self_calls", "calls"];
    let mut json = serde_json::to_value(reply).unwrap_or_default();
    let left_out: &[&str] = if is_profile { &OF_OBJECTS } else { &OF_CALLS };
    for row in json["rows"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        row.retain(|name, _| !left_out.contains(&name.as_str()));
        // Exact counts are integers.
        for count in [is_profile.then_some("self_blocks"), is_profile.then_some("blocks")].into_iter().flatten() {
            row[count] = row[count].as_f64().map_or(Value::Null, |n| Value::from(n as u64));
        }
    }
    if let (true, Some(reply)) = (is_profile, json.as_object_mut()) {
        reply.remove("all_samples");
    }
    json
}

/// Sorts sites by self, everything else by total, in units of the measure. Calls are sorted by self.
pub fn order(grain: Grain, measure: Measure) -> Order {
    let is_own = grain == Grain::Site || measure == Measure::Calls;
    if is_own { Sort::Own } else { Sort::Total }.order(measure)
}

impl Sort {
    /// Returns the order in units of the measure. Rows have no own byte-seconds, so these are sorted by the total first.
    fn order(self, measure: Measure) -> Order {
        let column = match (self, measure) {
            (Sort::Own, Measure::Blocks | Measure::Growth(GrowthUnit::Blocks)) => Column::SelfBlocks,
            (Sort::Total, Measure::Blocks | Measure::Growth(GrowthUnit::Blocks)) => Column::Blocks,
            (Sort::Own | Sort::Total, Measure::ByteSeconds) => Column::ByteSeconds,
            (Sort::Own, Measure::Calls) => Column::SelfCalls,
            (Sort::Total, Measure::Calls) => Column::Calls,
            (Sort::Own, _) => Column::SelfBytes,
            (Sort::Total, _) => Column::TotalBytes,
            (Sort::Blocks, _) => Column::Blocks,
            (Sort::Promoted, _) => Column::PromotedBytes,
            (Sort::End, _) => Column::EndBytes,
            (Sort::Lifetime, _) => Column::MeanLifetime,
            (Sort::Name, _) => Column::Name,
        };
        Order { column, descending: self != Sort::Name }
    }
}

/// Returns the total of the selection, in the measure's unit.
pub fn all_of(loaded: &mut Loaded, view: &View, answer: &Table) -> Result<f64, Failure> {
    if view.measure.unit().counted() == Unit::Bytes {
        return Ok(answer.all_bytes);
    }
    match loaded.ask(view.clone(), Question::Amounts)? {
        Answer::Amounts(amounts) => Ok(amounts.passing.value),
        _ => Err(loaded.lost()),
    }
}

/// Returns what each row allocated itself, in the measure's unit.
pub fn own_weights(loaded: &mut Loaded, view: &View) -> Result<FxHashMap<Label, f64>, Failure> {
    loaded.with_every_stack(view, |stacks| {
        let frames = &stacks.head().frames;
        let mut by_frame = vec![0.0; frames.len()];
        for node in stacks.nodes() {
            by_frame[node.frame as usize] += node.own;
        }
        frames.iter().cloned().zip(by_frame).collect()
    })
}

fn explain(args: &Args, context: &Context, loaded: &mut Loaded, view: &View) -> Result<(), Failure> {
    if view.measure.is_growth() && args.search.is_empty() {
        return empty::explain_growth(context, loaded, view);
    }
    let filter = narrowed(&view.filter, view.measure);
    let is_empty = match loaded.trace() {
        Some(trace) => select(trace, &filter)?.is_empty(),
        None => args.search.is_empty(),
    };
    match is_empty {
        true => empty::explain(context, loaded, &filter)?,
        false if !args.search.is_empty() => context.note(&format!("No name or file matches “{}”.", args.search)),
        false => context.note("All frames are hidden by the filter."),
    }
    Ok(())
}

impl MeasuredRow {
    /// `own` has each row's own byte-seconds, if that's the measure.
    fn new(table: &Table, row: &Row, measure: Measure, own: &FxHashMap<Label, f64>) -> MeasuredRow {
        let (of_table, total) = table.amounts(row, measure.unit());
        let own = of_table.unwrap_or_else(|| own.get(&row.label()).copied().unwrap_or(0.0));
        MeasuredRow { own, total, label: row.label().plain(), row: row.clone() }
    }
}

fn as_text(reply: &Reply, grain: Grain, measure: Measure, is_profile: bool, width: Option<usize>) -> String {
    let unit = measure.unit();
    // Shows no column twice. The error applies to bytes and samples. Blocks and lifetimes are weighted differently.
    let is_shown = |column: &str| match unit.counted() {
        _ if is_profile => match column {
            // Profiles count allocations only in words.
            "blocks" => unit != Unit::Blocks && measure != Measure::Allocated && !measure.is_growth(),
            "calls" => unit != Unit::Calls,
            column => !OF_OBJECTS.contains(&column),
        },
        _ if column == "calls" => false,
        // Growing objects are never freed and not in the minor heap.
        _ if measure.is_growth() && matches!(column, "lifetime" | "promoted") => false,
        Unit::Samples => column != "samples",
        Unit::Blocks => column != "blocks" && column != "±",
        Unit::ByteSeconds | Unit::Calls => column != "±",
        _ => true,
    };
    let columns = [
        "self",
        "share",
        "total",
        "±",
        "samples",
        "blocks",
        "lifetime",
        "promoted",
        "at the end",
        "calls",
        "name",
        "location",
    ];
    let shown: Vec<&str> = columns.into_iter().filter(|name| is_shown(name)).collect();
    let left = &["name", "location"];
    let mut table = text::Table::new(&shown, left).cutting(left).leaving_out(match grain {
        // Sites of one function differ only in their location.
        Grain::Site => &["blocks", "at the end", "promoted", "lifetime", "samples", "total", "±"],
        Grain::Function | Grain::File | Grain::Module => {
            &["blocks", "at the end", "promoted", "lifetime", "location", "samples"]
        }
    });
    for MeasuredRow { own, total, label, row } in &reply.rows {
        let style = if row.total_samples < FIRM_SAMPLES && !is_profile { FAINT } else { text::PLAIN };
        let cells = [
            UNITS.amount(unit, *own),
            share(*own, reply.all),
            UNITS.amount(unit, *total),
            row.error.map_or_else(|| "–".to_owned(), |error| UNITS.amount(unit, error * total)),
            format::count(row.total_samples),
            format::count((row.blocks * reply.per_seconds).round() as u64),
            row.mean_lifetime_us.map_or_else(|| "–".to_owned(), |us| format::duration_us(us.round() as u64)),
            share(row.promoted_bytes, row.total_bytes),
            UNITS.bytes(row.end_bytes),
            row.self_calls.map_or_else(|| "–".to_owned(), format::count),
            label.clone(),
            row.label().exact_location(),
        ];
        let shown = columns.iter().zip(cells).filter(|(name, _)| is_shown(name));
        table.push(shown.map(|(_, cell)| Cell::from(cell).styled(style)).collect());
    }
    if table.is_empty() {
        return String::new();
    }
    let mut text = table.render(width);
    // A narrow terminal may have no room for the column.
    let has_lifetimes = text.lines().next().is_some_and(|head| head.contains("lifetime"));
    if has_lifetimes && reply.rows.iter().any(|row| row.row.end_bytes > 0.0) {
        text.push_str(&format!("{FAINT}{LIFETIME_NOTE}{FAINT:#}\n"));
    }
    let n_more = reply.n_rows.saturating_sub(reply.rows.len());
    if n_more > 0 {
        let rows = if n_more == 1 { "row" } else { "rows" };
        let n_more = format::count(n_more as u64);
        text.push_str(&format!("{FAINT}{n_more} more {rows}. Use --top to show more.{FAINT:#}\n"));
    }
    text
}

fn share(part: f64, whole: f64) -> String {
    /// Sums of blocks and lifetimes differ in the last digits, depending on the order of addition.
    const CRUMB: f64 = 1e-9;
    match whole > 0.0 {
        true if (whole - part).abs() <= CRUMB * whole => format::percent(1.0),
        true => format::percent(part / whole),
        false => "–".to_owned(),
    }
}
