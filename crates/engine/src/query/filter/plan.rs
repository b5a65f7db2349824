//! A filter compiled for one trace. Times become row and GC time numbers, and names become a flag per stack node. The
//! scan goes chunk by chunk, 64 rows at a time, cheap tests first. Each test narrows the rows for the next one.

use std::ops::Range;

use super::further::FurtherAllocation;
use super::stacks::passing_stacks;
use super::{Clause, DiesWithin, Filter, FilterError, Heap, SizeUnit, Span, When};
use crate::query::measure::lifetime_us;
use crate::query::selection::{Selection, for_each_bit};
use crate::trace::{GcTimeId, Rows, Trace};
use camlscope_formats::ctf::AllocSource;

/// Returns the objects that pass a filter.
pub fn select(trace: &Trace, filter: &Filter) -> Result<Selection, FilterError> {
    filter.check()?;
    Ok(Plan::new(trace, &filter.clauses)?.narrow(trace, &Selection::all(trace.columns.len())))
}

#[derive(Clone, Debug)]
pub struct Plan {
    rows: Range<u32>,
    /// Numbers of end GC times. [`GcTimeId::NEVER`] is the largest.
    ends: Range<u64>,
    size_words: Span,
    lifetime_us: Span,
    /// The most bytes that may be allocated between an object and its end.
    further_bytes: Option<(FurtherAllocation, u64)>,
    /// One bit per [`Heap`].
    heaps: u8,
    domains: Option<Vec<u16>>,
    /// By stack node.
    stacks: Option<Vec<bool>>,
}

const ALL_HEAPS: u8 = 0b1111;
const ALL_ENDS: Range<u64> = 0..GcTimeId::NEVER.0 as u64 + 1;

impl Plan {
    /// Compiles the AND of these clauses.
    pub fn new(trace: &Trace, clauses: &[Clause]) -> Result<Plan, FilterError> {
        let mut plan = Plan {
            rows: 0..trace.columns.len() as u32,
            ends: ALL_ENDS,
            size_words: Span::ANY,
            lifetime_us: Span::ANY,
            further_bytes: None,
            heaps: ALL_HEAPS,
            domains: None,
            stacks: None,
        };
        for clause in clauses {
            plan.add(trace, clause)?;
        }
        Ok(plan)
    }

    fn add(&mut self, trace: &Trace, clause: &Clause) -> Result<(), FilterError> {
        let (columns, gc_times) = (&trace.columns, &trace.gc_times);
        let start = |from: Option<u64>| from.unwrap_or(0);
        let stop = |to: Option<u64>| to.unwrap_or(u64::MAX);
        match clause {
            Clause::Allocated(span) => {
                self.keep_rows(columns.rows_before(start(span.from))..columns.rows_until(stop(span.to)));
            }
            Clause::Collected(span) => {
                self.keep_ends(gc_times.before(start(span.from)).into()..gc_times.until(stop(span.to)).into());
            }
            Clause::NeverCollected | Clause::LiveAt(When::End) => {
                self.keep_ends(ALL_ENDS.end - 1..ALL_ENDS.end);
            }
            Clause::LiveAt(When::At(time_us)) => {
                let at = trace.position(*time_us);
                self.keep_rows(0..at.rows);
                self.keep_ends(at.gc_times.into()..ALL_ENDS.end);
            }
            Clause::LiveAt(When::Peak) => {
                self.keep_rows(0..trace.peak_at.rows);
                self.keep_ends(trace.peak_at.gc_times.into()..ALL_ENDS.end);
            }
            Clause::LiveWithin(span) => {
                self.keep_rows(0..columns.rows_until(stop(span.to)));
                // Without a lower bound, objects that ended right at the start count as well.
                self.keep_ends(span.from.map_or(0, |from| gc_times.until(from)).into()..ALL_ENDS.end);
            }
            Clause::LiveThrough(span) => {
                self.keep_rows(0..columns.rows_until(start(span.from)));
                self.keep_ends(gc_times.until(stop(span.to)).into()..ALL_ENDS.end);
            }
            Clause::Size(span, unit) => {
                let word_bytes = trace.info.word_bytes() as u64;
                self.size_words = self.size_words.and(match unit {
                    SizeUnit::Words => *span,
                    SizeUnit::Bytes => Span {
                        from: span.from.map(|from| from.div_ceil(word_bytes)),
                        to: span.to.map(|to| to / word_bytes),
                    },
                });
            }
            Clause::Lifetime(span) => self.lifetime_us = self.lifetime_us.and(*span),
            Clause::Temporary(within) => {
                self.keep_ends(0..ALL_ENDS.end - 1);
                match *within {
                    DiesWithin::Micros(us) => {
                        self.lifetime_us = self.lifetime_us.and(Span { from: None, to: Some(us) });
                    }
                    DiesWithin::Bytes(bytes) => match &mut self.further_bytes {
                        Some((_, most)) => *most = bytes.min(*most),
                        None => self.further_bytes = Some((FurtherAllocation::new(trace), bytes)),
                    },
                }
            }
            Clause::Heap(heaps) => self.heaps &= heaps.iter().fold(0, |bits, heap| bits | 1 << *heap as u8),
            Clause::Domain(ids) => match &mut self.domains {
                Some(domains) => domains.retain(|id| ids.contains(id)),
                None => self.domains = Some(ids.clone()),
            },
            // Hiding frames keeps all objects.
            Clause::Hide(_) => {}
            Clause::Frame(_) | Clause::Calls { .. } | Clause::Focus(_) => {
                let passing = passing_stacks(&trace.calls, clause)?;
                match &mut self.stacks {
                    Some(stacks) => stacks.iter_mut().zip(passing).for_each(|(stack, passes)| *stack &= passes),
                    None => self.stacks = Some(passing),
                }
            }
        }
        Ok(())
    }

