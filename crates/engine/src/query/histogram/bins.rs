//! Divides values into bins. Values and bounds are integers.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Of;
use crate::query::filter::{Clause, SizeUnit, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Bins {
    /// 0 by itself, then 1, 2–3, 4–7, …
    Log2,
    /// 0 by itself, then 1–9, 10–99, …
    Log10,
    /// From one bound to another, which is excluded, in at most `n` bins. If there are fewer values, one bin for each.
    Linear { from: u64, to: u64, n: usize },
    /// Bins that suit OCaml's block sizes: 0 to 32 individually, 33–256 (the largest that begin in the minor heap),
    /// 257–10,000, and above.
    Classic,
}

/// More bins can't be drawn or read.
const MAX_LINEAR: usize = 100_000;
const CLASSIC_SINGLE: u64 = 32;
const CLASSIC_MINOR: u64 = 256;
const CLASSIC_LARGE: u64 = 10_000;

/// The bin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinPlace {
    Below,
    Bin(usize),
    Above,
}

impl Bins {
    /// Parses `log2`, `log10`, `classic`, or equal bins such as `0..256:16` for sizes and `0s..2s:20` for lifetimes.
    pub fn parse(text: &str, of: Of) -> Option<Bins> {
        match text {
            "log2" => return Some(Bins::Log2),
            "log10" => return Some(Bins::Log10),
            "classic" => return Some(Bins::Classic),
            _ => {}
        }
        let (range, n) = text.rsplit_once(':')?;
        let n = n.parse().ok().filter(|n| (1..=MAX_LINEAR).contains(n))?;
        let span = match (of, Clause::parse(of.as_str(), range)) {
            (Of::Size, Ok(Clause::Size(span, SizeUnit::Words))) => span,
            (Of::Lifetime, Ok(Clause::Lifetime(span))) => span,
            _ => return None,
        };
        let (from, to) = (span.from.unwrap_or(0), span.to?);
        (from < to).then_some(Bins::Linear { from, to, n })
    }

    /// Formats bins for [`Bins::parse`].
    pub fn to_text(self, of: Of) -> String {
        match self {
            Bins::Log2 => "log2".to_owned(),
            Bins::Log10 => "log10".to_owned(),
            Bins::Classic => "classic".to_owned(),
            Bins::Linear { from, to, n } => {
                let span = Span::new(from, to);
                let range = match of {
                    Of::Size => Clause::Size(span, SizeUnit::Words),
                    Of::Lifetime => Clause::Lifetime(span),
                };
                format!("{}:{n}", range.value())
            }
        }
    }

