//! `--fail-above`: the limit, and the verdict as text and JSON.

use serde_json::{Value, json};

use super::signed_percent;
use crate::UNITS;
use crate::commands::context::Failure;
use crate::commands::measure::signed_amount;
use crate::commands::text;
use camlscope_engine::query::compare::{Comparison, Gate, GateConfig, Limit, RowGrowth};
use camlscope_engine::query::frame_names::frame_names;
use camlscope_engine::query::measure::{Measure, Unit};
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::format;
use camlscope_present::words;

/// The maximum number of rows to list.
const MAX_EXCEEDED: usize = 10;

/// The value of `--fail-above` and `--min-change`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LimitArg {
    Percent(f64),
    /// Without a unit.
    Number(u64),
    /// With K, M or G.
    Bytes(u64),
}

impl LimitArg {
    pub fn gate(self, by_row: bool, measure: Measure) -> Result<GateConfig, Failure> {
        Ok(GateConfig { limit: self.limit("--fail-above", measure)?, by_row })
    }

    /// Returns the limit in the unit of the measure. `option` is the option that it belongs to.
    pub fn limit(self, option: &str, measure: Measure) -> Result<Limit, Failure> {
        let is_bytes = matches!(measure.unit().counted(), Unit::Bytes | Unit::ByteSeconds);
        match self {
            LimitArg::Percent(percent) => Ok(Limit::Share(percent / 100.0)),
            LimitArg::Bytes(bytes) if is_bytes => Ok(Limit::Amount(bytes as f64)),
            LimitArg::Number(n) if !is_bytes || n == 0 => Ok(Limit::Amount(n as f64)),
            LimitArg::Number(n) => Err(Failure::Usage(format!("{option} {n} has no unit. Write {n}% or {n}M."))),
            LimitArg::Bytes(_) => {
                let name = measure.name();
                let text =
                    format!("{option} is in bytes, but --measure {name} doesn't count bytes. Leave out the unit.");
                Err(Failure::Usage(text))
            }
        }
    }
}

/// `live at the peak: 31.2 MiB → 32.8 MiB, +5.1% (95% interval −3.2% to +14%). Not significantly above the limit of 5%.`
pub fn gate_words(answer: &Comparison, gate: &Gate, measure: Measure, grain: Grain) -> String {
    let limit = limit_words(answer, gate.limit);
    let outcome = match (gate.exceeded, gate.growths.len()) {
        (true, 0 | 1) => format!("Significantly above the limit of {limit}."),
        (true, n) => format!("{n} {} are significantly above the limit of {limit}:", rows_word(grain)),
        (false, 0) => format!("No {} has enough samples to exceed the limit of {limit}.", grain.as_str()),
        (false, _) => format!("Not significantly above the limit of {limit}."),
    };
    let shown = &gate.growths[..gate.growths.len().min(MAX_EXCEEDED)];
    let labels: Vec<Label> = shown.iter().filter_map(|row| row.label.clone()).collect();
    let mut titles = frame_names(&labels).into_iter();
    let title_of = |row: &RowGrowth| row.label.as_ref().and_then(|_| titles.next()).unwrap_or_default();
    let titles: Vec<String> = shown.iter().map(title_of).collect();
    let mut lines: Vec<String> =
        shown.iter().zip(titles).map(|(row, title)| growth_words(answer, gate, row, &title)).collect();
    if gate.growths.len() > MAX_EXCEEDED {
        lines.push(format!("and {} more", gate.growths.len() - MAX_EXCEEDED));
    }
    let subject = words::measure::measure(measure);
    match &lines[..] {
        [] => outcome,
        [line] => format!("{subject}: {line}. {outcome}"),
        lines => format!("{subject}: {outcome}\n- {}", lines.join("\n- ")),
    }
}

