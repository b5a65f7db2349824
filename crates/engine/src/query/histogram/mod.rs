//! Block sizes and lifetimes: bins for display, and statistics that don't depend on the bins.

pub mod bins;
pub mod heat;
pub mod sites;
pub mod stats;

use serde::{Deserialize, Serialize};

use self::bins::BinPlace;
pub use self::bins::Bins;
use self::stats::FirstPass;
pub use self::stats::Stats;
use super::filter::{Heap, heap_of};
use super::from_name::from_name;
use super::selection::Selection;
use crate::trace::{GcTimeId, Rows, Trace};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HistogramConfig {
    pub of: Of,
    pub bins: Bins,
    /// How each bin is divided into parts.
    pub split: Option<Split>,
    /// The unit of the statistics.
    pub weight: Counted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Of {
    /// In words, header excluded.
    Size,
    /// In µs, for objects that were collected.
    Lifetime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Split {
    Heap,
    /// Died in the minor heap, died elsewhere, or still alive.
    Fate,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Counted {
    #[default]
    Samples,
    Bytes,
    Blocks,
}

impl Split {
    /// Returns the name used in links.
    pub fn as_str(self) -> &'static str {
        match self {
            Split::Heap => "heap",
            Split::Fate => "fate",
        }
    }
}

from_name!(Split, [Split::Heap, Split::Fate]);

impl Counted {
    /// Returns the name used in links.
    pub fn as_str(self) -> &'static str {
        match self {
            Counted::Samples => "samples",
            Counted::Bytes => "bytes",
            Counted::Blocks => "blocks",
        }
    }
}

from_name!(Counted, [Counted::Samples, Counted::Bytes, Counted::Blocks]);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// In order and without gaps. Logarithmic bins go from the first filled one to the last.
    pub bins: Vec<Bin>,
    /// Values outside linear bins.
    pub below: BinAmounts,
    pub above: BinAmounts,
    /// For lifetimes: objects that were never collected, which are in no bin.
    pub never: Option<BinAmounts>,
    /// The names of the parts. Empty without a split.
    pub part_names: Vec<String>,
    /// The parts of `never`.
    pub never_parts: Vec<BinAmounts>,
    /// For all values, inside and outside the bins.
    pub stats: Stats,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Inclusive.
    pub from: u64,
    /// Exclusive.
    pub to: u64,
    pub samples: u64,
    pub bytes: f64,
    pub blocks: f64,
    /// Samples of objects that were never collected.
    pub alive_samples: u64,
    /// In the order of the part names. They add up to the bin.
    pub parts: Vec<BinAmounts>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BinAmounts {
    pub samples: u64,
    pub bytes: f64,
    pub blocks: f64,
}

impl BinAmounts {
    pub fn and(self, other: BinAmounts) -> BinAmounts {
        BinAmounts {
            samples: self.samples + other.samples,
            bytes: self.bytes + other.bytes,
            blocks: self.blocks + other.blocks,
        }
    }
}

pub fn histogram(trace: &Trace, selection: &Selection, config: &HistogramConfig) -> Histogram {
    let n_parts = Split::n_parts(config.split);
    let n_bins = config.bins.len();
    // After the bins: below, above, never.
    let (below, above, never) = (n_bins, n_bins + 1, n_bins + 2);
    let mut sums = vec![Sum::default(); (n_bins + 3) * n_parts];
    let mut stats = FirstPass::default();
    selection.for_each(&trace.columns, |rows, place| {
        let samples = rows.n_samples(place);
        let size_words = rows.size_words(place);
        let blocks = rows.samples(place) / (size_words + 1) as f64;
        let bin = match config.of.value(trace, rows, place) {
            None => never,
            Some(value) => {
                let weight = if config.weight == Counted::Blocks { blocks } else { rows.samples(place) };
                stats.add(value, weight, size_words > LARGE_WORDS);
                match config.bins.place(value) {
                    BinPlace::Bin(bin) => bin,
                    BinPlace::Below => below,
                    BinPlace::Above => above,
                }
            }
        };
        let part = Split::part(config.split, rows, place);
        sums[bin * n_parts + part].add(samples, blocks, rows.end(place) == GcTimeId::NEVER);
    });
    let largest = stats.max();
    let mut stats = stats.finish();
    selection.for_each(&trace.columns, |rows, place| {
        if let Some(value) = config.of.value(trace, rows, place) {
            let samples = rows.samples(place);
            let blocks = || samples / (rows.size_words(place) + 1) as f64;
            let weight = if config.weight == Counted::Blocks { blocks() } else { samples };
            stats.add(value, weight);
        }
    });
    let parts_of = |bin: usize| &sums[bin * n_parts..(bin + 1) * n_parts];
    let whole = |bin: usize| parts_of(bin).iter().copied().fold(Sum::default(), Sum::and);
    let amounts = |sum: Sum| sum.amounts(trace);
    let parts = |bin: usize| match config.split {
        None => Vec::new(),
        Some(_) => parts_of(bin).iter().copied().map(amounts).collect(),
    };
    let bins = config.bins.shown(|bin| whole(bin).samples > 0).map(|bin| {
        let range = config.bins.range(bin, largest);
        let BinAmounts { samples, bytes, blocks } = amounts(whole(bin));
        let alive_samples = whole(bin).alive_samples;
        Bin { from: range.start, to: range.end, samples, bytes, blocks, alive_samples, parts: parts(bin) }
    });
    Histogram {
        bins: bins.collect(),
        below: amounts(whole(below)),
        above: amounts(whole(above)),
        never: (config.of == Of::Lifetime).then(|| amounts(whole(never))),
        part_names: Split::names(config.split),
        never_parts: if config.of == Of::Lifetime { parts(never) } else { Vec::new() },
        stats: stats.finish(match config.weight {
            Counted::Samples => 1.0,
            Counted::Bytes => trace.bytes_a_sample(),
            Counted::Blocks => 1.0 / trace.rate(),
        }),
    }
}

/// Larger blocks are never in the minor heap.
const LARGE_WORDS: u64 = 256;

from_name!(Of, [Of::Size, Of::Lifetime]);

impl Of {
    /// Returns the name used in options, which is also the key of the filter clause.
    pub fn as_str(self) -> &'static str {
        match self {
            Of::Size => "size",
            Of::Lifetime => "lifetime",
        }
    }

    /// Returns `None` for the lifetime of an object that was never collected.
    #[inline(always)]
    pub fn value(self, trace: &Trace, rows: &Rows<'_>, place: usize) -> Option<u64> {
        match self {
            Of::Size => Some(rows.size_words(place)),
            Of::Lifetime => {
                let end_us = trace.gc_times.end_us(rows.end(place))?;
                Some(end_us.saturating_sub(rows.alloc_us(place)))
            }
        }
    }
}

