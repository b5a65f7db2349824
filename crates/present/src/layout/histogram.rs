//! A histogram as bars: which bars it has, their labels, and their positions. Objects that were never freed have their
//! own bar, separate from the others.

use super::axis::{byte_ticks, count_ticks, log_ticks};
use super::draw::{Align, Font, Op, PARTS, Paint};
use crate::format::{self, Units};
use camlscope_engine::query::histogram::sites::Which;
use camlscope_engine::query::histogram::{BinAmounts, Bins, Counted, Histogram, Of};

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub which: Which,
    /// It has no upper bound except the largest block.
    pub is_open: bool,
    /// It covers many sizes, next to bars that cover one size each.
    pub is_wide: bool,
    /// The index of its bin, or `None` for objects that were never freed.
    pub bin: Option<usize>,
    pub amounts: BinAmounts,
    pub parts: Vec<BinAmounts>,
}

/// The positions of everything, in pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    pub bars: Vec<Bar>,
    /// Heights with their labels.
    pub ticks: Vec<(f64, String)>,
    /// Centers with the labels below.
    pub labels: Vec<(f64, String)>,
    pub left: f64,
    pub right: f64,
    pub bottom: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub x: f64,
    pub w: f64,
    /// From the bottom, each with the index of its part.
    pub pieces: Vec<Piece>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    pub y: f64,
    pub h: f64,
    pub part: usize,
}

const LEFT: f64 = 64.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 10.0;
const FOOT: f64 = 22.0;
/// The approximate width of a digit in the small font, and the space between two labels.
const LETTER: f64 = 6.3;
const BETWEEN: f64 = 6.0;
/// Bars of many sizes are wider than bars of one size by this factor.
const WIDE: f64 = 3.0;
const GAP: f64 = 0.6;

/// Returns the bars of a histogram, in order. Leaves out blocks of zero words if there are none.
pub fn columns(histogram: &Histogram, bins: Bins) -> Vec<Column> {
    let last = histogram.bins.len().saturating_sub(1);
    let is_classic = bins == Bins::Classic;
    let bin = histogram.bins.iter().enumerate().map(|(at, bin)| Column {
        which: Which::Values { from: bin.from, to: bin.to },
        is_open: is_classic && at == last,
        is_wide: is_classic && bin.to - bin.from > 1,
        bin: Some(at),
        amounts: BinAmounts { samples: bin.samples, bytes: bin.bytes, blocks: bin.blocks },
        parts: bin.parts.clone(),
    });
    let mut columns: Vec<Column> = bin.filter(|c| !is_classic || c.bin != Some(0) || c.amounts.samples > 0).collect();
    columns.extend(histogram.never.map(|amounts| Column {
        which: Which::Never,
        is_open: false,
        is_wide: false,
        bin: None,
        amounts,
        parts: histogram.never_parts.clone(),
    }));
    columns
}

pub fn sum<'a>(columns: impl IntoIterator<Item = &'a Column>) -> BinAmounts {
    columns.into_iter().fold(BinAmounts::default(), |sum, column| sum.and(column.amounts))
}

pub fn weigh(amounts: &BinAmounts, counted: Counted) -> f64 {
    match counted {
        Counted::Samples => amounts.samples as f64,
        Counted::Bytes => amounts.bytes,
        Counted::Blocks => amounts.blocks,
    }
}

/// `1.42 MiB`, `414 samples`, `9,120 blocks`.
pub fn weight_words(weight: f64, counted: Counted, units: Units) -> String {
    let plural = if weight.round() == 1.0 { "" } else { "s" };
    match counted {
        Counted::Bytes => units.bytes(weight),
        Counted::Samples => format!("{} sample{plural}", format::count(weight.round() as u64)),
        Counted::Blocks => format!("{} block{plural}", format::count(weight.round() as u64)),
    }
}

/// `8 to 15 words`, `1.02 ms to 2.05 ms`, `never freed`: the range from one bar to another.
pub fn range_words(of: Of, first: &Column, last: &Column) -> String {
    match (first.which, last.which) {
        (Which::Values { from, .. }, Which::Values { to, .. }) => values_words(of, from, to, last.is_open),
        _ => "never freed".to_owned(),
    }
}

/// Describes values from `from` (inclusive) to `to` (exclusive).
pub fn values_words(of: Of, from: u64, to: u64, is_open: bool) -> String {
    let largest = to.saturating_sub(1);
    match of {
        Of::Size if is_open => format!("more than {} words", format::count(from.saturating_sub(1))),
        Of::Size if largest <= from => format!("{} word{}", format::count(from), if from == 1 { "" } else { "s" }),
        Of::Size => format!("{} to {} words", format::count(from), format::count(largest)),
        Of::Lifetime if from == 0 => format!("less than {}", format::duration_us(to)),
        Of::Lifetime => format!("{} to {}", format::duration_us(from), format::duration_us(to)),
    }
}