/// `Server.handle 31.2 MiB → 32.8 MiB, +5.1% (95% interval −3.2% to +14%)`.
fn growth_words(answer: &Comparison, gate: &Gate, row: &RowGrowth, title: &str) -> String {
    let suffix = answer.scale.suffix();
    let amount = |value: f64| format!("{}{suffix}", UNITS.amount(answer.unit, value));
    let signed = |value: f64| match gate.limit {
        Limit::Share(_) => signed_percent(value),
        Limit::Amount(_) => format!("{}{suffix}", signed_amount(answer.unit, value)),
    };
    let name = if title.is_empty() { String::new() } else { format!("{} ", text::clean(title)) };
    let growth = match row.growth {
        growth if growth.is_infinite() => "new".to_owned(),
        growth => format!("{} (95% interval {} to {})", signed(growth), signed(row.low), signed(row.high)),
    };
    format!("{name}{} → {}, {growth}", amount(row.before), amount(row.after))
}

/// `live at the peak: Server.handle and 2 more functions are significantly above the limit of 5%`.
pub fn exceeded_words(answer: &Comparison, gate: &Gate, measure: Measure, grain: Grain) -> String {
    let name = gate.growths.first().and_then(|row| row.label.as_ref()).map(Label::plain);
    let subject = match (name, gate.growths.len()) {
        (None, _) => "growth is".to_owned(),
        (Some(name), 1) => format!("{name} is"),
        (Some(name), 2) => format!("{name} and 1 more {} are", grain.as_str()),
        (Some(name), n) => format!("{name} and {} more {} are", n - 1, rows_word(grain)),
    };
    format!(
        "{}: {subject} significantly above the limit of {}",
        words::measure::measure(measure),
        limit_words(answer, gate.limit)
    )
}

fn rows_word(grain: Grain) -> &'static str {
    match grain {
        Grain::Function => "functions",
        Grain::Site => "sites",
        Grain::File => "files",
        Grain::Module => "modules",
    }
}

fn limit_words(answer: &Comparison, limit: Limit) -> String {
    match limit {
        Limit::Share(share) => format::percent(share),
        Limit::Amount(amount) => format!("{}{}", UNITS.amount(answer.unit, amount), answer.scale.suffix()),
    }
}

/// Returns the verdict as JSON. Figures are those of the most significant growth. Infinite ones are null.
pub fn gate_reply(answer: &Comparison, gate: &Gate) -> Value {
    let (limit, unit) = match gate.limit {
        Limit::Share(limit) => (limit, "share"),
        Limit::Amount(limit) => (limit, answer.unit.name()),
    };
    let rows = gate.growths.iter().filter(|_| gate.exceeded).filter_map(|row| row.label.as_ref());
    let first = gate.growths.first();
    json!({
        "limit": limit,
        "unit": unit,
        "growth": first.map(|row| row.growth),
        "growth_error": first.map(RowGrowth::error),
        "growth_low": first.map(|row| row.low),
        "growth_high": first.map(|row| row.high),
        "p": first.map(|row| row.p),
        "exceeded": gate.exceeded,
        "name": first.and_then(|row| row.label.as_ref()).map(|label| &label.name),
        "label": first.and_then(|row| row.label.as_ref()).map(Label::plain),
        "exceeded_by": rows.collect::<Vec<_>>(),
    })
}

pub fn parse_limit(text: &str) -> Result<LimitArg, String> {
    if let Some(number) = text.strip_suffix('%') {
        let percent = format::read_decimal(number.trim()).filter(|percent| (0.0..=1e6).contains(percent));
        return percent.map(LimitArg::Percent).ok_or_else(|| format!("expected a percentage such as 5%, not “{text}”"));
    }
    let n = format::parse_bytes(text).map_err(|_| format!("expected a limit such as 5% or 10M, not “{text}”"))?;
    Ok(if text.ends_with(|last: char| last.is_ascii_digit()) { LimitArg::Number(n) } else { LimitArg::Bytes(n) })
}
