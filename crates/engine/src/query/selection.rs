//! The objects that pass a filter, as one bit per row. Ten million rows take about a megabyte, and narrowing is an AND.

use std::ops::Range;

use crate::trace::{Columns, ObjectRow, Rows};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// By row. Bits after the last row are 0.
    words: Vec<u64>,
    n_rows: u32,
    n_selected: u32,
}

/// Words of bits per chunk of rows.
const WORDS_A_CHUNK: usize = Columns::CHUNK_ROWS / 64;

impl Selection {
    pub fn all(n_rows: usize) -> Selection {
        let mut words = vec![u64::MAX; n_rows.div_ceil(64)];
        if let (Some(last), tail @ 1..) = (words.last_mut(), n_rows % 64) {
            *last = (1 << tail) - 1;
        }
        Selection { words, n_rows: n_rows as u32, n_selected: n_rows as u32 }
    }

    pub fn none(n_rows: usize) -> Selection {
        Selection { words: vec![0; n_rows.div_ceil(64)], n_rows: n_rows as u32, n_selected: 0 }
    }

    /// Creates a selection from one bit per row. Bits after the last row must be 0.
    pub fn from_words(words: Vec<u64>, n_rows: usize) -> Selection {
        let n_selected = words.iter().map(|word| word.count_ones()).sum();
        Selection { words, n_rows: n_rows as u32, n_selected }
    }

    /// Returns the rows of this selection that aren't in `other`, which must belong to the same trace.
    pub fn without(&self, other: &Selection) -> Selection {
        let words = self.words.iter().zip(&other.words).map(|(&these, &others)| these & !others).collect();
        Selection::from_words(words, self.n_rows as usize)
    }

    pub fn heap_bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    /// The number of selected rows.
    pub fn len(&self) -> usize {
        self.n_selected as usize
    }

    pub fn is_empty(&self) -> bool {
        self.n_selected == 0
    }

    pub fn is_all(&self) -> bool {
        self.n_selected == self.n_rows
    }

    #[inline(always)]
    pub fn contains(&self, row: ObjectRow) -> bool {
        self.words.get(row.0 as usize / 64).is_some_and(|word| word >> (row.0 % 64) & 1 == 1)
    }

    /// 64 rows per word, the first row in the lowest bit.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Visits each selected row in order, as an index into its chunk.
    #[inline(always)]
    pub fn for_each(&self, columns: &Columns, visit: impl FnMut(&Rows<'_>, usize)) {
        self.for_each_in(columns, 0..columns.n_chunks(), visit);
    }

    /// Like [`Selection::for_each`] for a range of chunks, for work that is done in slices.
    #[inline(always)]
    pub fn for_each_in(&self, columns: &Columns, chunks: Range<usize>, mut visit: impl FnMut(&Rows<'_>, usize)) {
        let words = self.words.chunks(WORDS_A_CHUNK).skip(chunks.start);
        for (rows, words) in columns.some_chunks(chunks).zip(words) {
            // A single call site for full and partial words: with two, `visit` isn't inlined into the loop.
            for (at, &word) in words.iter().enumerate() {
                for_each_bit(word, |bit| visit(&rows, at * 64 + bit));
            }
        }
    }
}

/// Visits the positions of the set bits, ascending.
#[inline(always)]
pub fn for_each_bit(mut word: u64, mut visit: impl FnMut(usize)) {
    while word != 0 {
        visit(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selecting_all_rows_sets_no_bit_after_the_last() {
        for n in [0, 1, 63, 64, 65, 200] {
            let all = Selection::all(n);
            assert_eq!(all, Selection::from_words(all.words().to_vec(), n));
            assert!(all.is_all() && all.len() == n);
            assert!(!all.contains(ObjectRow(n as u32)));
        }
    }
}
