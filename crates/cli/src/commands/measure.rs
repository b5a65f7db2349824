//! `--measure`: what to add up.

use clap::Args;

use super::arg_values::suggesting;
use super::context::Failure;
use super::filter::{FilterArgs, clause, parse_when, past_end};
use crate::UNITS;
use camlscope_engine::query::filter::{Clause, Filter, When};
use camlscope_engine::query::measure::{Measure, Unit};
use camlscope_engine::query::summary::Summary;

#[derive(Clone, Copy, Debug, Default, Args)]
pub struct MeasureArgs {
    /// What to add up: `allocated`, `blocks`, `samples`, `live@TIME`, `peak`, `end`, `promoted`, `byte-seconds`,
    /// `temporary` or `growth`. `live` takes its time from --live-at. `temporary` is bytes that died within 4 MiB of
    /// further allocation; `temporary:64MiB` and `temporary:10ms` set another threshold. `growth` is bytes per second
    /// that were never freed. `growth-blocks` and `growth-samples` count blocks and samples instead.
    #[arg(long, value_name = "MEASURE", hide_possible_values = true, value_parser = suggesting(WORDS, parse))]
    measure: Option<MeasureArg>,
}

const WORDS: &[&str] = &[
    "allocated",
    "blocks",
    "live",
    "live@peak",
    "live@end",
    "peak",
    "end",
    "promoted",
    "temporary",
    "byte-seconds",
    "samples",
    "growth",
    "growth-blocks",
    "growth-samples",
];

/// A measure, possibly without its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MeasureArg {
    Whole(Measure),
    Live,
}

// Which objects count, and what is added up. It isn't a doc comment, because clap would use it as the command's help.
#[derive(Clone, Debug, Default, Args)]
pub struct CountedArgs {
    #[command(flatten)]
    pub measure: MeasureArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
}

impl MeasureArgs {
    pub fn is_given(&self) -> bool {
        self.measure.is_some()
    }

    /// Returns the measure. `live` takes its time from the filter.
    pub fn measure(&self, filter: &Filter) -> Result<Measure, Failure> {
        match self.measure {
            None => Ok(Measure::Allocated),
            Some(MeasureArg::Whole(measure)) => Ok(measure),
            Some(MeasureArg::Live) => {
                let time = filter.clauses.iter().find_map(|clause| match clause {
                    Clause::LiveAt(when) => Some(*when),
                    _ => None,
                });
                let missing = "--measure live needs a time. Use --measure live@1.5s, or add --live-at 1.5s.";
                time.map(Measure::Live).ok_or_else(|| Failure::Usage(missing.to_owned()))
            }
        }
    }

    /// Returns the measure for commands whose figures are bytes. It selects the objects that count. Other units are a
    /// usage error.
    pub fn in_bytes(&self, filter: &Filter, command: &str) -> Result<Measure, Failure> {
        let measure = self.measure(filter)?;
        match measure.unit() {
            Unit::Bytes | Unit::BytesPerSecond => Ok(measure),
            _ => Err(Failure::Usage(format!(
                "{command} doesn't support --measure {}. Use allocated, live, peak, end, promoted or temporary.",
                measure.name()
            ))),
        }
    }
}

/// Returns the filter with the clause that the measure implies.
pub fn narrowed(filter: &Filter, measure: Measure) -> Filter {
    let mut clauses = filter.clauses.clone();
    clauses.extend(measure.narrowing().filter(|clause| !filter.clauses.contains(clause)));
    Filter { clauses }
}

/// Rejects a measure at a time past the end of the trace.
pub fn check_time(measure: Measure, file: &Summary) -> Result<(), Failure> {
    match measure {
        Measure::Live(When::At(time_us)) if time_us > file.end_us => Err(past_end("--measure live", file, time_us)),
        _ => Ok(()),
    }
}

/// Formats an amount with its sign.
pub fn signed_amount(unit: Unit, value: f64) -> String {
    let sign = if value > 0.0 {
        "+"
    } else if value < 0.0 {
        "−"
    } else {
        ""
    };
    format!("{sign}{}", UNITS.amount(unit, value.abs()))
}

fn parse(text: &str) -> Result<MeasureArg, String> {
    if let Some(time) = text.strip_prefix("live@") {
        return Ok(MeasureArg::Whole(Measure::Live(parse_when(time)?)));
    }
    if let Some(within) = text.strip_prefix("temporary:")
        && let Clause::Temporary(within) = clause("temporary", within)?
    {
        return Ok(MeasureArg::Whole(Measure::Temporary(within)));
    }
    if text == "live" {
        return Ok(MeasureArg::Live);
    }
    text.parse().map(MeasureArg::Whole).map_err(|()| {
        "expected allocated, blocks, live, peak, end, promoted, temporary, byte-seconds, samples, growth or calls"
            .to_owned()
    })
}
