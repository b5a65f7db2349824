//! `camlscope summary`: what the trace is, and its headline figures.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use super::context::{Context, Failure};
use super::empty;
use super::filter::FilterArgs;
use super::input::open;
use super::json::Measured;
use super::measure::{MeasureArgs, measure_word, narrowed};
use super::text;
use crate::format;
use crate::profile::WORD_BYTES;
use crate::protocol::{Answer, Question, View};
use crate::query::amounts::Amounts;
use crate::query::findings::Finding;
use crate::query::profile::ProfileSummary;
use crate::query::summary::Summary;

/// What the trace is: program, rate, headline figures, warnings.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace or profile; `-` for standard input.
    file: PathBuf,
    #[command(flatten)]
    measure: MeasureArgs,
    #[command(flatten)]
    filter: FilterArgs,
}

/// What the trace is, what stands out, and how much of it the filter leaves.
struct Reply {
    summary: Box<Summary>,
    findings: Vec<Finding>,
    /// None where nothing was filtered.
    passing: Option<Amounts>,
}

/// The same in JSON.
#[derive(Serialize)]
struct JsonReply<'a> {
    #[serde(flatten)]
    summary: &'a Value,
    findings: Vec<Value>,
    passing: Option<Amounts>,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let measure = args.measure.measure(&args.filter.check()?)?;
    let (mut loaded, filter) = open(context, &args.file, &args.filter, measure)?;
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
    let reply = Reply { summary, findings, passing };
    match context.json {
        true => {
            let summary = summary_json(&reply.summary);
            context.print_json(&Measured::new(measure, &reply.json(&summary)))
        }
        false => context.print(&reply.words()),
    }
}

impl Reply {
    fn json<'a>(&self, summary: &'a Value) -> JsonReply<'a> {
        let finding = |finding: &Finding| {
            let mut json = serde_json::to_value(finding).unwrap_or_default();
            json["measure"] = measure_word(finding.measure).into();
            json
        };
        JsonReply { summary, findings: self.findings.iter().map(finding).collect(), passing: self.passing }
    }

    fn words(&self) -> String {
        let mut text = words(&self.summary);
        if !self.findings.is_empty() {
            text.push('\n');
        }
        for finding in &self.findings {
            text.push_str(&format!("• {}\n", text::clean(&finding.headline)));
        }
        if let Some(Amounts { unit, passing, whole, .. }) = &self.passing {
            let share = if whole.value > 0.0 { passing.value / whole.value } else { 0.0 };
            text.push_str(&format!(
                "\nThe filter leaves {} of {} ({}){}.\n",
                unit.amount(passing.value),
                unit.amount(whole.value),
                format::percent(share),
                match self.summary.profile {
                    None => format!(
                        ", {} samples of {} objects",
                        format::count(passing.samples),
                        format::count(passing.objects)
                    ),
                    Some(_) => String::new(),
                },
            ));
        }
        text
    }
}

