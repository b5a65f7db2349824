//! One row per object, 16 bytes: allocation time, end, stack, and a word with size, samples, source and promotion.
//! Values too large for their bits are rare and kept in a separate table.

use rustc_hash::FxHashMap;

use super::block_pool::BlockPool;
use super::chunk::{CHUNK, Chunk, End};
use super::domains::Domains;
use super::ids::{GcTimeId, ObjectRow, StackId};
use super::packed_row::PackedRow;
use super::pending::PendingRows;
use super::ranked_bits::RankedBits;
use super::totals::starts_in_minor_heap;
use camlscope_formats::ctf::AllocSource;

const CHUNK_BITS: u32 = CHUNK.ilog2();

#[derive(Debug, Default)]
pub struct Columns {
    /// All but the first `given_back`.
    chunks: Vec<Chunk>,
    given_back: usize,
    len: u32,
    aside: Aside,
    domains: Domains,
    blocks: BlockPool,
}

/// An object's row, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// µs since the trace's start.
    pub alloc_us: u64,
    pub end: GcTimeId,
    pub stack: StackId,
    /// Without the header.
    pub size_words: u64,
    pub n_samples: u64,
    pub source: AllocSource,
    pub promoted: bool,
}

/// Sizes and sample counts of the rows whose packed word doesn't hold them.
#[derive(Debug, Default)]
struct Aside(FxHashMap<u32, Large>);

#[derive(Clone, Copy, Debug)]
struct Large {
    size_words: u64,
    n_samples: u64,
}

impl Aside {
    /// Returns the size and the sample count of this row.
    #[inline(always)]
    fn amounts(&self, row: ObjectRow, packed: PackedRow) -> (u64, u64) {
        if packed.is_large() {
            return self.large_amounts(row);
        }
        (u64::from(packed.0 & PackedRow::SIZE_MAX), u64::from(packed.small_samples()))
    }

    #[cold]
    #[inline(never)]
    fn large_amounts(&self, row: ObjectRow) -> (u64, u64) {
        self.0.get(&row.0).map_or((u64::from(PackedRow::LARGE), 0), |large| (large.size_words, large.n_samples))
    }
}

/// The result of ending objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ended {
    pub n_samples: u64,
    /// Objects that had already ended.
    pub n_dead: u64,
}

impl Columns {
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends an object. There is room for 2^32 − 1, which the memory budget never allows.
    #[inline(always)]
    pub(super) fn push(&mut self, row: &Row) -> ObjectRow {
        let at = self.len;
        let place = usize::from(at as u16);
        if place == 0 {
            self.push_chunk(row.alloc_us);
        }
        let (packed, is_large) = PackedRow::new(row.size_words, row.n_samples, row.source, row.promoted);
        if is_large {
            self.lay_aside(at, row);
        }
        let Some(chunk) = self.chunks.last_mut() else {
            return ObjectRow(at);
        };
        chunk.set_time(place, row.alloc_us);
        chunk.end[place] = End::new(row.end, row.n_samples).0;
        chunk.stack[place] = row.stack.0;
        chunk.packed[place] = packed.0;
        self.len += 1;
        ObjectRow(at)
    }

    /// Appends live objects whose values all fit into their columns.
    pub(super) fn extend(&mut self, rows: PendingRows<'_>) {
        let mut from = 0;
        while let Some(&first_us) = rows.times_us.get(from) {
            let place = usize::from(self.len as u16);
            if place == 0 {
                self.push_chunk(first_us);
            }
            let n = (rows.times_us.len() - from).min(CHUNK - place);
            if let Some(chunk) = self.chunks.last_mut() {
                let (from, to) = (from..from + n, place..place + n);
                chunk.set_times(place, &rows.times_us[from.clone()]);
                let packed = &rows.packed[from.clone()];
                for (end, &packed) in chunk.end[to.clone()].iter_mut().zip(packed) {
                    *end = End::live(u64::from(PackedRow(packed).small_samples())).0;
                }
                chunk.stack[to.clone()].copy_from_slice(&rows.stacks[from]);
                chunk.packed[to].copy_from_slice(packed);
            }
            self.len += n as u32;
            from += n;
        }
    }

    #[cold]
    fn push_chunk(&mut self, first_us: u64) {
        self.chunks.push(Chunk::new(first_us, &mut self.blocks));
    }

