//! A heat map as shapes: lifetimes on the y axis, sizes or times on the x axis, and a separate row at the top for
//! objects that were never freed. Shades are logarithmic, so that one sample is visible next to a million.

use super::axis::time_ticks;
use super::draw::{Align, Font, Op, Paint, TextWidth};
use super::histogram::{apart, decades, weigh};
use crate::format;
use camlscope_engine::query::histogram::heat::{Across, AxisBin, Heat};
use camlscope_engine::query::histogram::{BinAmounts, Counted};
use camlscope_engine::query::sorting::sort_by;

/// More shades would be hard to distinguish.
pub const SHADES: u8 = 7;

/// The position of the map on its canvas.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub left: f64,
    pub right: f64,
    /// The row for objects that were never freed is between `top` and `never_bottom`.
    pub top: f64,
    pub never_bottom: f64,
    pub map_top: f64,
    pub bottom: f64,
    pub n_across: usize,
    pub n_up: usize,
}

/// A rectangle of cells: columns from the left and rows from the bottom. The row after the last one is for objects that
/// were never freed. No area includes both that row and others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    pub across: (usize, usize),
    pub up: (usize, usize),
}

/// The cell under the pointer, and the selected area.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marks {
    pub cursor: Option<(usize, usize)>,
    pub area: Option<Area>,
}

impl Plot {
    const GUTTER: f64 = 64.0;
    const RIGHT: f64 = 16.0;
    const TICKS: f64 = 22.0;
    const NEVER: f64 = 18.0;
    const GAP: f64 = 6.0;

    pub fn new(width: f64, height: f64, heat: &Heat) -> Plot {
        let top = 4.0;
        let never_bottom = top + Plot::NEVER;
        Plot {
            left: Plot::GUTTER.min(width / 4.0),
            right: width - Plot::RIGHT,
            top,
            never_bottom,
            map_top: never_bottom + Plot::GAP,
            bottom: height - Plot::TICKS,
            n_across: heat.across.len(),
            n_up: heat.lifetimes.len(),
        }
    }

    /// Returns the cell at a position, or the nearest one. `None` in an empty map.
    pub fn cell(&self, x: f64, y: f64) -> Option<(usize, usize)> {
        let last = self.n_across.checked_sub(1)?;
        let across = (x - self.left) / (self.right - self.left).max(1.0) * self.n_across as f64;
        let across = (across.max(0.0) as usize).min(last);
        if y < self.never_bottom + Plot::GAP / 2.0 || self.n_up == 0 {
            return Some((across, self.n_up));
        }
        let up = (self.bottom - y) / (self.bottom - self.map_top).max(1.0) * self.n_up as f64;
        Some((across, (up.max(0.0) as usize).min(self.n_up - 1)))
    }

    fn x(&self, across: f64) -> f64 {
        self.left + across / self.n_across.max(1) as f64 * (self.right - self.left)
    }

    fn y(&self, up: f64) -> f64 {
        self.bottom - up / self.n_up.max(1) as f64 * (self.bottom - self.map_top)
    }

    /// Returns left, top, width and height, rounded to whole pixels so that there are no seams between cells.
    fn rect(&self, area: Area) -> (f64, f64, f64, f64) {
        let (left, right) = (self.x(area.across.0 as f64).round(), self.x(area.across.1 as f64 + 1.0).round());
        let (top, bottom) = if area.up.0 >= self.n_up {
            (self.top, self.never_bottom)
        } else {
            (self.y(area.up.1 as f64 + 1.0).round(), self.y(area.up.0 as f64).round())
        };
        (left, top, right - left, bottom - top)
    }
}

impl Area {
    /// Returns the area from the start of a drag to its current cell. It stays either inside or outside the row of
    /// objects that were never freed.
    pub fn between(from: (usize, usize), to: (usize, usize), n_up: usize) -> Area {
        let up = if from.1 >= n_up { n_up } else { to.1.min(n_up - 1) };
        Area { across: (from.0.min(to.0), from.0.max(to.0)), up: (from.1.min(up), from.1.max(up)) }
    }

