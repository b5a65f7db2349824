//! Explains an empty result, so that nobody mistakes a misspelled name for a program that allocates nothing.

use super::context::{Context, Failure};
use super::filter::{exact_time, select};
use super::input::Loaded;
use crate::UNITS;
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::filter::{Clause, Filter, FrameField, FrameTest, How, NameTest, Span, WhichFrame};
use camlscope_engine::trace::Trace;
use camlscope_present::format;
use camlscope_present::words;
use camlscope_present::words::growth;

/// Prints to standard error why no object passes the filter, if that's the case.
pub fn explain(context: &Context, loaded: &Loaded, filter: &Filter) -> Result<(), Failure> {
    let why = match loaded.trace() {
        Some(trace) => reason(trace, filter)?,
        None => Some(of_profile(loaded, filter)),
    };
    if let Some(why) = why {
        context.note(&why);
    }
    Ok(())
}

/// Prints to standard error why nothing grows with a filter.
pub fn explain_growth(context: &Context, loaded: &mut Loaded, view: &View) -> Result<(), Failure> {
    if let Answer::Growth(growth) = loaded.ask(view.clone(), Question::Growth)? {
        context.note(&growth::headline(&growth.heap, UNITS));
        if growth.heap.window_in(&view.filter).is_empty() {
            let until = format::duration_us(growth.heap.judged_until_us());
            context.note(&format!("Only objects allocated before {until} are old enough to judge."));
        }
    }
    Ok(())
}

/// Explains why nothing in a profile passes.
fn of_profile(loaded: &Loaded, filter: &Filter) -> String {
    let n_snapshots = loaded.file.profile.as_ref().map_or(0, |profile| profile.snapshots.len());
    match (n_snapshots, filter.clauses.is_empty()) {
        (0, _) => "The profile has no snapshots.".to_owned(),
        (_, true) => "The profile has no data for this measure.".to_owned(),
        (_, false) => "No allocation site in the profile matches the filter.".to_owned(),
    }
}

/// Names the first clause that no object passes, alone or together with the clauses before it.
fn reason(trace: &Trace, filter: &Filter) -> Result<Option<String>, Failure> {
    if trace.columns.is_empty() {
        let rate = UNITS.rate(trace.info.sample_rate, trace.info.word_bytes());
        return Ok(Some(format!("The trace has no samples (rate: {rate}).")));
    }
    let is_empty = |clauses: &[Clause]| {
        let filter = Filter { clauses: clauses.to_vec() };
        Ok::<bool, Failure>(select(trace, &filter)?.is_empty())
    };
    for clause in &filter.clauses {
        if is_empty(std::slice::from_ref(clause))? {
            return Ok(Some(alone(trace, clause)));
        }
    }
    for n in 2..=filter.clauses.len() {
        if is_empty(&filter.clauses[..n])? {
            let together = Filter { clauses: filter.clauses[..n].to_vec() };
            return Ok(Some(format!("There are no {}.", words::filter::filter(&together))));
        }
    }
    Ok(None)
}

/// Explains why no object passes a clause.
fn alone(trace: &Trace, clause: &Clause) -> String {
    let ends = format!("the trace ends at {}", exact_time(trace.end_us));
    let is_late = |span: &Span| span.from.is_some_and(|from| from > trace.end_us);
    let objects = format!("There are no objects {}", words::filter::clause(clause));
    match clause {
        Clause::Frame(FrameTest { part, name, not: false, which }) => {
            let is_line = *part == FrameField::Line;
            let part = match which {
                WhichFrame::Any => part.as_str().to_owned(),
                WhichFrame::Allocating => format!("allocating {}", part.as_str()),
                WhichFrame::Responsible => format!("{} outside library code", part.as_str()),
            };
            format!("No {part} {}.", test(name, if is_line { "is" } else { "is named" }))
        }
        Clause::Focus(name) => format!("No function {}.", test(name, "is named")),
        Clause::Allocated(span) | Clause::Collected(span) if is_late(span) => format!("{objects}: {ends}."),
        Clause::Lifetime(span) if is_late(span) => format!("{objects}: {ends}."),
        Clause::Domain(_) => {
            let ids: Vec<String> = trace.domain_ids.iter().map(u16::to_string).collect();
            format!("{objects}. The trace has domain {}.", ids.join(", "))
        }
        _ => format!("{objects}."),
    }
}

fn test(name: &NameTest, is: &str) -> String {
    let verb = match name.how {
        How::Is => is,
        How::Contains => "contains",
        How::Matches => "matches",
    };
    format!("{verb} “{}”", name.text)
}