pub fn picture(columns: &[Column], of: Of, counted: Counted, is_log: bool, size: (f64, f64), units: Units) -> Picture {
    let (left, right, bottom) = (LEFT.min(size.0 / 4.0), size.0 - RIGHT, size.1 - FOOT);
    let spans = spans(columns);
    let n_units = spans.last().map_or(1.0, |(start, width)| start + width);
    let x = |units: f64| left + units / n_units * (right - left);
    let scale = Scale::new(columns, counted, is_log, bottom);
    let bars = columns.iter().zip(&spans).map(|(column, &(start, width))| {
        let (from, to) = (x(start), x(start + width));
        let air = ((to - from) * 0.06).clamp(0.5, 4.0);
        Bar { x: from + air, w: (to - from - 2.0 * air).max(1.0), pieces: scale.pieces(column) }
    });
    let middle = |at: usize| spans.get(at).map_or(left, |(start, width)| x(start + width / 2.0));
    let labels = match of {
        Of::Size => columns.iter().enumerate().map(|(at, column)| (middle(at), short(column))).collect(),
        Of::Lifetime => {
            let ends: Vec<(u64, u64)> = columns.iter().filter_map(|column| values(column.which)).collect();
            let mut labels: Vec<(f64, String)> =
                decades(&ends).into_iter().map(|(place, us)| (x(place), format::elapsed_us(us))).collect();
            labels.push((middle(columns.len().saturating_sub(1)), "never".to_owned()));
            labels
        }
    };
    Picture { bars: bars.collect(), ticks: scale.ticks(units), labels: apart(labels), left, right, bottom }
}

impl Picture {
    /// Returns the bar at a position, or the nearest one.
    pub fn at(&self, x: f64) -> Option<usize> {
        let distance = |bar: &Bar| (bar.x - x).max(x - bar.x - bar.w).max(0.0);
        let nearest = self.bars.iter().enumerate().min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
        nearest.map(|(at, _)| at)
    }
}

/// Draws the bars for an exported chart. The page itself uses elements, which the user can point at.
pub fn draw(picture: &Picture) -> Vec<Op> {
    let Picture { bars, ticks, labels, left, right, bottom } = picture;
    let text = |x: f64, y: f64, text: &str, align: Align| Op::Text {
        x,
        y,
        text: text.to_owned(),
        fill: Paint::Muted,
        align,
        font: Font::Small,
    };
    let line = |y: f64| Op::Rect { x: *left, y: y.round(), w: right - left, h: 1.0, fill: Paint::Line };
    let mut ops: Vec<Op> = Vec::new();
    for (y, words) in ticks {
        ops.extend([line(*y), text(left - 6.0, *y, words, Align::Right)]);
    }
    ops.extend(labels.iter().map(|(x, words)| text(*x, bottom + 12.0, words, Align::Center)));
    for Bar { x, w, pieces } in bars {
        let rect = |piece: &Piece| {
            let fill = Paint::Part(piece.part.min(usize::from(PARTS) - 1) as u8);
            Op::Rect { x: *x, y: piece.y, w: *w, h: piece.h, fill }
        };
        ops.extend(pieces.iter().map(rect));
    }
    ops.push(line(*bottom));
    ops
}

/// Returns the positions of powers of ten on an axis of consecutive bins, in bins from the first.
pub fn decades(ends: &[(u64, u64)]) -> Vec<(f64, u64)> {
    let powers = std::iter::successors(Some(1u64), |power| power.checked_mul(10));
    powers.filter_map(|power| Some((place_of(ends, power)?, power))).collect()
}

/// Returns the position of a value, in bins from the first.
pub fn place_of(ends: &[(u64, u64)], value: u64) -> Option<f64> {
    let at = ends.iter().position(|&(from, to)| (from..to).contains(&value))?;
    let (from, to) = ends[at];
    Some(at as f64 + (value - from) as f64 / (to - from) as f64)
}

