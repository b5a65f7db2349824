//! The measures that queries sum. A measure defines each object's weight, and for some measures a clause limits which
//! objects count. Weights are in raw units (samples, samples per word, samples × µs), whose sums are exact or nearly
//! so. One factor converts a sum into bytes, blocks or byte-seconds.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::filter::{Clause, DiesWithin, Heap, When, parse_dies_within};
use crate::trace::{Rows, Sampling, Trace};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    #[default]
    Allocated,
    Blocks,
    /// Bytes live at a time, at the peak or at the end.
    Live(When),
    Promoted,
    /// Bytes that died soon after their allocation.
    Temporary(DiesWithin),
    /// Bytes × lifetime: what occupies the heap on average.
    ByteSeconds,
    Samples,
    /// Memory that is never freed, per second of allocation time. Counts only objects that are old enough
    /// ([`crate::query::growth`]).
    Growth(GrowthUnit),
    /// How often call sites were called. Only for Spacetime profiles.
    Calls,
}

/// The unit of growth, per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GrowthUnit {
    #[default]
    Bytes,
    Blocks,
    Samples,
}

/// The unit of a measure's sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    Bytes,
    Blocks,
    ByteSeconds,
    Samples,
    Calls,
    BytesPerSecond,
    BlocksPerSecond,
    SamplesPerSecond,
}

/// The weight of one object in a sum, in raw units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weight {
    Samples,
    Blocks,
    SampleMicros,
}

impl Measure {
    /// All measures that don't need a time.
    const TIMELESS: [Measure; 11] = [
        Measure::Allocated,
        Measure::Blocks,
        Measure::Live(When::Peak),
        Measure::Live(When::End),
        Measure::Promoted,
        Measure::ByteSeconds,
        Measure::Samples,
        Measure::GROWTH,
        Measure::Growth(GrowthUnit::Blocks),
        Measure::Growth(GrowthUnit::Samples),
        Measure::Calls,
    ];

    pub const GROWTH: Measure = Measure::Growth(GrowthUnit::Bytes);

    /// Returns the measure with this [`Measure::name`]. `None` for `live`, which needs a time.
    pub fn named(word: &str) -> Option<Measure> {
        let temporary = Measure::Temporary(DiesWithin::default());
        { Measure::TIMELESS.into_iter().chain([temporary]) }.find(|measure| measure.name() == word)
    }

    /// Returns the measure that counts the same objects in bytes, as the table's columns do.
    pub fn in_bytes(self) -> Measure {
        match self {
            Measure::Blocks | Measure::ByteSeconds | Measure::Samples | Measure::Calls => Measure::Allocated,
            Measure::Growth(_) => Measure::GROWTH,
            Measure::Allocated | Measure::Live(_) | Measure::Promoted | Measure::Temporary(_) => self,
        }
    }

    /// Returns whether dividing by the trace's duration makes no sense: the measure is about a point in time, or
    /// already per second.
    pub fn is_stock(self) -> bool {
        matches!(self, Measure::Live(_) | Measure::Growth(_))
    }

    pub fn is_growth(self) -> bool {
        matches!(self, Measure::Growth(_))
    }

    /// Returns the clause that limits which objects count, or `None` if all do. For growth, this depends on the trace
    /// ([`crate::query::growth::HeapGrowth`]).
    pub fn narrowing(self) -> Option<Clause> {
        match self {
            Measure::Growth(_) => None,
            Measure::Live(when) => Some(Clause::LiveAt(when)),
            Measure::Promoted => Some(Clause::Heap(vec![Heap::Promoted])),
            Measure::Temporary(within) => Some(Clause::Temporary(within)),
            Measure::Allocated | Measure::Blocks | Measure::ByteSeconds | Measure::Samples | Measure::Calls => None,
        }
    }

    pub fn weight(self) -> Weight {
        match self {
            Measure::Blocks | Measure::Growth(GrowthUnit::Blocks) => Weight::Blocks,
            Measure::ByteSeconds => Weight::SampleMicros,
            Measure::Allocated
            | Measure::Live(_)
            | Measure::Promoted
            | Measure::Temporary(_)
            | Measure::Samples
            | Measure::Growth(GrowthUnit::Bytes | GrowthUnit::Samples)
            | Measure::Calls => Weight::Samples,
        }
    }

    pub fn unit(self) -> Unit {
        match self {
            Measure::Blocks => Unit::Blocks,
            Measure::ByteSeconds => Unit::ByteSeconds,
            Measure::Samples => Unit::Samples,
            Measure::Calls => Unit::Calls,
            Measure::Growth(GrowthUnit::Bytes) => Unit::BytesPerSecond,
            Measure::Growth(GrowthUnit::Blocks) => Unit::BlocksPerSecond,
            Measure::Growth(GrowthUnit::Samples) => Unit::SamplesPerSecond,
            Measure::Allocated | Measure::Live(_) | Measure::Promoted | Measure::Temporary(_) => Unit::Bytes,
        }
    }