    pub fn is_one(&self) -> bool {
        self.across.0 == self.across.1 && self.up.0 == self.up.1
    }
}

pub fn amounts_in(heat: &Heat, area: Area) -> BinAmounts {
    let row = |up: usize| (area.across.0..=area.across.1).map(move |across| heat.cell(across, up));
    (area.up.0..=area.up.1).flat_map(row).fold(BinAmounts::default(), BinAmounts::and)
}

pub fn total(heat: &Heat) -> BinAmounts {
    heat.cells.iter().copied().fold(BinAmounts::default(), BinAmounts::and)
}

/// Returns nonempty cells with their weights, largest first.
pub fn fullest(heat: &Heat, counted: Counted) -> Vec<(f64, (usize, usize))> {
    let n = heat.across.len().max(1);
    let cells = heat.cells.iter().enumerate().map(|(at, amounts)| (weigh(amounts, counted), (at % n, at / n)));
    let mut filled: Vec<(f64, (usize, usize))> = cells.filter(|(weight, _)| *weight > 0.0).collect();
    sort_by(&mut filled, |one, two| two.0.total_cmp(&one.0));
    filled
}

/// Maps weights to shades. Each shade covers the same ratio, from the smallest nonempty cell to the largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shading {
    pub counted: Counted,
    pub least: f64,
    pub most: f64,
    /// Every weight is a multiple of this. 0 if any weight is possible.
    step: f64,
}

impl Shading {
    pub fn new(heat: &Heat, counted: Counted) -> Shading {
        let filled = || heat.cells.iter().filter(|cell| cell.samples > 0);
        let weights = || filled().map(|cell| weigh(cell, counted));
        let most = weights().fold(0.0, f64::max);
        let step = match counted {
            Counted::Blocks => 0.0,
            _ => filled().next().map_or(1.0, |cell| weigh(cell, counted) / cell.samples as f64),
        };
        Shading { counted, least: weights().fold(most, f64::min), most, step }
    }

    /// Returns 0 for an empty cell and the last shade for the largest.
    pub fn shade(&self, weight: f64) -> u8 {
        if weight <= 0.0 {
            return 0;
        }
        let share = (weight / self.least).ln() / self.ratio().ln();
        // A bound belongs to its own shade, regardless of rounding errors in the logarithm.
        1 + (share * f64::from(SHADES) + 1e-9).clamp(0.0, f64::from(SHADES - 1)) as u8
    }

    /// Returns the lowest weight of a shade, or `None` if no weight has it, which happens if cells have only a few
    /// samples.
    pub fn least_of(&self, wanted: u8) -> Option<f64> {
        let exponent = f64::from(wanted.saturating_sub(1)) / f64::from(SHADES);
        let bound = self.least * (self.ratio().ln() * exponent).exp();
        let least = if self.step > 0.0 { (bound / self.step - 1e-9).ceil() * self.step } else { bound };
        (least <= self.most * (1.0 + 1e-9) && self.shade(least) == wanted).then_some(least)
    }

    fn ratio(&self) -> f64 {
        (self.most / self.least).max(2.0)
    }
}

pub fn draw(
    heat: &Heat,
    across: Across,
    plot: &Plot,
    shading: &Shading,
    marks: &Marks,
    text: &dyn TextWidth,
) -> Vec<Op> {
    let mut ops = Vec::new();
    axes(heat, across, plot, text, &mut ops);
    for up in 0..=plot.n_up {
        for at in 0..plot.n_across {
            let shade = shading.shade(weigh(&heat.cell(at, up), shading.counted));
            if shade > 0 {
                let (x, y, w, h) = plot.rect(Area { across: (at, at), up: (up, up) });
                ops.push(Op::Rect { x, y, w, h, fill: Paint::Heat(shade) });
            }
        }
    }
    if let Some((across, up)) = marks.cursor {
        frame(plot, Area { across: (across, across), up: (up, up) }, Paint::Ink, &mut ops);
    }
    if let Some(area) = marks.area {
        let (x, y, w, h) = plot.rect(area);
        ops.push(Op::Rect { x, y, w, h, fill: Paint::AccentSoft });
        frame(plot, area, Paint::Accent, &mut ops);
    }
    ops
}