    fn keep_rows(&mut self, rows: Range<u32>) {
        self.rows = self.rows.start.max(rows.start)..self.rows.end.min(rows.end);
    }

    fn keep_ends(&mut self, ends: Range<u64>) {
        self.ends = self.ends.start.max(ends.start)..self.ends.end.min(ends.end);
    }

    /// Returns the rows of `base` that pass.
    pub fn narrow(&self, trace: &Trace, base: &Selection) -> Selection {
        let mut words = vec![0; base.words().len()];
        self.narrow_in(trace, base, 0..trace.columns.n_chunks(), &mut words);
        Selection::from_words(words, trace.columns.len())
    }

    /// Like [`Plan::narrow`] for a range of chunks, for work that is done in slices.
    pub fn narrow_in(&self, trace: &Trace, base: &Selection, chunks: Range<usize>, words: &mut [u64]) {
        for rows in trace.columns.some_chunks(chunks) {
            let first_word = rows.first() as usize / 64;
            let is_outside = rows.first() >= self.rows.end || rows.first() + rows.len() as u32 <= self.rows.start;
            if is_outside {
                continue;
            }
            for word in 0..rows.len().div_ceil(64) {
                let at = first_word + word;
                let bits = base.words()[at] & bits_of_range(&self.rows, at as u32 * 64);
                if bits != 0 {
                    words[at] = self.test(trace, &rows, word * 64, bits);
                }
            }
        }
    }

    /// Returns which of the 64 rows from `first` on pass, among those whose bits are set.
    #[inline(always)]
    fn test(&self, trace: &Trace, rows: &Rows<'_>, first: usize, mut bits: u64) -> u64 {
        if self.ends != ALL_ENDS {
            let ends = rows.ends(first..rows.len().min(first + 64));
            // Checks both bounds in one comparison. The range is in u64, since it may include the largest u32.
            let (from, n) = (self.ends.start, self.ends.end.saturating_sub(self.ends.start));
            let mut passing = 0;
            for (bit, end) in ends.enumerate() {
                passing |= u64::from(u64::from(end).wrapping_sub(from) < n) << bit;
            }
            bits &= passing;
        }
        if self.heaps != ALL_HEAPS {
            bits = keep(bits, |bit| {
                let place = first + bit;
                self.heaps >> heap_of(rows, place) as u8 & 1 == 1
            });
        }
        if self.size_words != Span::ANY {
            bits &= self.test_sizes(rows, first);
        }
        if let Some(domains) = &self.domains {
            bits = keep(bits, |bit| domains.contains(&trace.columns.domain(rows.row(first + bit))));
        }
        if let Some(stacks) = &self.stacks {
            bits = keep(bits, |bit| stacks[rows.stack(first + bit)]);
        }
        if self.lifetime_us != Span::ANY {
            bits = keep(bits, |bit| self.lifetime_us.contains(lifetime_us(trace, rows, first + bit)));
        }
        if let Some((further, most)) = &self.further_bytes {
            let bytes = |place: usize| further.bytes(trace, rows.row(place), rows.end(place));
            bits = keep(bits, |bit| bytes(first + bit) <= *most as f64);
        }
        bits
    }

    /// Returns which of the 64 rows from `first` on have a size that passes.
    #[inline(always)]
    fn test_sizes(&self, rows: &Rows<'_>, first: usize) -> u64 {
        let places = first..rows.len().min(first + 64);
        // Checks both bounds at once. Sizes too large for the column are stored elsewhere and checked one by one.
        let most = u64::from(Rows::LAID_ASIDE);
        let from = self.size_words.from.unwrap_or(0).min(most);
        let to = self.size_words.to.unwrap_or(u64::MAX).min(most);
        let (from, n) = (from as u32, (to + 1).saturating_sub(from) as u32);
        let (mut passing, mut is_aside) = (0, false);
        for (bit, size) in rows.packed_sizes(places.clone()).enumerate() {
            passing |= u64::from(size.wrapping_sub(from) < n) << bit;
            is_aside |= size == Rows::LAID_ASIDE;
        }
        if is_aside {
            return keep(u64::MAX >> (64 - places.len()), |bit| self.size_words.contains(rows.size_words(first + bit)));
        }
        passing
    }
}

/// Returns where an object lived.
#[inline(always)]
pub fn heap_of(rows: &Rows<'_>, place: usize) -> Heap {
    match rows.source(place) {
        _ if rows.is_outside_heap(place) => Heap::External,
        AllocSource::Minor if rows.promoted(place) => Heap::Promoted,
        AllocSource::Minor => Heap::Minor,
        AllocSource::Major | AllocSource::External => Heap::Major,
    }
}

#[inline(always)]
fn keep(bits: u64, passes: impl Fn(usize) -> bool) -> u64 {
    let mut kept = 0;
    for_each_bit(bits, |bit| kept |= u64::from(passes(bit)) << bit);
    kept
}

/// Returns which of the 64 rows from `first` on are in the range.
fn bits_of_range(range: &Range<u32>, first: u32) -> u64 {
    let from = range.start.saturating_sub(first).min(64);
    let to = range.end.saturating_sub(first).min(64);
    if from >= to { 0 } else { (u64::MAX >> (64 - (to - from))) << from }
}
