//! Maps the times of a command to a profile's snapshots. Nothing is known between two snapshots, so commands print
//! which ones their figures are from.

use serde::Serialize;

use super::context::Context;
use super::filter::exact_time;
use camlscope_engine::query::filter::{Clause, Filter, Span, When};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::profile::ProfileSummary;
use camlscope_engine::query::summary::Summary;

/// Times of snapshots, in µs of CPU time. Empty for a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SnapshotTimes {
    /// The snapshot of all figures about live memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot_us: Option<u64>,
    /// The two snapshots between which allocations are counted. Null is the start of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range_us: Option<[Option<u64>; 2]>,
}

/// Replaces the times of a filter and a measure with those of snapshots, and prints a note about it to standard error.
pub fn fit(context: &Context, file: &Summary, filter: &mut Filter, measure: &mut Measure) -> SnapshotTimes {
    let mut times = SnapshotTimes::default();
    let Some(profile) = &file.profile else { return times };
    let mut noted = None;
    let mut fit_when = |when: &mut When| {
        let fitted = fit_time(file, *when);
        times.snapshot_us = fitted;
        if let (When::At(asked_us), Some(at_us)) = (*when, fitted) {
            // The measure often repeats the filter's time.
            if noted.replace(asked_us) != Some(asked_us) {
                note_time(context, profile, asked_us, at_us);
            }
            *when = When::At(at_us);
        }
    };
    for clause in &mut filter.clauses {
        if let Clause::LiveAt(when) = clause {
            fit_when(when);
        }
    }
    if let Measure::Live(when) = measure {
        fit_when(when);
    }
    for clause in &mut filter.clauses {
        if let Clause::Allocated(span) = clause {
            let range = fit_range(profile, *span);
            note_range(context, profile, *span, range);
            times.range_us = Some(range);
            let [from, to] = range;
            *span = Span { from, to };
        }
    }
    times
}

/// Returns the snapshot for a time, or `None` for a trace and for a profile without snapshots.
pub fn fit_time(file: &Summary, when: When) -> Option<u64> {
    let profile = file.profile.as_ref()?;
    match when {
        When::At(us) => profile.snapshot_at(us).map(|snapshot| snapshot.at_us),
        When::Peak => (!profile.snapshots.is_empty()).then_some(file.peak.at_us),
        When::End => profile.snapshots.last().map(|snapshot| snapshot.at_us),
    }
}

/// Notes which snapshot is used for a time without one.
pub fn note_time(context: &Context, profile: &ProfileSummary, asked_us: u64, at_us: u64) {
    if asked_us == at_us {
        return;
    }
    let which = match profile.snapshots.first() {
        Some(first) if asked_us < first.at_us => "the first snapshot",
        _ => "the snapshot before it",
    };
    let (asked, at) = (exact_time(asked_us), exact_time(at_us));
    context.note(&format!("There is no snapshot at {asked}. The figures are from {which}, at {at}."));
}

/// Returns the snapshots at the start and end of a time range.
fn fit_range(profile: &ProfileSummary, span: Span) -> [Option<u64>; 2] {
    let fitted = profile.fit_span(span);
    let last_us = profile.snapshots.last().map(|snapshot| snapshot.at_us);
    [fitted.from.map(|from| from - 1), fitted.to.or(last_us)]
}

fn note_range(context: &Context, profile: &ProfileSummary, asked: Span, [from, to]: [Option<u64>; 2]) {
    let is_exact = |asked: Option<u64>, fitted: Option<u64>| asked.is_none() || asked == fitted;
    let starts_before = asked.from == Some(0) && from.is_none();
    if (is_exact(asked.from, from) || starts_before) && is_exact(asked.to, to) {
        return;
    }
    let Some(to) = to else { return };
    let first_us = profile.snapshots.first().map(|snapshot| snapshot.at_us);
    let words = match from {
        Some(from) if from >= to => {
            "This time range has fewer than two snapshots, so there is no data for it.".to_owned()
        }
        Some(from) => format!(
            "Allocations are counted between snapshots, from the one at {} to the one at {}.",
            exact_time(from),
            exact_time(to)
        ),
        None if asked.to.is_some_and(|asked| Some(asked) < first_us) => {
            format!("Allocations are counted up to the first snapshot, at {}.", exact_time(to))
        }
        None => format!("Allocations are counted from the start of the program to the snapshot at {}.", exact_time(to)),
    };
    context.note(&words);
}