    /// Returns the factor from a raw sum to the measure's unit. `growth_seconds` is the time that growth is measured
    /// over.
    pub fn scale(self, sampling: Sampling, growth_seconds: f64) -> f64 {
        let per_second = if growth_seconds > 0.0 { 1.0 / growth_seconds } else { 0.0 };
        match self.unit() {
            Unit::Bytes => sampling.bytes_a_sample,
            Unit::Blocks => 1.0 / sampling.rate,
            Unit::ByteSeconds => sampling.bytes_a_sample / 1e6,
            Unit::Samples | Unit::Calls => 1.0,
            Unit::BytesPerSecond => sampling.bytes_a_sample * per_second,
            Unit::BlocksPerSecond => per_second / sampling.rate,
            Unit::SamplesPerSecond => per_second,
        }
    }

    /// Returns the name used on the command line and in links. In both, a time follows `live`, and a threshold may
    /// follow `temporary`.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Allocated => "allocated",
            Measure::Blocks => "blocks",
            Measure::Live(When::At(_)) => "live",
            Measure::Live(When::Peak) => "peak",
            Measure::Live(When::End) => "end",
            Measure::Promoted => "promoted",
            Measure::Temporary(_) => "temporary",
            Measure::ByteSeconds => "byte-seconds",
            Measure::Samples => "samples",
            Measure::Growth(GrowthUnit::Bytes) => "growth",
            Measure::Growth(GrowthUnit::Blocks) => "growth-blocks",
            Measure::Growth(GrowthUnit::Samples) => "growth-samples",
            Measure::Calls => "calls",
        }
    }
}

/// `peak`, `live@1.5s` or `temporary:4MiB`, as on the command line.
impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measure::Live(when @ When::At(_)) => write!(f, "live@{}", Clause::LiveAt(*when).value()),
            Measure::Temporary(within) => write!(f, "temporary:{}", Clause::Temporary(*within).value()),
            measure => f.write_str(measure.name()),
        }
    }
}

impl FromStr for Measure {
    type Err = ();

    fn from_str(text: &str) -> Result<Measure, ()> {
        if let Some(within) = text.strip_prefix("temporary:") {
            return parse_dies_within(within).map(Measure::Temporary).ok_or(());
        }
        match text.strip_prefix("live@").map(|time| Clause::parse("live-at", time)) {
            Some(Ok(Clause::LiveAt(when))) => Ok(Measure::Live(when)),
            Some(_) => Err(()),
            None => Measure::named(text).ok_or(()),
        }
    }
}

impl GrowthUnit {
    pub fn as_str(self) -> &'static str {
        match self {
            GrowthUnit::Bytes => "bytes",
            GrowthUnit::Blocks => "blocks",
            GrowthUnit::Samples => "samples",
        }
    }
}

impl Unit {
    /// Returns the name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::Blocks => "blocks",
            Unit::ByteSeconds => "byte-seconds",
            Unit::Samples => "samples",
            Unit::Calls => "calls",
            Unit::BytesPerSecond => "bytes-per-second",
            Unit::BlocksPerSecond => "blocks-per-second",
            Unit::SamplesPerSecond => "samples-per-second",
        }
    }

    /// Returns the unit without "per second".
    pub fn counted(self) -> Unit {
        match self {
            Unit::BytesPerSecond => Unit::Bytes,
            Unit::BlocksPerSecond => Unit::Blocks,
            Unit::SamplesPerSecond => Unit::Samples,
            unit => unit,
        }
    }

    pub fn is_per_second(self) -> bool {
        self.counted() != self
    }
}

impl Weight {
    /// Returns the raw weight of the row at index `place` of its chunk.
    #[inline(always)]
    pub fn of(self, trace: &Trace, rows: &Rows<'_>, place: usize) -> f64 {
        let samples = rows.samples(place);
        match self {
            Weight::Samples => samples,
            Weight::Blocks => samples / (rows.size_words(place) + 1) as f64,
            Weight::SampleMicros => samples * lifetime_us(trace, rows, place) as f64,
        }
    }
}

/// Returns how long an object lived. Objects that were never collected live until the end of the trace.
#[inline(always)]
pub fn lifetime_us(trace: &Trace, rows: &Rows<'_>, place: usize) -> u64 {
    let end_us = trace.gc_times.end_us(rows.end(place)).unwrap_or(trace.end_us);
    end_us.saturating_sub(rows.alloc_us(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_round_trip_through_text() {
        for (text, measure) in [
            ("live@1.5s", Some(Measure::Live(When::At(1_500_000)))),
            ("live@peak", Some(Measure::Live(When::Peak))),
            ("growth-blocks", Some(Measure::Growth(GrowthUnit::Blocks))),
            ("temporary:10ms", Some(Measure::Temporary(DiesWithin::Micros(10_000)))),
            ("temporary", Some(Measure::Temporary(DiesWithin::Bytes(4 << 20)))),
            ("temporary:", None),
            ("live@", None),
            ("live", None),
        ] {
            assert_eq!(text.parse().ok(), measure, "{text}");
            if let Some(measure) = measure {
                assert_eq!(measure.to_string().parse(), Ok(measure), "{text}");
            }
        }
    }
}
