//! Reads the columns chunk by chunk, so that a query touches only the columns it needs.

use std::ops::Range;

use super::chunk::{CHUNK, Chunk, End};
use super::columns::Columns;
use super::ids::{GcTimeId, ObjectRow};
use super::list::partition_point;
use super::packed_row::PackedRow;
use super::totals::{MAX_MINOR_WORDS, starts_in_minor_heap};
use camlscope_formats::ctf::AllocSource;

/// A chunk of consecutive rows. Indices are relative to its first row.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    columns: &'a Columns,
    chunk: &'a Chunk,
    first: u32,
    len: usize,
}

impl Columns {
    /// Rows per chunk. Only the last chunk may have fewer.
    pub const CHUNK_ROWS: usize = CHUNK;

    pub fn chunks(&self) -> impl Iterator<Item = Rows<'_>> {
        self.some_chunks(0..self.n_chunks())
    }

    /// Returns chunks by number, for work done in slices.
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

    /// Returns how many rows were allocated at or before this time. Rows are in time order.
    pub fn rows_until(&self, time_us: u64) -> u32 {
        self.partition(|at_us| at_us <= time_us)
    }

    /// Returns how many rows were allocated before this time.
    pub fn rows_before(&self, time_us: u64) -> u32 {
        self.partition(|at_us| at_us < time_us)
    }

    fn partition(&self, is_left: impl Fn(u64) -> bool) -> u32 {
        partition_point(self.len(), |at| is_left(self.alloc_us(ObjectRow(at as u32)))) as u32
    }
}

impl<'a> Rows<'a> {
    /// Replaces a size that doesn't fit into the packed word, or whose sample count doesn't.
    pub const LAID_ASIDE: u32 = PackedRow::LARGE;

    /// The first row of the chunk.
    pub fn first(&self) -> u32 {
        self.first
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The rows' [`super::StackId`]s, as numbers.
    #[inline(always)]
    pub fn stacks(&self) -> &'a [u32] {
        &self.chunk.stack[..self.len]
    }

    /// The ends ([`GcTimeId`]) of these rows, as numbers. Objects never collected have the largest number.
    #[inline(always)]
    pub fn ends(&self, places: Range<usize>) -> impl Iterator<Item = u32> + 'a {
        self.chunk.end[..self.len][places].iter().map(|&end| End(end).gc_time().0)
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
    pub fn end(&self, place: usize) -> GcTimeId {
        End(self.chunk.end[place]).gc_time()
    }

    #[inline(always)]
    pub fn alloc_us(&self, place: usize) -> u64 {
        self.chunk.time(place)
    }

    #[inline(always)]
    pub fn n_samples(&self, place: usize) -> u64 {
        self.amounts(place).1
    }

    /// The sample count as a float. The detour through a signed integer converts faster.
    #[inline(always)]
    pub fn samples(&self, place: usize) -> f64 {
        self.n_samples(place) as i64 as f64
    }

    /// Without the header.
    #[inline(always)]
    pub fn size_words(&self, place: usize) -> u64 {
        self.amounts(place).0
    }

    /// The packed sizes of these rows, or [`Rows::LAID_ASIDE`] for those that don't fit.
    #[inline(always)]
    pub fn packed_sizes(&self, places: Range<usize>) -> impl Iterator<Item = u32> + 'a {
        self.chunk.packed[..self.len][places].iter().map(|&packed| packed & PackedRow::SIZE_MAX)
    }

    #[inline(always)]
    pub fn source(&self, place: usize) -> AllocSource {
        self.packed(place).source()
    }

    /// Whether the object moved from the minor to the major heap. Recorders report a Bigarray as promoted when the
    /// small block that holds it moves. Its memory, which its size refers to, doesn't move.
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