impl Split {
    fn n_parts(split: Option<Split>) -> usize {
        Split::names(split).len().max(1)
    }

    fn names(split: Option<Split>) -> Vec<String> {
        let names: &[&str] = match split {
            None => &[],
            Some(Split::Heap) => &Heap::ALL.map(Heap::name),
            Some(Split::Fate) => &["died in the minor heap", "died in the major heap", "still alive"],
        };
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[inline(always)]
    fn part(split: Option<Split>, rows: &Rows<'_>, place: usize) -> usize {
        let heap = || heap_of(rows, place);
        match split {
            None => 0,
            Some(Split::Heap) => heap() as usize,
            Some(Split::Fate) if rows.end(place) == GcTimeId::NEVER => 2,
            Some(Split::Fate) => usize::from(heap() != Heap::Minor),
        }
    }
}

/// In raw units.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    samples: u64,
    alive_samples: u64,
    /// Samples per word.
    blocks: f64,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, samples: u64, blocks: f64, is_alive: bool) {
        self.samples += samples;
        self.alive_samples += if is_alive { samples } else { 0 };
        self.blocks += blocks;
    }

    fn and(self, other: Sum) -> Sum {
        Sum {
            samples: self.samples + other.samples,
            alive_samples: self.alive_samples + other.alive_samples,
            blocks: self.blocks + other.blocks,
        }
    }

    fn amounts(self, trace: &Trace) -> BinAmounts {
        BinAmounts {
            samples: self.samples,
            bytes: self.samples as f64 * trace.bytes_a_sample(),
            blocks: self.blocks / trace.rate(),
        }
    }
}
