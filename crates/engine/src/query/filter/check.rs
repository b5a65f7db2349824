//! Filters that no object could ever pass are told apart from those that merely find nothing here.

use thiserror::Error;

use super::{Clause, Filter, Heap, NameMatcher, NameTest, Span, When};

/// What is wrong with a filter.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FilterError {
    #[error("“{pattern}” is no regular expression: {why}.")]
    BadPattern { pattern: String, why: String },
    #[error("No object can pass this filter: {why}.")]
    Impossible { why: String },
}

impl Filter {
    /// Whether the filter makes sense, whatever the trace.
    pub fn check(&self) -> Result<(), FilterError> {
        for test in self.name_tests() {
            NameMatcher::new(test).map_err(|why| FilterError::BadPattern { pattern: test.text.clone(), why })?;
        }
        match self.contradiction() {
            Some(why) => Err(FilterError::Impossible { why: why.to_owned() }),
            None => Ok(()),
        }
    }

    fn name_tests(&self) -> impl Iterator<Item = &NameTest> {
        self.clauses.iter().flat_map(|clause| match clause {
            Clause::Frame(test) => vec![&test.name],
            Clause::Calls { caller, callee } => vec![caller, callee],
            Clause::Hide(name) | Clause::Focus(name) => vec![name],
            _ => Vec::new(),
        })
    }

    fn contradiction(&self) -> Option<&'static str> {
        let clauses = || self.clauses.iter();
        // Each clause by itself, as the bounds of a window may be typed in the wrong order.
        let is_reversed = clauses().any(|clause| match clause {
            Clause::Allocated(span) | Clause::Collected(span) | Clause::Lifetime(span) | Clause::Size(span, _) => {
                span.is_impossible()
            }
            Clause::LiveWithin(span) | Clause::LiveThrough(span) => span.is_impossible(),
            _ => false,
        });
        if is_reversed {
            return Some("a range begins behind its end");
        }
        let together = |pick: fn(&Clause) -> Option<Span>| clauses().filter_map(pick).fold(Span::ANY, Span::and);
        if together(|clause| match clause {
            Clause::Allocated(span) => Some(*span),
            _ => None,
        })
        .is_impossible()
        {
            return Some("its ranges of allocation times do not overlap");
        }
        if together(|clause| match clause {
            Clause::Collected(span) => Some(*span),
            _ => None,
        })
        .is_impossible()
        {
            return Some("its ranges of collection times do not overlap");
        }
        let is_never = |clause: &Clause| matches!(clause, Clause::NeverCollected | Clause::LiveAt(When::End));
        if clauses().any(is_never) && clauses().any(|clause| matches!(clause, Clause::Collected(_))) {
            return Some("an object that was never collected has no collection time");
        }
        let heaps = clauses().filter_map(|clause| match clause {
            Clause::Heap(heaps) => Some(heaps.as_slice()),
            _ => None,
        });
        if heaps.clone().count() > 0 && !Heap::ALL.iter().any(|heap| heaps.clone().all(|heaps| heaps.contains(heap))) {
            return Some("no heap is left");
        }
        let domains = || {
            clauses().filter_map(|clause| match clause {
                Clause::Domain(ids) => Some(ids),
                _ => None,
            })
        };
        match domains().next() {
            Some(first) if !first.iter().any(|id| domains().all(|ids| ids.contains(id))) => Some("no domain is left"),
            _ => None,
        }
    }
}