    #[cold]
    fn lay_aside(&mut self, at: u32, row: &Row) {
        self.aside.0.insert(at, Large { size_words: row.size_words, n_samples: row.n_samples });
    }

    /// The block pool, shared with the lists that grow alongside the rows.
    pub(super) fn blocks(&mut self) -> &mut BlockPool {
        &mut self.blocks
    }

    /// Frees spare blocks once there are no more rows.
    pub(super) fn close(&mut self) {
        self.blocks = BlockPool::default();
    }

    /// Attributes the rows pushed from here on to this domain.
    pub(super) fn begin_domain(&mut self, domain: u16) {
        self.domains.begin(self.len, domain);
    }

    /// Creates columns for rows of several domains in time order.
    pub(super) fn of_domains(ids: Vec<u16>) -> Columns {
        Columns { domains: Domains::dense(ids), ..Columns::default() }
    }

    pub fn get(&self, row: ObjectRow) -> Row {
        let (chunk, place) = self.at(row);
        let packed = PackedRow(chunk.packed[place]);
        let (size_words, n_samples) = self.amounts(row, packed);
        Row {
            alloc_us: chunk.time(place),
            end: End(chunk.end[place]).gc_time(),
            stack: StackId(chunk.stack[place]),
            size_words,
            n_samples,
            source: packed.source(),
            promoted: packed.promoted(),
        }
    }

