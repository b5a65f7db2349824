//! Converts a bar or a rectangle to filter clauses that keep exactly the selected objects, within the existing filter.
//! All clauses are added in one step, so that the back button undoes them together.

use std::rc::Rc;

use crate::{ViewAction, ViewState};
use camlscope_engine::query::filter::{Clause, SizeUnit, Span};

/// `word_bytes` converts clauses in bytes to words.
pub fn narrowed(view_state: &ViewState, clauses: Vec<Clause>, word_bytes: u64) -> ViewAction {
    let mut next = Rc::new(view_state.clone());
    for clause in clauses {
        let within = within(view_state, clause, word_bytes);
        next = next.reduce(ViewAction::AddClause(within));
    }
    ViewAction::Count { measure: next.measure, chips: next.chips.clone() }
}

/// Sizes in words, from `from` (inclusive) to `to` (exclusive). `None` means no upper bound.
pub fn sizes(from: u64, to: Option<u64>) -> Vec<Clause> {
    vec![Clause::Size(Span { from: Some(from), to: to.map(last) }, SizeUnit::Words)]
}

/// Lifetimes of freed objects. The lifetime clause alone would also match live objects, by their age.
pub fn lifetimes(view_state: &ViewState, from: u64, to: u64) -> Vec<Clause> {
    let mut clauses = vec![Clause::Lifetime(Span::new(from, last(to)))];
    // A `Collected` clause already requires that the object was freed.
    if !view_state.filter().clauses.iter().any(|clause| matches!(clause, Clause::Collected(_))) {
        clauses.push(Clause::Collected(Span::ANY));
    }
    clauses
}

pub fn allocated(from: u64, to: u64) -> Vec<Clause> {
    vec![Clause::Allocated(Span::new(from, last(to)))]
}

fn last(to_exclusive: u64) -> u64 {
    to_exclusive.saturating_sub(1)
}

/// A clause that replaces another of its kind stays within that one's bounds.
fn within(view_state: &ViewState, clause: Clause, word_bytes: u64) -> Clause {
    let clauses = view_state.filter().clauses;
    match clause {
        Clause::Size(span, SizeUnit::Words) => {
            let before = clauses.iter().find_map(|clause| match clause {
                Clause::Size(span, SizeUnit::Words) => Some(*span),
                Clause::Size(span, SizeUnit::Bytes) => Some(Span {
                    from: span.from.map(|bytes| bytes.div_ceil(word_bytes.max(1))),
                    to: span.to.map(|bytes| bytes / word_bytes.max(1)),
                }),
                _ => None,
            });
            Clause::Size(span.and(before.unwrap_or(Span::ANY)), SizeUnit::Words)
        }
        Clause::Lifetime(span) => {
            let before = clauses.iter().find_map(|clause| match clause {
                Clause::Lifetime(span) => Some(*span),
                _ => None,
            });
            Clause::Lifetime(span.and(before.unwrap_or(Span::ANY)))
        }
        Clause::Allocated(span) => Clause::Allocated(span.and(view_state.brush().unwrap_or(Span::ANY))),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(view_state: &ViewState, clauses: Vec<Clause>) -> Vec<Clause> {
        let dispatch = narrowed(view_state, clauses, 8);
        let view_state = Rc::new(view_state.clone()).reduce(dispatch);
        view_state.filter().clauses
    }

    fn view_state(clauses: &[Clause]) -> ViewState {
        clauses.iter().fold(ViewState::default(), |view_state, clause| {
            Rc::unwrap_or_clone(Rc::new(view_state).reduce(ViewAction::AddClause(clause.clone())))
        })
    }

    #[test]
    fn a_second_range_stays_within_the_first() {
        let words = |from, to| Clause::Size(Span::new(from, to), SizeUnit::Words);
        assert_eq!(after(&view_state(&[words(10, 12)]), sizes(8, Some(16))), [words(10, 12)]);
        let bytes = Clause::Size(Span::new(81, 100), SizeUnit::Bytes);
        assert_eq!(after(&view_state(&[bytes]), sizes(8, Some(16))), [words(11, 12)]);
        assert_eq!(after(&view_state(&[words(10, 99_999)]), sizes(10_001, None)), [words(10_001, 99_999)]);
        let brush = Clause::Allocated(Span::new(5, 50));
        assert_eq!(after(&view_state(&[brush]), allocated(0, 10)), [Clause::Allocated(Span::new(5, 9))]);
    }

    #[test]
    fn lifetimes_only_match_freed_objects() {
        let lived = Clause::Lifetime(Span::new(8, 15));
        let look_before = view_state(&[]);
        let any = Clause::Collected(Span::ANY);
        assert_eq!(after(&look_before, lifetimes(&look_before, 8, 16)), [lived.clone(), any]);
        let freed = Clause::Collected(Span::new(1, 2));
        let look_before = view_state(std::slice::from_ref(&freed));
        assert_eq!(after(&look_before, lifetimes(&look_before, 8, 16)), [freed, lived]);
    }
}
