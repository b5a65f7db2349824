//! What figures are called and how they are written, in the measure that is shown.

use crate::format;
use crate::query::filter::When;
use crate::query::measure::{Measure, Unit};
use crate::query::summary::Summary;

/// `live at the peak`, as it stands beside a figure.
pub fn measure(measure: Measure) -> String {
    match measure {
        Measure::Allocated => "allocated".to_owned(),
        Measure::Blocks => "blocks".to_owned(),
        Measure::Live(When::Peak) => "live at the peak".to_owned(),
        Measure::Live(When::End) => "live at the end".to_owned(),
        Measure::Live(When::At(us)) => format!("live at {}", format::elapsed_us(us)),
        Measure::Promoted => "promoted".to_owned(),
        Measure::ByteSeconds => "byte-seconds".to_owned(),
        Measure::Samples => "samples".to_owned(),
    }
}

/// `live bytes`, as it stands behind a share.
pub fn of_what(measure: Measure) -> &'static str {
    match measure {
        Measure::Allocated => "allocated bytes",
        Measure::Blocks => "allocated blocks",
        Measure::Live(_) => "live bytes",
        Measure::Promoted => "promoted bytes",
        Measure::ByteSeconds => "byte-seconds",
        Measure::Samples => "samples",
    }
}

/// A sum of the measure.
pub fn amount(measure: Measure, value: f64) -> String {
    match measure.unit() {
        Unit::Bytes => format::bytes(value),
        Unit::ByteSeconds => format!("{}·s", format::bytes(value)),
        Unit::Blocks | Unit::Samples => format::count(value.abs().round() as u64),
    }
}

/// ` ±9 %`; nothing where all was sampled, or nothing.
pub fn error(samples: u64, summary: &Summary) -> String {
    let rate = summary.info.sample_rate / f64::from(summary.thinned.unwrap_or(1));
    match format::relative_error(samples, rate) {
        Some(error) if error > 0.0 => format!(" ±{}", format::percent(error)),
        _ => String::new(),
    }
}