    /// All rows, in order.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectRow, Row)> + '_ {
        (0..self.len).map(|at| (ObjectRow(at), self.get(ObjectRow(at))))
    }

    #[inline(always)]
    pub fn n_samples(&self, row: ObjectRow) -> u64 {
        let (chunk, place) = self.at(row);
        self.amounts(row, PackedRow(chunk.packed[place])).1
    }

    /// Whether the object is first allocated in the minor heap.
    pub fn starts_in_minor_heap(&self, row: ObjectRow) -> bool {
        let (chunk, place) = self.at(row);
        let packed = PackedRow(chunk.packed[place]);
        starts_in_minor_heap(packed.source(), self.amounts(row, packed).0)
    }

    /// Ends the objects that haven't ended already.
    #[inline(always)]
    pub(super) fn set_ends(&mut self, rows: impl Iterator<Item = ObjectRow>, gc_time: GcTimeId) -> Ended {
        // Held in locals: otherwise a store into a block could have changed them, as far as the compiler knows.
        let (chunks, given_back) = (self.chunks.as_mut_slice(), self.given_back);
        let mut ended = Ended::default();
        for row in rows {
            let chunk = &mut chunks[(row.0 >> CHUNK_BITS) as usize - given_back];
            let place = usize::from(row.0 as u16);
            let before = End(chunk.end[place]);
            if before.is_live() {
                chunk.end[place] = gc_time.0;
                let n_aside = || self.aside.amounts(row, PackedRow(chunk.packed[place])).1;
                ended.n_samples += before.samples().unwrap_or_else(n_aside);
            } else {
                ended.n_dead += 1;
            }
        }
        ended
    }

    /// Marks a live object as promoted and returns its samples. `None` if it was already promoted or has ended.
    #[inline(always)]
    pub(super) fn set_promoted(&mut self, row: ObjectRow) -> Option<u64> {
        let (chunk, place) = self.at_mut(row);
        let packed = PackedRow(chunk.packed[place]);
        if !End(chunk.end[place]).is_live() || packed.promoted() {
            return None;
        }
        chunk.packed[place] = packed.0 | PackedRow::PROMOTED;
        Some(self.amounts(row, packed).1)
    }

    /// Reduces a row's sample count.
    pub(super) fn set_samples(&mut self, at: ObjectRow, n_samples: u64) {
        let row = Row { n_samples, ..self.get(at) };
        let (packed, is_large) = PackedRow::new(row.size_words, row.n_samples, row.source, row.promoted);
        if is_large {
            self.lay_aside(at.0, &row);
        } else {
            self.aside.0.remove(&at.0);
        }
        let (chunk, place) = self.at_mut(at);
        chunk.end[place] = End::new(row.end, row.n_samples).0;
        chunk.packed[place] = packed.0;
    }

    /// Keeps the rows whose bits are set, in order, renumbers their ends and stacks, and frees the rest.
    #[inline(always)]
    pub(super) fn compact(
        &mut self,
        kept: &RankedBits,
        renamed_end: impl Fn(GcTimeId) -> GcTimeId,
        renamed_stack: impl Fn(StackId) -> StackId,
    ) {
        let aside = std::mem::take(&mut self.aside.0);
        kept.for_each(|from, to| {
            let (from, to) = (ObjectRow(from as u32), ObjectRow(to));
            let (chunk, place) = self.at(from);
            let (alloc_us, end, packed) = (chunk.time(place), End(chunk.end[place]), PackedRow(chunk.packed[place]));
            let stack = renamed_stack(StackId(chunk.stack[place]));
            let end = if end.is_live() { end.0 } else { renamed_end(GcTimeId(end.0)).0 };
            if packed.is_large()
                && let Some(large) = aside.get(&from.0)
            {
                self.aside.0.insert(to.0, *large);
            }
            let (chunk, place) = self.at_mut(to);
            // Every row of this chunk has been read, unless `from` is in it.
            if place == 0 && to.0 >> CHUNK_BITS != from.0 >> CHUNK_BITS {
                chunk.begin(alloc_us);
            }
            chunk.set_time(place, alloc_us);
            chunk.end[place] = end;
            chunk.stack[place] = stack.0;
            chunk.packed[place] = packed.0;
        });
        self.len = kept.n_set();
        let behind = self.len().div_ceil(CHUNK).min(self.chunks.len());
        self.blocks.give_back(self.chunks.drain(behind..).flat_map(Chunk::into_blocks));
        self.domains.compact(kept);
    }

    #[inline(always)]
    pub fn alloc_us(&self, row: ObjectRow) -> u64 {
        let (chunk, place) = self.at(row);
        chunk.time(place)
    }

    #[inline(always)]
    pub fn stack(&self, row: ObjectRow) -> StackId {
        let (chunk, place) = self.at(row);
        StackId(chunk.stack[place])
    }

    #[inline(always)]
    pub fn end(&self, row: ObjectRow) -> GcTimeId {
        let (chunk, place) = self.at(row);
        End(chunk.end[place]).gc_time()
    }

    #[inline(always)]
    pub(super) fn is_promoted(&self, row: ObjectRow) -> bool {
        let (chunk, place) = self.at(row);
        PackedRow(chunk.packed[place]).promoted()
    }

    /// Overwrites the end of an object.
    pub(super) fn rename_end(&mut self, row: ObjectRow, end: GcTimeId) {
        let (chunk, place) = self.at_mut(row);
        chunk.end[place] = end.0;
    }

    /// Marks a row as promoted unconditionally.
    pub(super) fn mark_promoted(&mut self, row: ObjectRow) {
        let (chunk, place) = self.at_mut(row);
        chunk.packed[place] |= PackedRow::PROMOTED;
    }

    /// Keeps the first `len` rows.
    pub(super) fn truncate(&mut self, len: u32) {
        for row in (len..self.len).map(ObjectRow) {
            let (chunk, place) = self.at(row);
            if PackedRow(chunk.packed[place]).is_large() {
                self.aside.0.remove(&row.0);
            }
        }
        self.len = self.len.min(len);
        let behind = self.len().div_ceil(CHUNK).min(self.chunks.len());
        self.blocks.give_back(self.chunks.drain(behind..).flat_map(Chunk::into_blocks));
        self.domains.truncate(self.len);
    }

    /// Announces rows of one more domain. Returns false if there are too many to tell apart.
    pub(super) fn add_domain(&mut self, domain: u16) -> bool {
        self.domains.add(domain)
    }

    /// Hands the chunks that end before this row to another instance. They must not be read again.
    pub(super) fn give_before(&mut self, row: ObjectRow, other: &mut Columns) {
        let passed = ((row.0 >> CHUNK_BITS) as usize).saturating_sub(self.given_back);
        let chunks = self.chunks.drain(..passed.min(self.chunks.len()));
        other.blocks.give_back(chunks.flat_map(Chunk::into_blocks));
        self.given_back += passed;
    }

    #[inline(always)]
    pub fn domain(&self, row: ObjectRow) -> u16 {
        self.domains.get(row.0)
    }

    pub fn heap_bytes(&self) -> usize {
        let wide: usize = self.chunks.iter().flat_map(|chunk| &chunk.wide).map(|wide| wide.capacity() * 8).sum();
        self.chunks.len() * 4 * size_of::<[u32; CHUNK]>()
            + wide
            + self.aside.0.capacity() * (size_of::<(u32, Large)>() + 1)
            + self.domains.heap_bytes()
    }

    #[inline(always)]
    pub(super) fn amounts(&self, row: ObjectRow, packed: PackedRow) -> (u64, u64) {
        self.aside.amounts(row, packed)
    }

    #[inline(always)]
    pub(super) fn at(&self, row: ObjectRow) -> (&Chunk, usize) {
        (&self.chunks[(row.0 >> CHUNK_BITS) as usize - self.given_back], usize::from(row.0 as u16))
    }

    #[inline(always)]
    fn at_mut(&mut self, row: ObjectRow) -> (&mut Chunk, usize) {
        (&mut self.chunks[(row.0 >> CHUNK_BITS) as usize - self.given_back], usize::from(row.0 as u16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(i: u64) -> Row {
        Row {
            alloc_us: i * 1000,
            end: if i.is_multiple_of(3) { GcTimeId::NEVER } else { GcTimeId(i as u32) },
            stack: StackId(i as u32 % 17),
            size_words: 1 + i % 300,
            n_samples: 1 + i % 5,
            source: [AllocSource::Minor, AllocSource::Major, AllocSource::External][i as usize % 3],
            promoted: i.is_multiple_of(7),
        }
    }

    #[test]
    fn rows_read_back_as_they_were_written() {
        let mut columns = Columns::default();
        let n = CHUNK as u64 + 100;
        for i in 0..n {
            columns.push(&row(i));
        }
        assert!(columns.iter().all(|(at, read)| read == row(u64::from(at.0))));
        assert_eq!(columns.len() as u64, n);
    }

    #[test]
    fn sizes_samples_and_times_beyond_their_bits_are_kept_exactly() {
        let mut columns = Columns::default();
        let rows = [
            Row {
                size_words: u64::from(PackedRow::SIZE_MAX) - 1,
                n_samples: u64::from(PackedRow::SAMPLES_MAX),
                ..row(1)
            },
            Row { size_words: u64::from(PackedRow::SIZE_MAX), n_samples: 1, ..row(1) },
            Row { size_words: 1 << 40, n_samples: 3, ..row(2) },
            Row { size_words: 600, n_samples: 1 << 33, ..row(3) },
            Row { size_words: (1 << 62) - 1, n_samples: (1 << 62) - 1, ..row(3) },
            Row { size_words: 0, n_samples: 0, ..row(4) },
            Row { size_words: 0, n_samples: u64::from(PackedRow::SAMPLES_MAX), ..row(5) },
            Row { alloc_us: 1 << 45, ..row(6) },
            Row { alloc_us: 1 << 20, ..row(7) },
        ];
        for row in &rows {
            columns.push(row);
        }
        assert!(columns.iter().map(|(_, row)| row).eq(rows));
    }

    #[test]
    fn an_object_ends_once_and_is_promoted_once() {
        let mut columns = Columns::default();
        let at = columns.push(&Row { end: GcTimeId::NEVER, promoted: false, ..row(1) });
        assert_eq!((columns.set_promoted(at), columns.set_promoted(at)), (Some(row(1).n_samples), None));
        let n_samples = row(1).n_samples;
        assert_eq!(columns.set_ends([at, at].into_iter(), GcTimeId(5)), Ended { n_samples, n_dead: 1 });
        assert_eq!(columns.set_ends([at].into_iter(), GcTimeId(6)), Ended { n_samples: 0, n_dead: 1 });
        assert_eq!((columns.set_promoted(at), columns.get(at).end), (None, GcTimeId(5)));
    }

    #[test]
    fn ending_an_object_returns_its_sample_count() {
        let mut columns = Columns::default();
        for n_samples in [0, 1, 2, 253, 254, 255, 256, 511, 512, 1 << 20, u64::from(u32::MAX), 1 << 32, 1 << 62] {
            let at = columns.push(&Row { end: GcTimeId::NEVER, n_samples, ..row(1) });
            assert_eq!((columns.end(at), columns.get(at).end), (GcTimeId::NEVER, GcTimeId::NEVER));
            let ended = columns.set_ends([at].into_iter(), GcTimeId(5));
            assert_eq!((ended.n_samples, columns.end(at)), (n_samples, GcTimeId(5)));
        }
    }
}
