//! `camlscope compare`: what changed between two traces, or between two times of one trace.

mod gate;

use std::path::PathBuf;

use serde_json::Value;

use self::gate::{LimitArg, exceeded_words, gate_reply, gate_words, parse_limit};
use super::arg_values::{at_least_one, grain};
use super::context::{Context, Failure};
use super::empty;
use super::filter::{parse_when, past_end, time_us};
use super::help;
use super::input::load;
use super::measure::{CountedArgs, check_time, narrowed, signed_amount};
use super::snapshots::{fit, fit_time, note_time};
use super::text::{self, Cell, FAINT, PLAIN};
use crate::UNITS;
use camlscope_engine::protocol::{Answer, Question, Versus, View};
use camlscope_engine::query::compare::{Change, CompareConfig, Comparison, Limit, Row, Scale, Sum, Verdict};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::query::tree::Grain;
use camlscope_present::format;
use camlscope_present::words;
use camlscope_present::words::compare::rates_warning;
use camlscope_present::words::labels::distinct_labels;

/// Print what changed between two traces, or between two times of one, and which changes are significant.
///
/// ± is a 95% confidence interval, in the unit of the figure before it. A change is significant if sampling doesn't
/// explain it. At most 1 in 20 significant changes is a false positive.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::COMPARE)]
pub struct Args {
    /// The old trace; `-` for standard input.
    before: PathBuf,
    /// The new trace.
    #[arg(required_unless_present = "times", conflicts_with = "times")]
    after: Option<PathBuf>,
    /// Compare live bytes at two times of one trace: `10s,50s`, `1s,peak`, `peak,end`.
    #[arg(long, value_name = "A,B", value_parser = parse_times, conflicts_with = "measure")]
    times: Option<Times>,
    /// Group rows by this [default: function].
    #[arg(long, value_parser = grain())]
    by: Option<Grain>,
    /// Count what a row allocates itself, without what it calls.
    #[arg(long = "self")]
    own: bool,
    /// Divide by the duration of each trace, for runs of different lengths. Live bytes aren't divided.
    #[arg(long, conflicts_with = "times")]
    per_second: bool,
    /// Divide by the total allocation of each trace, for runs with different amounts of work.
    #[arg(long, conflicts_with_all = ["times", "per_second"])]
    per_allocated: bool,
    /// Print only rows that changed significantly.
    #[arg(long)]
    changed_only: bool,
    /// Print only rows that changed by at least this: `5%` of the old value, or `1M` (K, M, G: powers of 1024).
    #[arg(long, value_name = "LIMIT", value_parser = parse_limit)]
    min_change: Option<LimitArg>,
    /// Maximum number of rows.
    #[arg(long, value_name = "N", default_value = "30", value_parser = at_least_one)]
    top: usize,
    /// Exit with status 3 if growth is significantly above this limit: `5%`, or `10M` (K, M, G: powers of 1024). Growth
    /// exceeds the limit if its entire 95% confidence interval is above it. With --by, every row is tested, and new
    /// functions grow from zero.
    #[arg(long, value_name = "LIMIT", value_parser = parse_limit, conflicts_with = "times")]
    fail_above: Option<LimitArg>,
    /// Test the limit even if the sampling rates differ by 4× or more.
    #[arg(long, requires = "fail_above")]
    allow_different_rates: bool,
    /// Print the significant changes as a Markdown table, for a pull request.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    #[command(flatten)]
    counted: CountedArgs,
}

#[derive(Clone, Copy, Debug)]
struct Times {
    before: When,
    after: When,
}

