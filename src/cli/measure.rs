//! What is summed: `--measure`.

use clap::Args;

use super::context::Failure;
use super::filter::parse_when;
use crate::query::filter::{Clause, Filter};
use crate::query::measure::{Measure, Unit};

#[derive(Clone, Copy, Debug, Default, Args)]
pub struct MeasureArgs {
    /// What is summed: `allocated` (bytes), `blocks`, `live` (bytes, at the time of --live-at or `live@TIME`), `peak`
    /// and `end` (bytes live then), `promoted` (bytes), `byte-seconds`, `samples`.
    #[arg(long, value_name = "MEASURE", value_parser = parse)]
    measure: Option<Asked>,
}

/// A measure that may lack its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Whole(Measure),
    Live,
}

impl MeasureArgs {
    pub fn is_given(&self) -> bool {
        self.measure.is_some()
    }

    /// `live` takes its time from the filter.
    pub fn measure(&self, filter: &Filter) -> Result<Measure, Failure> {
        match self.measure {
            None => Ok(Measure::Allocated),
            Some(Asked::Whole(measure)) => Ok(measure),
            Some(Asked::Live) => {
                let time = filter.clauses.iter().find_map(|clause| match clause {
                    Clause::LiveAt(when) => Some(*when),
                    _ => None,
                });
                let missing = "--measure live needs a time: --measure live@1.5s, or --live-at 1.5s beside it";
                time.map(Measure::Live).ok_or_else(|| Failure::Usage(missing.to_owned()))
            }
        }
    }
}

impl MeasureArgs {
    /// For commands whose figures are their own: of the measure, only which objects count.
    pub fn narrowed(&self, mut filter: Filter) -> Result<Filter, Failure> {
        let clause = self.measure(&filter)?.narrowing();
        filter.clauses.extend(clause);
        Ok(filter)
    }
}

/// A sum with its sign, for people.
pub fn signed_amount(unit: Unit, value: f64) -> String {
    let sign = if value > 0.0 {
        "+"
    } else if value < 0.0 {
        "−"
    } else {
        ""
    };
    format!("{sign}{}", unit.amount(value.abs()))
}

fn parse(text: &str) -> Result<Asked, String> {
    if let Some(time) = text.strip_prefix("live@") {
        return Ok(Asked::Whole(Measure::Live(parse_when(time)?)));
    }
    if text == "live" {
        return Ok(Asked::Live);
    }
    Measure::named(text)
        .map(Asked::Whole)
        .ok_or_else(|| "a measure is allocated, blocks, live, peak, end, promoted, byte-seconds or samples".to_owned())
}
