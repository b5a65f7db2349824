//! A bar or a rectangle as clauses of the filter: exactly what was pointed at is left, within what was left before. All
//! clauses come in one step, so that “back” undoes them together.

use std::rc::Rc;

use yew::Reducible;

use crate::query::filter::{Clause, SizeUnit, Span};
use crate::ui::look::{Look, Turn};

/// `word_bytes`: clauses of bytes are read as words.
pub fn narrowed(look: &Look, clauses: Vec<Clause>, word_bytes: u64) -> Turn {
    let mut next = Rc::new(look.clone());
    for clause in clauses {
        let within = within(look, clause, word_bytes);
        next = next.reduce(Turn::AddClause(within));
    }
    Turn::Count { measure: next.measure, chips: next.chips.clone() }
}

/// Sizes in words from one, inclusive, to another, exclusive; none: no upper end.
pub fn sizes(from: u64, to: Option<u64>) -> Vec<Clause> {
    vec![Clause::Size(Span { from: Some(from), to: to.map(last) }, SizeUnit::Words)]
}

/// Lifetimes of what was freed: the clause alone would take in what is still alive, by its age.
pub fn lifetimes(look: &Look, from: u64, to: u64) -> Vec<Clause> {
    let mut clauses = vec![Clause::Lifetime(Span::new(from, last(to)))];
    // One that says when it was freed says that it was.
    if !look.filter().clauses.iter().any(|clause| matches!(clause, Clause::Collected(_))) {
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

/// A clause that takes the place of one of its kind keeps that one's bounds.
fn within(look: &Look, clause: Clause, word_bytes: u64) -> Clause {
    let clauses = look.filter().clauses;
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
        Clause::Allocated(span) => Clause::Allocated(span.and(look.brush().unwrap_or(Span::ANY))),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(look: &Look, clauses: Vec<Clause>) -> Vec<Clause> {
        let turn = narrowed(look, clauses, 8);
        let look = Rc::new(look.clone()).reduce(turn);
        look.filter().clauses
    }

    fn look(clauses: &[Clause]) -> Look {
        clauses.iter().fold(Look::default(), |look, clause| {
            Rc::unwrap_or_clone(Rc::new(look).reduce(Turn::AddClause(clause.clone())))
        })
    }

    #[test]
    fn a_second_range_lies_within_the_first() {
        let words = |from, to| Clause::Size(Span::new(from, to), SizeUnit::Words);
        assert_eq!(after(&look(&[words(10, 12)]), sizes(8, Some(16))), [words(10, 12)]);
        let bytes = Clause::Size(Span::new(81, 100), SizeUnit::Bytes);
        assert_eq!(after(&look(&[bytes]), sizes(8, Some(16))), [words(11, 12)]);
        assert_eq!(after(&look(&[words(10, 99_999)]), sizes(10_001, None)), [words(10_001, 99_999)]);
        let brush = Clause::Allocated(Span::new(5, 50));
        assert_eq!(after(&look(&[brush]), allocated(0, 10)), [Clause::Allocated(Span::new(5, 9))]);
    }

    #[test]
    fn lifetimes_are_of_what_was_freed() {
        let lived = Clause::Lifetime(Span::new(8, 15));
        let look_before = look(&[]);
        let any = Clause::Collected(Span::ANY);
        assert_eq!(after(&look_before, lifetimes(&look_before, 8, 16)), [lived.clone(), any]);
        let freed = Clause::Collected(Span::new(1, 2));
        let look_before = look(std::slice::from_ref(&freed));
        assert_eq!(after(&look_before, lifetimes(&look_before, 8, 16)), [freed, lived]);
    }
}
