//! Distinguishes filters that no object could ever pass from filters that just find nothing in this trace.

use serde::{Deserialize, Serialize};

use super::{Clause, Filter, Heap, NameMatcher, NameTest, Span, When};

/// Why a filter is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FilterError {
    /// `why` is the error message of the regex parser.
    BadPattern {
        pattern: String,
        why: String,
    },
    Impossible(Contradiction),
}

/// Why no object can pass a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Contradiction {
    /// A range begins after its end.
    Reversed,
    AllocationTimes,
    CollectionTimes,
    /// Never collected, but collected at some time, or soon.
    NeverCollected,
    NoHeap,
    NoDomain,
}

impl Filter {
    /// Checks that the filter makes sense, regardless of the trace.
    pub fn check(&self) -> Result<(), FilterError> {
        for test in self.name_tests() {
            NameMatcher::new(test).map_err(|why| FilterError::BadPattern { pattern: test.text.clone(), why })?;
        }
        match self.contradiction() {
            Some(why) => Err(FilterError::Impossible(why)),
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

    fn contradiction(&self) -> Option<Contradiction> {
        let clauses = || self.clauses.iter();
        // Each clause on its own, since the bounds of a range may be typed in the wrong order.
        let is_reversed = clauses().any(|clause| match clause {
            Clause::Allocated(span) | Clause::Collected(span) | Clause::Lifetime(span) | Clause::Size(span, _) => {
                span.is_impossible()
            }
            Clause::LiveWithin(span) | Clause::LiveThrough(span) => span.is_impossible(),
            _ => false,
        });
        if is_reversed {
            return Some(Contradiction::Reversed);
        }
        let together = |pick: fn(&Clause) -> Option<Span>| clauses().filter_map(pick).fold(Span::ANY, Span::and);
        if together(|clause| match clause {
            Clause::Allocated(span) => Some(*span),
            _ => None,
        })
        .is_impossible()
        {
            return Some(Contradiction::AllocationTimes);
        }
        if together(|clause| match clause {
            Clause::Collected(span) => Some(*span),
            _ => None,
        })
        .is_impossible()
        {
            return Some(Contradiction::CollectionTimes);
        }
        let is_never = |clause: &Clause| matches!(clause, Clause::NeverCollected | Clause::LiveAt(When::End));
        if clauses().any(is_never)
            && clauses().any(|clause| matches!(clause, Clause::Collected(_) | Clause::Temporary(_)))
        {
            return Some(Contradiction::NeverCollected);
        }
        let heaps = clauses().filter_map(|clause| match clause {
            Clause::Heap(heaps) => Some(heaps.as_slice()),
            _ => None,
        });
        if heaps.clone().count() > 0 && !Heap::ALL.iter().any(|heap| heaps.clone().all(|heaps| heaps.contains(heap))) {
            return Some(Contradiction::NoHeap);
        }
        let domains = || {
            clauses().filter_map(|clause| match clause {
                Clause::Domain(ids) => Some(ids),
                _ => None,
            })
        };
        match domains().next() {
            Some(first) if !first.iter().any(|id| domains().all(|ids| ids.contains(id))) => {
                Some(Contradiction::NoDomain)
            }
            _ => None,
        }
    }
}