fn frame(plot: &Plot, area: Area, stroke: Paint, ops: &mut Vec<Op>) {
    let (x, y, w, h) = plot.rect(area);
    ops.push(Op::Frame { x: x - 1.0, y: y - 1.0, w: w + 2.0, h: h + 2.0, stroke, width: 2.0 });
}

fn axes(heat: &Heat, across: Across, plot: &Plot, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    for y in [plot.bottom, plot.never_bottom] {
        ops.push(Op::Rect { x: plot.left, y, w: plot.right - plot.left, h: 1.0, fill: Paint::Line });
    }
    let (gutter, never_y) = (plot.left - 6.0, (plot.top + plot.never_bottom) / 2.0);
    ops.push(small(gutter, never_y, "never".to_owned(), Align::Right));
    for (place, us) in decades(&ends(&heat.lifetimes)) {
        let y = plot.y(place);
        // Leaves out labels that would touch the word above.
        if y > never_y + 14.0 {
            ops.push(Op::Rect { x: plot.left - 4.0, y: y.round(), w: 4.0, h: 1.0, fill: Paint::Faint });
            ops.push(small(gutter, y, format::elapsed_us(us), Align::Right));
        }
    }
    let labels: Vec<(f64, String)> = match across {
        Across::Size => {
            let middle = |at: usize| plot.x(at as f64 + 0.5);
            heat.across.iter().enumerate().map(|(at, bin)| (middle(at), format::count(bin.from))).collect()
        }
        Across::AllocationTime => {
            let (from, to) =
                (heat.across.first().map_or(0, |bin| bin.from), heat.across.last().map_or(1, |bin| bin.to));
            let x = |us: f64| plot.x((us - from as f64) / (to - from).max(1) as f64 * plot.n_across as f64);
            let n = ((plot.right - plot.left) / 90.0).max(2.0) as usize;
            let ticks = time_ticks(from as f64, to as f64, n).into_iter();
            ticks.map(|us| (x(us), format::elapsed_us(us as u64))).collect()
        }
    };
    for (x, label) in apart(labels) {
        let half = text.width(&label, Font::Small) / 2.0;
        let x = x.clamp(half, (plot.right + Plot::RIGHT - half).max(half));
        ops.push(small(x, plot.bottom + 12.0, label, Align::Center));
    }
}

fn ends(bins: &[AxisBin]) -> Vec<(u64, u64)> {
    bins.iter().map(|bin| (bin.from, bin.to)).collect()
}