/// Without what the file's format has not.
fn summary_json(summary: &Summary) -> Value {
    let mut json = serde_json::to_value(summary).unwrap_or_default();
    let Some(fields) = json.as_object_mut() else {
        return json;
    };
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

/// What a Spacetime profile is.
fn profile_words(summary: &Summary, profile: &ProfileSummary) -> String {
    let bytes = |words: u64| format::bytes(words as f64 * WORD_BYTES);
    let last = profile.snapshots.last();
    let per_second = match summary.end_us {
        0 => String::new(),
        us => format!(", {} a second of processor time", format::bytes(summary.allocated_bytes / (us as f64 / 1e6))),
    };
    let at = |us: u64| format!("after {} of processor time", format::duration_us(us));
    let marks: Vec<String> =
        profile.marks.iter().map(|mark| format!("{} ({})", mark.name, format::elapsed_us(mark.at_us))).collect();
    let none = |text: String| if text.is_empty() { "–".to_owned() } else { text };
    let gc = last.and_then(|snapshot| snapshot.gc).map_or_else(String::new, |gc| {
        format!(
            "{} minor and {} major collections, {} compactions, heap {}",
            format::count(gc.minor_collections),
            format::count(gc.major_collections),
            format::count(gc.compactions),
            bytes(gc.heap_words)
        )
    });
    let rows = [
        ("format", format!("Spacetime version {}", summary.version)),
        ("file", format::bytes(summary.file_bytes as f64)),
        ("duration", format!("{} of processor time", format::duration_us(summary.end_us))),
        ("snapshots", format::count(profile.snapshots.len() as u64)),
        ("allocation points", profile.allocation_points.map_or_else(|| "missing".to_owned(), format::count)),
        ("call counts", if profile.has_call_counts { "yes" } else { "no" }.to_owned()),
        ("events", none(marks.join(", "))),
        ("", String::new()),
        ("allocated", format!("{}{per_second}", format::bytes(summary.allocated_bytes))),
        ("peak", format!("{} {}", format::bytes(summary.peak.bytes), at(summary.peak.at_us))),
        ("live at the end", none(last.map_or_else(String::new, |last| format::bytes(last.all_bytes())))),
        ("of it unknown", none(last.map_or_else(String::new, |last| bytes(last.unattributed_words)))),
        ("blocks at the end", none(last.map_or_else(String::new, |last| format::count(last.live_blocks)))),
        ("collector", none(gc)),
    ];
    text::facts(&rows)
}

fn words(summary: &Summary) -> String {
    if let Some(profile) = &summary.profile {
        return profile_words(summary, profile);
    }
    let info = &summary.info;
    let none = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
    let start = match info.start_time_us {
        0 => "not recorded".to_owned(),
        us => format::date_time(us),
    };
    let domains = summary.domains.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    let estimate = |samples: u64, error: Option<f64>| {
        let error = error.filter(|&error| error > 0.0);
        let error = error.map_or_else(String::new, |error| format!(" ±{}", format::percent(error)));
        format!("{}{error}", format::bytes(summary.bytes_of(samples)))
    };
    let kept = |samples: u64| estimate(samples, summary.kept_error(samples));
    let samples = &summary.samples;
    let share = |part: u64| match samples.total {
        0 => "–".to_owned(),
        total => format!("{} ({})", kept(part), format::percent(part as f64 / total as f64)),
    };
    let peak = match samples.total {
        0 => "–".to_owned(),
        _ => format!("{} after {}", kept(summary.peak.samples), format::duration_us(summary.peak.at_us)),
    };
    let per_second = match summary.end_us {
        0 => String::new(),
        us => format!(", {} a second", format::bytes(summary.allocated_bytes / (us as f64 / 1e6))),
    };
    let packed = match summary.unpacked_bytes {
        unpacked if unpacked > summary.file_bytes => format!(", unpacked {}", format::bytes(unpacked as f64)),
        _ => String::new(),
    };
    let sizes = summary.sizes.filter(|_| samples.total > 0).map_or_else(
        || "–".to_owned(),
        |sizes| {
            let shares = [sizes.up_to_4_words, sizes.up_to_16_words, sizes.up_to_256_words].map(format::percent);
            let [four, sixteen, large] = shares;
            let largest = format::count(sizes.largest_words);
            format!("{four} ≤ 4 words, {sixteen} ≤ 16, {large} ≤ 256; the largest has {largest}")
        },
    );
    let rows = [
        ("executable", none(&info.executable)),
        ("host", none(&info.host)),
        ("pid", info.pid.to_string()),
        ("start", start),
        ("duration", format::duration_us(summary.end_us)),
        ("rate", format::rate(info.sample_rate, f64::from(info.word_size) / 8.0)),
        ("OCaml parameters", none(&info.runtime_params)),
        ("context", none(info.context.as_deref().unwrap_or(""))),
        ("format", format!("{} version {}, {}-bit", summary.format, summary.version, info.word_size)),
        ("domains", none(&domains)),
        ("file", format!("{}{packed}", format::bytes(summary.file_bytes as f64))),
        ("", String::new()),
        ("allocated", format!("{}{per_second}", estimate(samples.total, summary.allocated_error()))),
        ("peak", peak),
        ("live at the end", share(samples.live_at_end)),
        ("promoted", share(samples.promoted)),
        ("major heap directly", share(samples.major)),
        ("outside the heap", share(samples.external)),
        ("small blocks", sizes),
        ("", String::new()),
        ("samples", format::count(samples.total)),
        ("allocations", format::count(summary.events.alloc)),
        ("promotions", format::count(summary.events.promote)),
        ("collections", format::count(summary.events.collect)),
        ("functions", format::count(summary.functions)),
        ("stacks", summary.distinct_stacks.map_or_else(|| "–".to_owned(), format::count)),
        ("deepest stack", format!("{} frames", format::count(summary.max_depth))),
    ];
    text::facts(&rows)
}
