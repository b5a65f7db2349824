//! Text for figures in the current measure.

use camlscope_engine::query::measure::{Measure, Unit};
use camlscope_engine::query::statistics;
use camlscope_engine::query::summary::Summary;
use camlscope_present::format::Units;

/// Returns the noun after a share, such as `live bytes`.
pub fn of_what(measure: Measure) -> &'static str {
    match measure {
        Measure::Allocated => "allocated bytes",
        Measure::Blocks => "blocks",
        Measure::Live(_) => "live bytes",
        Measure::Promoted => "promoted bytes",
        Measure::Temporary(_) => "temporary bytes",
        Measure::ByteSeconds => "byte-seconds",
        Measure::Samples => "samples",
        Measure::Growth(_) => "growth",
        Measure::Calls => "calls",
    }
}

/// Returns ` ±0.9` after `22.1 MiB`. Empty if everything or nothing was sampled.
pub fn error((unit, units): (Unit, Units), value: f64, samples: u64, summary: &Summary) -> String {
    units.margin(unit, value, value * statistics::relative_margin(samples, summary.kept_rate()).unwrap_or_default())
}