impl Times {
    /// Returns the two times to compare and, for a profile, the times of the two snapshots.
    fn fit(self, context: &Context, file: &Summary) -> (Versus, Option<(u64, u64)>) {
        let times = [self.before, self.after];
        let fitted = times.map(|when| fit_time(file, when));
        if let Some(profile) = &file.profile {
            for (when, at_us) in times.into_iter().zip(fitted) {
                if let (When::At(asked_us), Some(at_us)) = (when, at_us) {
                    note_time(context, profile, asked_us, at_us);
                }
            }
        }
        (Versus::Times { before: self.before, after: self.after }, fitted[0].zip(fitted[1]))
    }
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let measure = args.counted.measure.measure(&args.counted.filter.check()?)?;
    if args.after.is_some() && args.counted.filter.has_times() {
        let hint = "Filters can't use peak or end here: each trace has its own. Use times such as 10s..20s.";
        return Err(Failure::Usage(hint.to_owned()));
    }
    let scale = match (args.per_second, args.per_allocated) {
        (true, _) => Scale::PerSecond,
        (_, true) => Scale::PerAllocated,
        _ => Scale::AsIs,
    };
    let sum = if args.own { Sum::Own } else { Sum::Total };
    let gate = args.fail_above.map(|limit| limit.gate(args.by.is_some(), measure)).transpose()?;
    let least = args.min_change.map(|limit| limit.limit("--min-change", measure)).transpose()?;
    let has_thresholds = args.changed_only || least.is_some();
    let limit = if has_thresholds { usize::MAX } else { args.top };
    let config = CompareConfig { measure, sum, scale, limit, gate };
    let grain = args.by.unwrap_or(Grain::Function);
    let mut loaded = load(context, &args.before)?;
    check_time(measure, &loaded.file)?;
    let filter = args.counted.filter.of_file(&loaded.file)?;
    if let Some(Times { before, after }) = args.times {
        let file = &loaded.file;
        let late = [before, after].map(|when| time_us(file, when)).into_iter().find(|time| *time > file.end_us);
        late.map_or(Ok(()), |late| Err(past_end("--times", file, late)))?;
    }
    let other = args.after.as_ref().map(|path| loaded.load_other(context, path)).transpose()?;
    other.as_ref().map_or(Ok(()), |other| check_rates(args, context, &loaded.file, other))?;
    // Each of two profiles has its own snapshots, so the filter keeps the requested times.
    let times_of = |file: &Summary| {
        let (mut filter, mut measure) = (filter.clone(), measure);
        fit(context, file, &mut filter, &mut measure)
    };
    let (versus, snapshots_us) = match (args.times, &other) {
        (Some(times), _) => times.fit(context, &loaded.file),
        (None, Some(other)) => {
            let [before, after] = [times_of(&loaded.file), times_of(other)].map(|times| times.snapshot_us);
            (Versus::Other { scale }, before.zip(after))
        }
        (None, None) => (Versus::Other { scale }, None),
    };
    let counting = narrowed(&filter, measure);
    let view = View { filter, measure, grain, fold_recursion: false };
    let Answer::Compare(mut answer) = loaded.ask(view, Question::Compare { versus, config })? else {
        return Err(loaded.lost());
    };
    if answer.rows.is_empty() {
        empty::explain(context, &loaded, &counting)?;
    }
    let mut n_printed = answer.n_rows;
    if has_thresholds {
        let is_changed = |row: &Row| !args.changed_only || row.change.verdict.is_significant();
        answer.rows.retain(|row| is_changed(row) && least.is_none_or(|least| is_at_least(&row.change, least)));
        n_printed = answer.rows.len();
        answer.rows.truncate(args.top);
        if n_printed == 0 && answer.n_rows > 0 {
            let n_below = format::count(answer.n_rows as u64);
            context.note(&format!("No row is above the thresholds. {n_below} are below."));
        }
    }
    let measure = args.times.map_or(measure, |times| Measure::Live(times.after));
    let verdict = answer.gate.as_ref().map(|gate| gate_words(&answer, gate, measure, grain));
    if context.json {
        context.print_json(&reply(&answer, measure, snapshots_us))?;
    } else if args.markdown {
        context.print(&markdown(&answer, measure, grain, verdict.as_deref()))?;
    } else {
        context.print(&as_text(&answer, n_printed, grain, context.width))?;
        verdict.as_ref().map_or(Ok(()), |verdict| context.print(&format!("\n{verdict}\n")))?;
    }
    match &answer.gate {
        Some(gate) if gate.exceeded => Err(Failure::AboveLimit(exceeded_words(&answer, gate, measure, grain))),
        _ => Ok(()),
    }
}

