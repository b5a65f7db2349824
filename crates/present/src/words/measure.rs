//! Names of measures.

use super::filter;
use crate::format;
use camlscope_engine::query::filter::{Clause, When};
use camlscope_engine::query::measure::Measure;

/// `live at the peak`, as shown next to a figure.
pub fn measure(measure: Measure) -> String {
    match measure {
        Measure::Live(When::Peak) => "live at the peak".to_owned(),
        Measure::Live(When::End) => "live at the end".to_owned(),
        Measure::Live(When::At(us)) => format!("live at {}", format::elapsed_us(us)),
        measure => measure.name().to_owned(),
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