    /// The number of bins. Logarithmic bins cover all values.
    pub fn len(self) -> usize {
        match self {
            Bins::Log2 => 65,
            Bins::Log10 => 21,
            Bins::Linear { from, to, n } => {
                n.clamp(1, MAX_LINEAR).min(usize::try_from(width(from, to)).unwrap_or(MAX_LINEAR))
            }
            Bins::Classic => CLASSIC_SINGLE as usize + 4,
        }
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    #[inline(always)]
    pub fn place(self, value: u64) -> BinPlace {
        match self {
            Bins::Log2 => BinPlace::Bin(64 - value.leading_zeros() as usize),
            Bins::Log10 => BinPlace::Bin(value.checked_ilog10().map_or(0, |log| log as usize + 1)),
            Bins::Linear { from, to, .. } => match value.checked_sub(from) {
                None => BinPlace::Below,
                Some(offset) if offset < width(from, to) => BinPlace::Bin(self.linear(offset, width(from, to))),
                Some(_) => BinPlace::Above,
            },
            Bins::Classic => BinPlace::Bin(match value {
                value if value <= CLASSIC_SINGLE => value as usize,
                value if value <= CLASSIC_MINOR => CLASSIC_SINGLE as usize + 1,
                value if value <= CLASSIC_LARGE => CLASSIC_SINGLE as usize + 2,
                _ => CLASSIC_SINGLE as usize + 3,
            }),
        }
    }

    #[inline(always)]
    fn linear(self, offset: u64, width: u64) -> usize {
        let n = self.len() as u64;
        let scaled = match offset.checked_mul(n) {
            Some(scaled) => scaled / width,
            None => (u128::from(offset) * u128::from(n) / u128::from(width)) as u64,
        };
        scaled as usize
    }

    /// Returns the values of a bin. The last classic bin ends after `largest`.
    pub fn range(self, bin: usize, largest: u64) -> Range<u64> {
        let begin = |bin: usize| match self {
            Bins::Log2 => bin.checked_sub(1).map_or(0, |log| 1u64.checked_shl(log as u32).unwrap_or(u64::MAX)),
            Bins::Log10 => bin.checked_sub(1).map_or(0, |log| 10u64.checked_pow(log as u32).unwrap_or(u64::MAX)),
            Bins::Linear { from, to, .. } => {
                let offset = (u128::from(width(from, to)) * bin as u128).div_ceil(self.len().max(1) as u128);
                from + offset as u64
            }
            Bins::Classic => match bin as u64 {
                bin if bin <= CLASSIC_SINGLE + 1 => bin,
                bin if bin == CLASSIC_SINGLE + 2 => CLASSIC_MINOR + 1,
                bin if bin == CLASSIC_SINGLE + 3 => CLASSIC_LARGE + 1,
                _ => largest.max(CLASSIC_LARGE + 1).saturating_add(1),
            },
        };
        begin(bin)..begin(bin + 1)
    }

    /// Returns the bins to show: all of them, or for logarithmic bins those from the first filled one to the last.
    pub fn shown(self, is_filled: impl Fn(usize) -> bool) -> Range<usize> {
        let all = 0..self.len();
        match self {
            Bins::Linear { .. } | Bins::Classic => all,
            Bins::Log2 | Bins::Log10 => {
                match (all.clone().find(|&bin| is_filled(bin)), all.rev().find(|&bin| is_filled(bin))) {
                    (Some(first), Some(last)) => first..last + 1,
                    _ => 0..0,
                }
            }
        }
    }
}

fn width(from: u64, to: u64) -> u64 {
    to.saturating_sub(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_the_range_of_their_bin_and_ranges_have_no_gaps() {
        let linear = |from, to, n| Bins::Linear { from, to, n };
        let kinds =
            [Bins::Log2, Bins::Log10, Bins::Classic, linear(0, 10, 3), linear(7, 9, 50), linear(0, u64::MAX, 7)];
        let values = [0, 1, 2, 3, 7, 8, 9, 10, 31, 32, 33, 256, 257, 9_999, 10_000, 10_001, 1 << 40, u64::MAX - 1];
        for bins in kinds {
            for value in values {
                match bins.place(value) {
                    BinPlace::Bin(bin) => {
                        assert!(bins.range(bin, value).contains(&value), "{bins:?} {value}");
                        assert!(bin < bins.len());
                    }
                    BinPlace::Below => assert!(value < bins.range(0, 0).start),
                    BinPlace::Above => assert!(value >= bins.range(bins.len() - 1, 0).end),
                }
            }
            for bin in 1..bins.len() {
                assert_eq!(bins.range(bin - 1, 0).end, bins.range(bin, 0).start, "{bins:?}");
            }
        }
    }

    #[test]
    fn bins_round_trip_through_text() {
        let linear = |from, to, n| Some(Bins::Linear { from, to, n });
        for (text, of, bins) in [
            ("log2", Of::Size, Some(Bins::Log2)),
            ("classic", Of::Size, Some(Bins::Classic)),
            ("..256:16", Of::Size, linear(0, 256, 16)),
            ("0s..2s:20", Of::Lifetime, linear(0, 2_000_000, 20)),
            ("0..256", Of::Size, None),
            ("256..:16", Of::Size, None),
            ("0B..256B:16", Of::Size, None),
            ("9..3:4", Of::Size, None),
            ("0..9:0", Of::Size, None),
        ] {
            assert_eq!(Bins::parse(text, of), bins, "{text}");
            if let Some(bins) = bins {
                assert_eq!(Bins::parse(&bins.to_text(of), of), Some(bins), "{text}");
            }
        }
    }

    #[test]
    fn a_reversed_range_has_no_bins() {
        let bins = Bins::Linear { from: 9, to: 3, n: 4 };
        assert!(bins.is_empty());
        assert_eq!(bins.place(5), BinPlace::Below);
        assert_eq!(bins.place(9), BinPlace::Above);
    }
}