/// Whether a change in either direction is as large as a limit.
fn is_at_least(change: &Change, limit: Limit) -> bool {
    match limit {
        Limit::Share(share) => change.change.abs() >= share * change.before,
        Limit::Amount(amount) => change.change.abs() >= amount,
    }
}

/// Warns if the sampling rates are too different to compare live figures. Then the limit isn't tested, unless the user
/// allows it.
fn check_rates(args: &Args, context: &Context, before: &Summary, after: &Summary) -> Result<(), Failure> {
    if before.profile.is_some() || after.profile.is_some() {
        return Ok(());
    }
    match rates_warning(before.info.sample_rate, after.info.sample_rate) {
        Some(warning) if args.fail_above.is_some() && !args.allow_different_rates => {
            let advice = "Record both at the same rate, or use --allow-different-rates to test the limit anyway.";
            Err(Failure::Usage(format!("{warning} {advice}")))
        }
        Some(warning) => {
            context.warn(&warning);
            Ok(())
        }
        None => Ok(()),
    }
}

/// `+27%`, `−3.2%`, `+310%`.
pub fn signed_percent(share: f64) -> String {
    match share {
        share if share.is_infinite() => "unbounded".to_owned(),
        share if share < 0.0 => format!("−{}", format::percent(-share)),
        0.0 => "0%".to_owned(),
        share => format!("+{}", format::percent(share)),
    }
}

/// Returns the comparison as JSON. The unit is next to the measure.
fn reply(answer: &Comparison, measure: Measure, snapshots_us: Option<(u64, u64)>) -> Value {
    let mut json = serde_json::to_value(answer).unwrap_or_default();
    json["measure"] = measure.to_string().into();
    let reason = |change: &Change| words::compare::reason(change, answer.unit, answer.scale.suffix(), UNITS);
    json["all"]["reason"] = reason(&answer.all).into();
    let titles = titles(answer);
    for ((json, row), title) in json["rows"].as_array_mut().into_iter().flatten().zip(&answer.rows).zip(titles) {
        json["title"] = title.into();
        json["change"]["reason"] = reason(&row.change).into();
    }
    if let Some((before, after)) = snapshots_us {
        json["snapshots_us"] = vec![before, after].into();
    }
    match &answer.gate {
        Some(gate) => json["gate"] = gate_reply(answer, gate),
        None => drop(json.as_object_mut().and_then(|json| json.remove("gate"))),
    }
    json
}

fn titles(answer: &Comparison) -> Vec<String> {
    distinct_labels(&answer.rows.iter().map(|row| row.label.clone()).collect::<Vec<_>>())
}

