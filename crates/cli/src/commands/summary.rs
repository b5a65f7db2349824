//! `camlscope summary`: the key facts and figures of a trace.

use crate::UNITS;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use super::context::{Context, Failure};
use super::empty;
use super::help;
use super::input::Loaded;
use super::json::Measured;
use super::measure::{CountedArgs, narrowed};
use super::text;
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::amounts::Amounts;
use camlscope_engine::query::findings::Finding;
use camlscope_engine::query::summary::Summary;
use camlscope_present::facts::facts;
use camlscope_present::format;
use camlscope_present::words;

/// Print the program, key figures, warnings and findings of a trace.
///
/// ± is a 95% confidence interval, in the unit of the figure before it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::SUMMARY)]
pub struct Args {
    /// The trace or profile; `-` for standard input.
    file: PathBuf,
    #[command(flatten)]
    counted: CountedArgs,
}

/// The summary, the findings, and the amounts that pass the filter.
#[derive(Serialize)]
struct Reply {
    #[serde(flatten)]
    summary: Value,
    findings: Vec<Value>,
    /// `None` without a filter.
    passing: Option<Amounts>,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let (mut loaded, filter, measure) = args.counted.open(context, &args.file)?;
    let Answer::Summary(summary) = loaded.ask(View::default(), Question::Summary)? else {
        return Err(loaded.lost());
    };
    let Answer::Findings(findings) = loaded.ask(View::default(), Question::Findings)? else {
        return Err(loaded.lost());
    };
    let counting = narrowed(&filter, measure);
    let view = View { filter, measure, ..View::default() };
    let passing = match view == View::default() {
        true => None,
        false => match loaded.ask(view, Question::Amounts)? {
            Answer::Amounts(amounts) => Some(amounts),
            _ => return Err(loaded.lost()),
        },
    };
    if passing.is_some_and(|amounts| amounts.passing.samples == 0) {
        empty::explain(context, &loaded, &counting)?;
    }
    if !context.json {
        return context.print(&as_text(&summary, &findings, passing));
    }
    let findings = findings.iter().map(finding_json).collect();
    let reply = Reply { summary: summary_json(&summary), findings, passing };
    context.print_json(&Measured::new(measure, &reply).at(loaded.snapshots))
}

/// Returns the text of the command without a filter.
pub(super) fn text_of(loaded: &mut Loaded) -> Result<String, Failure> {
    let summary = loaded.ask(View::default(), Question::Summary)?;
    let findings = loaded.ask(View::default(), Question::Findings)?;
    match (summary, findings) {
        (Answer::Summary(summary), Answer::Findings(findings)) => Ok(as_text(&summary, &findings, None)),
        _ => Err(loaded.lost()),
    }
}

fn finding_json(finding: &Finding) -> Value {
    let mut json = serde_json::to_value(finding).unwrap_or_default();
    if let Some(fields) = json.as_object_mut() {
        // The headline includes it, and its fields change with the rules.
        fields.remove("evidence");
        fields.insert("kind".to_owned(), json!(finding.kind()));
        fields.insert("headline".to_owned(), words::findings::headline(finding, UNITS).into());
        fields.insert("measure".to_owned(), finding.measure.to_string().into());
    }
    json
}

fn as_text(summary: &Summary, findings: &[Finding], passing: Option<Amounts>) -> String {
    let mut text = text::facts(&facts(summary, UNITS));
    if !findings.is_empty() {
        text.push('\n');
    }
    for finding in findings {
        text.push_str(&format!("• {}\n", text::clean(&words::findings::headline(finding, UNITS))));
    }
    if let Some(Amounts { unit, passing, whole, .. }) = passing {
        let share = if whole.value > 0.0 { passing.value / whole.value } else { 0.0 };
        let samples = match summary.profile {
            None => {
                let (samples, objects) = (format::count(passing.samples), format::count(passing.objects));
                format!(", {samples} samples of {objects} objects")
            }
            Some(_) => String::new(),
        };
        text.push_str(&format!(
            "\nThe filter matches {} of {} ({}){samples}.\n",
            UNITS.amount(unit, passing.value),
            UNITS.amount(unit, whole.value),
            format::percent(share),
        ));
    }
    text
}

/// Leaves out fields that the file's format doesn't have.
fn summary_json(summary: &Summary) -> Value {
    let mut json = serde_json::to_value(summary).unwrap_or_default();
    let Some(fields) = json.as_object_mut() else {
        return json;
    };
    let warnings = summary.warnings.iter().map(|warning| {
        json!({
            "kind": warning.kind.as_str(),
            "count": warning.count,
            "first_offset": warning.first_offset,
            "text": words::warnings::text(warning, UNITS),
        })
    });
    fields.insert("warnings".to_owned(), warnings.collect());
    if let Some(Value::Object(of_profile)) = fields.remove("profile") {
        const IN_COMMON: [&str; 8] =
            ["format", "version", "file_bytes", "unpacked_bytes", "end_us", "allocated_bytes", "max_depth", "warnings"];
        let peak = json!({ "bytes": summary.peak.bytes, "at_us": summary.peak.at_us });
        fields.retain(|name, _| IN_COMMON.contains(&name.as_str()));
        fields.extend(of_profile);
        fields.insert("peak".to_owned(), peak);
    }
    json
}
