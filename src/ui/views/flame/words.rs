//! What figures are called and how they are written, in the measure that is shown.

use crate::format;
use crate::query::measure::Measure;
use crate::query::statistics;
use crate::query::summary::Summary;

/// `live bytes`, as it stands behind a share.
pub fn of_what(measure: Measure) -> &'static str {
    match measure {
        Measure::Allocated => "allocated bytes",
        Measure::Blocks => "blocks",
        Measure::Live(_) => "live bytes",
        Measure::Promoted => "promoted bytes",
        Measure::ByteSeconds => "byte-seconds",
        Measure::Samples => "samples",
        Measure::Growth(_) => "the growth",
        Measure::Calls => "calls",
    }
}

/// ` ±9%`; nothing where all was sampled, or nothing.
pub fn error(samples: u64, summary: &Summary) -> String {
    let rate = summary.info.sample_rate / f64::from(summary.thinned.unwrap_or(1));
    match statistics::relative_error(samples, rate) {
        Some(error) if error > 0.0 => format!(" ±{}", format::percent(error)),
        _ => String::new(),
    }
}
