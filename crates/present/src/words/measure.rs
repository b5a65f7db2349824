//! Names of measures.

use super::filter;
use crate::format::{self, Units};
use camlscope_engine::query::filter::{Clause, When};
use camlscope_engine::query::measure::{Measure, Unit};

/// `live at the peak`, as shown next to a figure.
pub fn measure(measure: Measure) -> String {
    match measure {
        Measure::Live(When::Peak) => "live at the peak".to_owned(),
        Measure::Live(When::End) => "live at the end".to_owned(),
        Measure::Live(When::At(us)) => format!("live at {}", format::elapsed_us(us)),
        measure => measure.name().to_owned(),
    }
}

/// `12.3 MiB ±0.4 (6.1%) allocated`: a figure that is readable without a heading. `share` is its share of the total.
pub fn figure(units: Units, of: Measure, value: f64, margin: f64, share: Option<f64>) -> String {
    let unit = of.unit();
    let name = match unit {
        Unit::Blocks | Unit::BlocksPerSecond => " blocks",
        Unit::Samples | Unit::SamplesPerSecond => " samples",
        Unit::Calls => " calls",
        Unit::Bytes | Unit::ByteSeconds | Unit::BytesPerSecond => "",
    };
    let share = share.map_or_else(String::new, |share| format!(" ({})", format::percent(share)));
    let what = match of {
        Measure::Allocated | Measure::Blocks | Measure::Samples | Measure::ByteSeconds => " allocated".to_owned(),
        Measure::Live(_) | Measure::Promoted => format!(" {}", measure(of)),
        Measure::Temporary(within) => format!(" {}", filter::clause(&Clause::Temporary(within))),
        Measure::Growth(_) => " never freed".to_owned(),
        Measure::Calls => String::new(),
    };
    format!("{}{name}{share}{what}", units.amount_with_margin(unit, value, margin))
}

/// Returns the margin of the 95% interval of a figure, in its unit. Only bytes and samples have one.
pub fn margin(measure: Measure, value: f64, error: Option<f64>) -> f64 {
    match measure.unit().counted() {
        Unit::Bytes | Unit::Samples => error.map_or(0.0, |error| error * value),
        _ => 0.0,
    }
}

/// `bytes live at the peak`, `blocks allocated`: what is counted, with its unit.
pub fn counted(of: Measure) -> String {
    match of {
        Measure::Allocated => "bytes allocated".to_owned(),
        Measure::Blocks => "blocks allocated".to_owned(),
        Measure::Live(_) => format!("bytes {}", measure(of)),
        Measure::Promoted => "bytes promoted".to_owned(),
        Measure::Temporary(within) => format!("bytes {}", filter::clause(&Clause::Temporary(within))),
        Measure::Growth(unit) => format!("{} never freed, per second", unit.as_str()),
        Measure::ByteSeconds | Measure::Samples | Measure::Calls => of.name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_says_what_it_counts() {
        let words = |of, value, margin, share| figure(Units::Binary, of, value, margin, share);
        let mib = f64::from(1 << 20);
        assert_eq!(words(Measure::Allocated, 12.3 * mib, 0.41 * mib, Some(0.061)), "12.3 MiB ±0.41 (6.1%) allocated");
        assert_eq!(words(Measure::Live(When::Peak), mib, 0.0, Some(1.0)), "1.00 MiB (100%) live at the peak");
        assert_eq!(words(Measure::Promoted, mib, 0.0, None), "1.00 MiB promoted");
        assert_eq!(words(Measure::Blocks, 52.0, 0.0, None), "52 blocks allocated");
        assert_eq!(words(Measure::Samples, 200.0, 28.0, None), "200 ±28 samples allocated");
        assert_eq!(words(Measure::GROWTH, 1024.0, 0.0, None), "1.00 KiB/s never freed");
        assert_eq!(words(Measure::Calls, 8e6, 0.0, None), "8,000,000 calls");
    }
}
