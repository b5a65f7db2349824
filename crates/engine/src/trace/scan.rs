//! Reading the columns chunk by chunk: a query asks for the columns it needs and leaves the others in their memory.

use std::ops::Range;

use super::chunk::{CHUNK, Chunk, End};
use super::columns::Columns;
use super::ids::{MomentId, ObjectRow};
use super::list::partition_point;
use super::packed_row::PackedRow;
use super::totals::{MAX_MINOR_WORDS, starts_in_minor_heap};
use camlscope_formats::ctf::AllocSource;

/// A chunk of consecutive rows; places count from its first row.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    columns: &'a Columns,
    chunk: &'a Chunk,
    first: u32,
    len: usize,
}

impl Columns {
    /// Rows a chunk; only the last may have fewer.
    pub const CHUNK_ROWS: usize = CHUNK;

    pub fn chunks(&self) -> impl Iterator<Item = Rows<'_>> {
        self.some_chunks(0..self.n_chunks())
    }

    /// Chunks by number, for work that is done in slices.
    pub fn some_chunks(&self, numbers: Range<usize>) -> impl Iterator<Item = Rows<'_>> {
        let n = self.len();
        let numbers = numbers.start..numbers.end.min(self.n_chunks());
        numbers.map(move |number| {
            let first = number * CHUNK;
            let (chunk, _) = self.at(ObjectRow(first as u32));
            Rows { columns: self, chunk, first: first as u32, len: (n - first).min(CHUNK) }
        })
    }

    pub fn n_chunks(&self) -> usize {
        self.len().div_ceil(CHUNK)
    }

    /// How many rows were allocated at or before this time: rows are in the order of time.
    pub fn rows_until(&self, time_us: u64) -> u32 {
        self.partition(|at_us| at_us <= time_us)
    }

    /// How many rows were allocated before this time.
    pub fn rows_before(&self, time_us: u64) -> u32 {
        self.partition(|at_us| at_us < time_us)
    }

    fn partition(&self, is_left: impl Fn(u64) -> bool) -> u32 {
        partition_point(self.len(), |at| is_left(self.alloc_us(ObjectRow(at as u32)))) as u32
    }
}

impl<'a> Rows<'a> {
    /// Stands for a size that is too large to be packed, or that has too many samples beside it.
    pub const LAID_ASIDE: u32 = PackedRow::LARGE;

    /// The row at place 0.
    pub fn first(&self) -> u32 {
        self.first
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The numbers of the rows' [`super::StackId`]s.
    #[inline(always)]
    pub fn stacks(&self) -> &'a [u32] {
        &self.chunk.stack[..self.len]
    }

    /// The numbers of the end [`MomentId`]s of the rows at these places; those never collected have the largest number.
    #[inline(always)]
    pub fn ends(&self, places: Range<usize>) -> impl Iterator<Item = u32> + 'a {
        self.chunk.end[..self.len][places].iter().map(|&end| End(end).moment().0)
    }

    #[inline(always)]
    pub fn row(&self, place: usize) -> ObjectRow {
        ObjectRow(self.first + place as u32)
    }

    #[inline(always)]
    pub fn stack(&self, place: usize) -> usize {
        self.chunk.stack[place] as usize
    }

    #[inline(always)]
    pub fn end(&self, place: usize) -> MomentId {
        End(self.chunk.end[place]).moment()
    }

    #[inline(always)]
    pub fn alloc_us(&self, place: usize) -> u64 {
        self.chunk.time(place)
    }

    #[inline(always)]
    pub fn n_samples(&self, place: usize) -> u64 {
        self.amounts(place).1
    }

    /// The samples as a number to calculate with. Numbers that may have a sign are converted faster.
    #[inline(always)]
    pub fn samples(&self, place: usize) -> f64 {
        self.n_samples(place) as i64 as f64
    }

    /// Header excluded.
    #[inline(always)]
    pub fn size_words(&self, place: usize) -> u64 {
        self.amounts(place).0
    }

    /// The sizes of the rows at these places as far as they are packed; [`Rows::LAID_ASIDE`] for those that are not.
    #[inline(always)]
    pub fn packed_sizes(&self, places: Range<usize>) -> impl Iterator<Item = u32> + 'a {
        self.chunk.packed[..self.len][places].iter().map(|&packed| packed & PackedRow::SIZE_MAX)
    }

    #[inline(always)]
    pub fn source(&self, place: usize) -> AllocSource {
        self.packed(place).source()
    }

    /// Whether it moved from the minor to the major heap. Writers report a Bigarray as promoted when the small block that
    /// holds it moves; its memory, which is what its size says, stays where it is.
    #[inline(always)]
    pub fn promoted(&self, place: usize) -> bool {
        self.packed(place).promoted() && starts_in_minor_heap(self.source(place), self.size_words(place))
    }

    /// Whether the memory is outside the OCaml heap.
    #[inline(always)]
    pub fn is_outside_heap(&self, place: usize) -> bool {
        match self.source(place) {
            AllocSource::Minor => self.size_words(place) > MAX_MINOR_WORDS,
            AllocSource::Major => false,
            AllocSource::External => true,
        }
    }

    #[inline(always)]
    fn packed(&self, place: usize) -> PackedRow {
        PackedRow(self.chunk.packed[place])
    }

    #[inline(always)]
    fn amounts(&self, place: usize) -> (u64, u64) {
        self.columns.amounts(self.row(place), self.packed(place))
    }
}