/// Leaves out labels that would overlap the previous one. The last label always stays.
pub fn apart(labels: Vec<(f64, String)>) -> Vec<(f64, String)> {
    let half = |text: &str| text.chars().count() as f64 * LETTER / 2.0;
    let Some((last_x, last_text)) = labels.last().cloned() else {
        return labels;
    };
    let n = labels.len();
    let mut end = f64::NEG_INFINITY;
    let last_begin = last_x - half(&last_text);
    let kept = labels.into_iter().enumerate().filter(|(at, (x, text))| {
        let is_free = x - half(text) >= end + BETWEEN;
        let is_kept = *at + 1 == n || is_free && x + half(text) + BETWEEN <= last_begin;
        if is_kept {
            end = x + half(text);
        }
        is_kept
    });
    kept.map(|(_, label)| label).collect()
}

fn values(which: Which) -> Option<(u64, u64)> {
    match which {
        Which::Values { from, to } => Some((from, to)),
        Which::Never => None,
    }
}

/// Returns the start and width of each bar, in units of a narrow bar.
fn spans(columns: &[Column]) -> Vec<(f64, f64)> {
    let mut end = 0.0;
    let mut was_wide = false;
    let span = |column: &Column| {
        let is_apart = column.which == Which::Never || column.is_wide != was_wide;
        let start = end + if is_apart && end > 0.0 { GAP } else { 0.0 };
        let width = if column.is_wide { WIDE } else { 1.0 };
        (end, was_wide) = (start + width, column.is_wide);
        (start, width)
    };
    columns.iter().map(span).collect()
}

/// Returns the label below a bar of sizes.
fn short(column: &Column) -> String {
    let thousands = |n: u64| if n >= 10_000 { format!("{}k", n / 1_000) } else { format::count(n) };
    match column.which {
        Which::Never => "never".to_owned(),
        Which::Values { from, .. } if column.is_open => format!(">{}", thousands(from.saturating_sub(1))),
        Which::Values { to, .. } if column.is_wide => format!("≤{}", thousands(to - 1)),
        Which::Values { from, .. } => thousands(from),
    }
}

/// Converts amounts to heights.
struct Scale {
    counted: Counted,
    /// The lowest visible amount, or `None` for a linear scale, which starts at zero.
    floor: Option<f64>,
    highest: f64,
    bottom: f64,
}

impl Scale {
    fn new(columns: &[Column], counted: Counted, is_log: bool, bottom: f64) -> Scale {
        let weights = || columns.iter().map(|column| weigh(&column.amounts, counted)).filter(|weight| *weight > 0.0);
        let highest = weights().fold(0.0, f64::max);
        // Half of the lowest, so that the lowest is visible.
        let floor = is_log.then(|| weights().fold(highest, f64::min) / 2.0).filter(|floor| *floor > 0.0);
        Scale { counted, floor, highest, bottom }
    }

    fn height(&self, weight: f64) -> f64 {
        let share = match self.floor {
            _ if self.highest <= 0.0 || weight <= 0.0 => 0.0,
            Some(floor) => (weight / floor).ln().max(0.0) / (self.highest / floor).ln(),
            None => weight / self.highest,
        };
        share * (self.bottom - TOP)
    }

    /// On a logarithmic scale, the parts divide the height of their bar. Only the full bar can be read off the axis.
    fn pieces(&self, column: &Column) -> Vec<Piece> {
        let whole = weigh(&column.amounts, self.counted);
        // Nonempty bars are always visible.
        let height = if column.amounts.samples > 0 { self.height(whole).max(1.0) } else { 0.0 };
        let own = [column.amounts];
        let parts = if column.parts.is_empty() { &own[..] } else { &column.parts };
        let mut below = self.bottom;
        let piece = |(part, amounts): (usize, &BinAmounts)| {
            let h = if whole > 0.0 { weigh(amounts, self.counted) / whole * height } else { 0.0 };
            below -= h;
            Piece { y: below, h, part }
        };
        parts.iter().enumerate().map(piece).filter(|piece| piece.h > 0.0).collect()
    }

    fn ticks(&self, units: Units) -> Vec<(f64, String)> {
        let values = match (self.floor, self.counted) {
            (Some(floor), Counted::Bytes) => log_ticks(floor, self.highest, units.factor()),
            (Some(floor), _) => log_ticks(floor, self.highest, 1e3),
            (None, Counted::Bytes) => byte_ticks(self.highest, 4, units),
            (None, _) => count_ticks(self.highest, 4),
        };
        let words = |value: f64| match self.counted {
            _ if value == 0.0 => "0".to_owned(),
            Counted::Bytes => units.bytes(value),
            Counted::Samples | Counted::Blocks => format::count(value.round() as u64),
        };
        values.into_iter().map(|value| (self.bottom - self.height(value), words(value))).collect()
    }
}

#[cfg(test)]
mod tests;