/// Lists significant changes as a Markdown table for a pull request.
fn markdown(answer: &Comparison, measure: Measure, grain: Grain, verdict: Option<&str>) -> String {
    let amount = |value: f64| format!("{}{}", UNITS.amount(answer.unit, value), answer.scale.suffix());
    let change = |change: &Change| {
        let margin = UNITS.margin(answer.unit, change.change, change.error);
        format!("{}{}{margin}", signed_amount(answer.unit, change.change), answer.scale.suffix())
    };
    let Change { before, after, .. } = answer.all;
    let mut text = format!(
        "### Memory, {}: {} → {}, {} ({})\n\n",
        words::measure::measure(measure),
        amount(before),
        amount(after),
        change(&answer.all),
        answer.all.verdict.as_str()
    );
    if let (Some(gate), Some(verdict)) = (&answer.gate, verdict) {
        let mark = if gate.exceeded { "❌" } else { "✅" };
        text.push_str(&format!("{mark} {verdict}\n\n"));
    }
    let changed: Vec<_> = answer.rows.iter().filter(|row| row.change.verdict.is_significant()).collect();
    if !changed.is_empty() {
        text.push_str(&format!(
            "| {} | before | after | change | % | verdict |\n| --- | ---: | ---: | ---: | ---: | --- |\n",
            grain.as_str()
        ));
    }
    for row in &changed {
        let name = match row.label.exact_location() {
            place if place.is_empty() => code(&row.label.plain()),
            place => format!("{} {}", code(&row.label.plain()), code(&place)),
        };
        let Change { before, after, verdict, .. } = row.change;
        let share = percent_of(&row.change);
        let cells = [name, amount(before), amount(after), change(&row.change), share, verdict.as_str().to_owned()];
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    let n_hidden = answer.n_changed - changed.len();
    if n_hidden > 0 {
        let n_hidden = format::count(n_hidden as u64);
        text.push_str(&format!("\n{n_hidden} more changed significantly. Use `--top` to show more.\n"));
    }
    let n_others = answer.n_rows - answer.n_changed;
    if n_others > 0 {
        let n_others = format::count(n_others as u64);
        text.push_str(&format!("\n{n_others} did not change significantly, or have too few samples.\n"));
    }
    text.push_str(&format!("\n{}\n", format::MARGIN));
    text
}

/// Returns the relative change, or nothing if the value was zero before.
fn percent_of(change: &Change) -> String {
    if change.before > 0.0 { signed_percent(change.change / change.before) } else { String::new() }
}

/// Formats a name as Markdown code. Names are data, so they must not end the table cell or the code.
fn code(name: &str) -> String {
    format!("`{}`", text::clean(name).replace('`', "'").replace('|', "\\|"))
}

fn parse_times(text: &str) -> Result<Times, String> {
    let (before, after) = text.split_once(',').ok_or("expected two times separated by a comma, such as 10s,50s")?;
    Ok(Times { before: parse_when(before.trim())?, after: parse_when(after.trim())? })
}

/// `n_printed` is the number of rows without `--top`.
fn as_text(answer: &Comparison, n_printed: usize, grain: Grain, width: Option<usize>) -> String {
    let columns = ["before", "after", "change", "±", "%", "verdict", "name", "location", "reason"];
    let left = &["verdict", "name", "location", "reason"];
    let mut table = text::Table::new(&columns, left).cutting(&["name", "location"]).leaving_out(match grain {
        // Sites of one function differ only in their location.
        Grain::Site => &["reason", "before", "after", "%", "±"],
        Grain::Function | Grain::File | Grain::Module => &["reason", "location", "before", "after", "%", "±"],
    });
    table.push(row(answer, &answer.all, "everything".to_owned(), String::new()));
    for changed in &answer.rows {
        table.push(row(answer, &changed.change, changed.label.plain(), changed.label.exact_location()));
    }
    let mut text = table.render(width);
    let n_more = n_printed - answer.rows.len();
    if n_more > 0 {
        let rows = if n_more == 1 { "row" } else { "rows" };
        let n_more = format::count(n_more as u64);
        text.push_str(&format!("{FAINT}{n_more} more {rows}. Use --top to show more.{FAINT:#}\n"));
    }
    text
}

fn row(answer: &Comparison, change: &Change, name: String, place: String) -> Vec<Cell> {
    let style = match change.verdict {
        Verdict::Same | Verdict::Unchanged | Verdict::TooFewSamples => FAINT,
        Verdict::New | Verdict::Gone | Verdict::Grew | Verdict::Shrank => PLAIN,
    };
    let suffix = answer.scale.suffix();
    let cells = [
        format!("{}{suffix}", UNITS.amount(answer.unit, change.before)),
        format!("{}{suffix}", UNITS.amount(answer.unit, change.after)),
        format!("{}{suffix}", signed_amount(answer.unit, change.change)),
        match change.error {
            0.0 => "–".to_owned(),
            error => format!("{}{suffix}", UNITS.amount(answer.unit, error)),
        },
        percent_of(change),
        change.verdict.as_str().to_owned(),
        name,
        place,
        words::compare::reason(change, answer.unit, suffix, UNITS),
    ];
    cells.into_iter().map(|cell| Cell::from(cell).styled(style)).collect()
}