fn small(x: f64, y: f64, text: String, align: Align) -> Op {
    Op::Text { x, y, text, fill: Paint::Faint, align, font: Font::Small }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::draw::FixedWidth;

    fn amounts(samples: u64) -> BinAmounts {
        BinAmounts { samples, bytes: 80_000.0 * samples as f64, blocks: samples as f64 / 8.0 }
    }

    fn heat() -> Heat {
        let bin = |from, to| AxisBin { from, to };
        Heat {
            across: vec![bin(1, 2), bin(2, 4), bin(4, 8)],
            lifetimes: vec![bin(512, 1024), bin(1024, 2048)],
            cells: [1, 0, 1000, 0, 30, 0, 0, 0, 5].map(amounts).into(),
            outside: 0,
        }
    }

    #[test]
    fn hit_testing_finds_the_drawn_cell() {
        let plot = Plot::new(640.0, 300.0, &heat());
        for across in 0..3 {
            for up in 0..3 {
                let (x, y, w, h) = plot.rect(Area { across: (across, across), up: (up, up) });
                assert_eq!(plot.cell(x + w / 2.0, y + h / 2.0), Some((across, up)));
            }
        }
        assert_eq!(plot.cell(-9.0, 1e4), Some((0, 0)));
        assert_eq!(Plot::new(640.0, 300.0, &Heat::default()).cell(9.0, 9.0), None);
    }

    #[test]
    fn shades_increase_with_weight_and_one_sample_is_always_visible() {
        let of = |samples: &[u64]| Heat { cells: samples.iter().copied().map(amounts).collect(), ..Heat::default() };
        let shades = |samples: &[u64], counted| -> Vec<u8> {
            let shading = Shading::new(&of(samples), counted);
            samples.iter().map(|&n| shading.shade(weigh(&amounts(n), counted))).collect()
        };
        for counted in [Counted::Samples, Counted::Bytes, Counted::Blocks] {
            assert_eq!(shades(&[0, 1, 1000], counted), [0, 1, SHADES]);
            assert_eq!((shades(&[1], counted), shades(&[1, 2], counted)), (vec![1], vec![1, SHADES]));
            let all: Vec<u64> = (0..=1000).collect();
            let shaded = shades(&all, counted);
            assert!(shaded.is_sorted() && (0..=SHADES).all(|wanted| shaded.contains(&wanted)));
            let shading = Shading::new(&of(&all), counted);
            for wanted in 1..=SHADES {
                let least = shading.least_of(wanted).unwrap_or(0.0);
                let below = least - if counted == Counted::Blocks { least * 1e-3 } else { weigh(&amounts(1), counted) };
                let shade_below = if below > 0.0 { (wanted - 1).max(1) } else { 0 };
                assert_eq!((shading.shade(least), shading.shade(below)), (wanted, shade_below));
            }
        }
    }

    #[test]
    fn the_legend_lists_only_possible_amounts() {
        let heat = Heat { cells: [1, 2, 3].map(amounts).into(), ..Heat::default() };
        let named = |counted| (1..=SHADES).filter_map(move |shade| Shading::new(&heat, counted).least_of(shade));
        assert_eq!(named.clone()(Counted::Samples).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        assert_eq!(named(Counted::Bytes).collect::<Vec<_>>(), [80e3, 160e3, 240e3]);
    }

    #[test]
    fn only_nonempty_cells_are_drawn_and_never_freed_is_on_top() {
        let (heat, text) = (heat(), FixedWidth(6.0));
        let plot = Plot::new(640.0, 300.0, &heat);
        let shading = Shading::new(&heat, Counted::Bytes);
        let ops = draw(&heat, Across::Size, &plot, &shading, &Marks::default(), &text);
        let cells = ops.iter().filter_map(|op| match op {
            Op::Rect { y, fill: Paint::Heat(shade), .. } => Some((*y, *shade)),
            _ => None,
        });
        let mut cells: Vec<(f64, u8)> = cells.collect();
        cells.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(cells.len(), 4);
        assert_eq!(cells[0], (plot.top, shading.shade(400e3)));
        let texts = crate::layout::draw::texts(&ops);
        assert!(["never", "1 ms", "4"].iter().all(|word| texts.contains(word)), "{texts:?}");
    }

    #[test]
    fn a_selection_does_not_mix_never_freed_with_other_rows() {
        assert_eq!(Area::between((2, 1), (0, 2), 2), Area { across: (0, 2), up: (1, 1) });
        assert_eq!(Area::between((0, 2), (1, 0), 2), Area { across: (0, 1), up: (2, 2) });
        let heat = heat();
        assert_eq!(amounts_in(&heat, Area { across: (0, 2), up: (0, 1) }), amounts(1031));
        assert_eq!(amounts_in(&heat, Area { across: (0, 2), up: (2, 2) }), amounts(5));
        assert_eq!(total(&heat), amounts(1036));
        let fullest = fullest(&heat, Counted::Samples);
        assert_eq!(fullest, [(1000.0, (2, 0)), (30.0, (1, 1)), (5.0, (2, 2)), (1.0, (0, 0))]);
    }
}
