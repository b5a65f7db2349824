//! The word of a row that holds everything except its time, end and stack.

use camlscope_formats::ctf::AllocSource;

/// Size, samples, source and promotion in one word: 20 + 9 + 2 + 1 bits.
#[derive(Clone, Copy)]
pub(super) struct PackedRow(pub u32);

impl PackedRow {
    pub const SIZE_MAX: u32 = (1 << 20) - 1;
    pub const SAMPLES_MAX: u32 = (1 << 9) - 1;
    /// Rows with a size this large are always in the separate table, so this size marks such a row.
    pub const LARGE: u32 = PackedRow::SIZE_MAX;
    pub const PROMOTED: u32 = 1 << 31;

    #[inline(always)]
    pub fn new(size_words: u64, n_samples: u64, source: AllocSource, promoted: bool) -> (PackedRow, bool) {
        let fits = size_words < u64::from(PackedRow::SIZE_MAX) && n_samples <= u64::from(PackedRow::SAMPLES_MAX);
        let amounts = if fits { size_words as u32 | (n_samples as u32) << 20 } else { PackedRow::LARGE };
        let flags = (source as u32) << 29 | if promoted { PackedRow::PROMOTED } else { 0 };
        (PackedRow(amounts | flags), !fits)
    }

    /// The size of a row that isn't in the separate table.
    #[inline(always)]
    pub fn small_words(self) -> u32 {
        self.0 & PackedRow::SIZE_MAX
    }

    /// The sample count of a row that isn't in the separate table.
    #[inline(always)]
    pub fn small_samples(self) -> u32 {
        self.0 >> 20 & PackedRow::SAMPLES_MAX
    }

    #[inline(always)]
    pub fn is_large(self) -> bool {
        self.0 & PackedRow::SIZE_MAX == PackedRow::LARGE
    }

    #[inline(always)]
    pub fn promoted(self) -> bool {
        self.0 & PackedRow::PROMOTED != 0
    }

    #[inline(always)]
    pub fn source(self) -> AllocSource {
        AllocSource::from_number(u64::from(self.0 >> 29 & 3)).unwrap_or(AllocSource::External)
    }
}
