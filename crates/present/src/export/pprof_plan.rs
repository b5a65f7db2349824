//! The contents of a pprof file: the types of its values, with Go's names for a heap profile, and the queries for them.

use camlscope_engine::profile::WORD_BYTES;
use camlscope_engine::protocol::View;
use camlscope_engine::query::filter::{Clause, Filter, When};
use camlscope_engine::query::measure::{GrowthUnit, Measure};
use camlscope_engine::query::summary::Summary;

/// A type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleType {
    pub kind: &'static str,
    pub unit: &'static str,
}

const ALLOC_OBJECTS: SampleType = count("alloc_objects");
const ALLOC_SPACE: SampleType = bytes("alloc_space");
const INUSE_OBJECTS: SampleType = count("inuse_objects");
const INUSE_SPACE: SampleType = bytes("inuse_space");

const fn count(kind: &'static str) -> SampleType {
    SampleType { kind, unit: "count" }
}

const fn bytes(kind: &'static str) -> SampleType {
    SampleType { kind, unit: "bytes" }
}

#[derive(Clone, Debug, PartialEq)]
pub struct PprofPlan {
    pub parts: Vec<PprofPart>,
    /// The type that tools show first.
    pub default: SampleType,
    pub recording: Recording,
    /// The measure of the view.
    pub comment: String,
}

/// A query for stacks, and the type of their weights.
#[derive(Clone, Debug, PartialEq)]
pub struct PprofPart {
    pub view: View,
    pub of: SampleType,
}

/// How a trace was recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recording {
    /// The number of bytes that a sample represents.
    pub bytes_a_sample: f64,
    pub duration_us: u64,
    /// µs since the Unix epoch, or 0 if unknown.
    pub start_us: u64,
}

impl PprofPlan {
    /// Plans a file for a view. It always has what was allocated and what is in use: at the view's time, or else at the
    /// end. A measure that is none of these is added, and shown first.
    pub fn new(view: &View, file: &Summary) -> PprofPlan {
        let recording = Recording {
            bytes_a_sample: if file.profile.is_some() { WORD_BYTES } else { file.bytes_of(1) },
            duration_us: file.end_us,
            start_us: file.info.start_time_us,
        };
        let (parts, default) = match &file.profile {
            None => of_trace(view),
            Some(profile) => of_profile(view, profile.has_call_counts),
        };
        let part = |(measure, filter, of)| PprofPart { view: View { filter, measure, ..view.clone() }, of };
        let parts = parts.into_iter().map(part).collect();
        PprofPlan { parts, default, recording, comment: view.measure.to_string() }
    }

    /// Leaves out the start time, which may reveal whose program it is.
    pub fn anonymized(self) -> PprofPlan {
        PprofPlan { recording: Recording { start_us: 0, ..self.recording }, ..self }
    }
}

type Parts = Vec<(Measure, Filter, SampleType)>;

fn of_trace(view: &View) -> (Parts, SampleType) {
    let (filter, when) = (&view.filter, time_in_use(view));
    let mut parts = vec![
        (Measure::Blocks, filter.clone(), ALLOC_OBJECTS),
        (Measure::Allocated, filter.clone(), ALLOC_SPACE),
        (Measure::Blocks, with(filter, Clause::LiveAt(when)), INUSE_OBJECTS),
        (Measure::Live(when), filter.clone(), INUSE_SPACE),
    ];
    let more: Parts = match view.measure {
        Measure::Allocated => return (parts, ALLOC_SPACE),
        Measure::Blocks => return (parts, ALLOC_OBJECTS),
        Measure::Live(_) => return (parts, INUSE_SPACE),
        Measure::Promoted => narrower(view, bytes("promoted_space"), count("promoted_objects")),
        Measure::Temporary(_) => narrower(view, bytes("temporary_space"), count("temporary_objects")),
        Measure::Growth(unit) => {
            let types = [
                (GrowthUnit::Bytes, bytes("growth_space")),
                (GrowthUnit::Blocks, count("growth_objects")),
                (GrowthUnit::Samples, count("growth_samples")),
            ];
            let mut types = types.map(|(unit, of)| (Measure::Growth(unit), filter.clone(), of));
            types.sort_by_key(|(measure, ..)| *measure != Measure::Growth(unit));
            types.to_vec()
        }
        Measure::ByteSeconds => vec![(Measure::ByteSeconds, filter.clone(), count("byte_seconds"))],
        Measure::Samples => vec![(Measure::Samples, filter.clone(), count("samples"))],
        Measure::Calls => vec![(Measure::Calls, filter.clone(), count("calls"))],
    };
    let default = more.first().map_or(ALLOC_SPACE, |(_, _, of)| *of);
    parts.extend(more);
    (parts, default)
}

/// The sample types of a measure that counts some of the allocations.
fn narrower(View { measure, filter, .. }: &View, space: SampleType, objects: SampleType) -> Parts {
    let counted = measure.narrowing().map_or_else(|| filter.clone(), |clause| with(filter, clause));
    vec![(*measure, filter.clone(), space), (Measure::Blocks, counted, objects)]
}

/// A profile counts allocations only in words. With a time in its filter, only one of the two is known.
fn of_profile(view: &View, has_call_counts: bool) -> (Parts, SampleType) {
    let (filter, when) = (&view.filter, time_in_use(view));
    let has_time = filter.clauses.iter().any(|clause| matches!(clause, Clause::LiveAt(_) | Clause::Allocated(_)));
    let allocated = (Measure::Allocated, filter.clone(), ALLOC_SPACE);
    let in_use = [
        (Measure::Blocks, with(filter, Clause::LiveAt(when)), INUSE_OBJECTS),
        (Measure::Live(when), filter.clone(), INUSE_SPACE),
    ];
    let (mut parts, default) = match view.measure {
        Measure::Growth(_) => (vec![(Measure::GROWTH, filter.clone(), bytes("growth_space"))], bytes("growth_space")),
        Measure::Allocated if has_time => (vec![allocated], ALLOC_SPACE),
        measure => {
            let first = Some(allocated).filter(|_| !has_time);
            let default = match measure {
                Measure::Allocated => ALLOC_SPACE,
                Measure::Blocks => INUSE_OBJECTS,
                _ => INUSE_SPACE,
            };
            (first.into_iter().chain(in_use).collect(), default)
        }
    };
    if has_call_counts {
        parts.push((Measure::Calls, filter.clone(), count("calls")));
    }
    let is_calls = view.measure == Measure::Calls && has_call_counts;
    (parts, if is_calls { count("calls") } else { default })
}

/// The time of the measure or of the filter, or else the end.
fn time_in_use(view: &View) -> When {
    let of_filter = view.filter.clauses.iter().find_map(|clause| match clause {
        Clause::LiveAt(when) => Some(*when),
        _ => None,
    });
    match view.measure {
        Measure::Live(when) => when,
        _ => of_filter.unwrap_or(When::End),
    }
}

fn with(filter: &Filter, clause: Clause) -> Filter {
    let more = Some(clause).filter(|clause| !filter.clauses.contains(clause));
    Filter { clauses: filter.clauses.iter().cloned().chain(more).collect() }
}
