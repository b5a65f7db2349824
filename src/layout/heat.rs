//! A heat map as shapes: lifetimes upwards, sizes or times across, and above all what was never freed, as a row of its own.
//! Shades follow the logarithm of the samples, so that one of them is seen beside a million.

use super::axis::time_ticks;
use super::draw::{Align, Font, Op, Paint, TextWidth};
use super::histogram::{apart, decades};
use crate::format;
use crate::query::histogram::heat::{Across, AxisBin, Heat};

/// So many shades; more could not be told apart.
pub const SHADES: u8 = 7;

/// Where the map lies on its canvas.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub left: f64,
    pub right: f64,
    /// The row of what was never freed is between `top` and `never_bottom`.
    pub top: f64,
    pub never_bottom: f64,
    pub map_top: f64,
    pub bottom: f64,
    pub n_across: usize,
    pub n_up: usize,
}

/// Two cells and all between them: columns from the left and rows from below; the row behind the last is that of what was
/// never freed, and no area reaches from there into the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    pub across: (usize, usize),
    pub up: (usize, usize),
}

/// What the reader points at, and what is marked.
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

    /// The cell at a place, or the nearest; none in an empty map.
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

    /// Left, top, width and height, on whole pixels so that neighbours leave no seam.
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
    /// From where a drag began to where it is now: it stays in the row of what was never freed, or out of it.
    pub fn between(from: (usize, usize), to: (usize, usize), n_up: usize) -> Area {
        let up = if from.1 >= n_up { n_up } else { to.1.min(n_up - 1) };
        Area { across: (from.0.min(to.0), from.0.max(to.0)), up: (from.1.min(up), from.1.max(up)) }
    }

    pub fn is_one(&self) -> bool {
        self.across.0 == self.across.1 && self.up.0 == self.up.1
    }
}

/// The samples of a cell; of what was never freed in the row behind the last.
pub fn samples_of(heat: &Heat, (across, up): (usize, usize)) -> u64 {
    let row = heat.samples.get(up).unwrap_or(&heat.never);
    row.get(across).copied().unwrap_or(0)
}

pub fn samples_in(heat: &Heat, area: Area) -> u64 {
    let row =
        |up: usize| (area.across.0..=area.across.1).map(move |across| samples_of(heat, (across, up))).sum::<u64>();
    (area.up.0..=area.up.1).map(row).sum()
}

pub fn total(heat: &Heat) -> u64 {
    heat.samples.iter().flatten().chain(&heat.never).sum()
}

pub fn fullest(heat: &Heat) -> u64 {
    heat.samples.iter().flatten().chain(&heat.never).copied().max().unwrap_or(0)
}

/// 0 for nothing; the last for the fullest cell.
pub fn shade(samples: u64, fullest: u64) -> u8 {
    if samples == 0 {
        return 0;
    }
    let share = (samples as f64).ln() / (fullest.max(2) as f64).ln();
    1 + (share * f64::from(SHADES)).min(f64::from(SHADES - 1)) as u8
}

/// The lowest number of samples of a shade; none where no number has it, as happens where cells hold only a few.
pub fn least_of(wanted: u8, fullest: u64) -> Option<u64> {
    let exponent = f64::from(wanted.saturating_sub(1)) / f64::from(SHADES);
    let near = ((fullest.max(2) as f64).ln() * exponent).exp() as u64;
    (near.max(1)..=near + 1).find(|&samples| samples <= fullest && shade(samples, fullest) == wanted)
}

pub fn draw(heat: &Heat, across: Across, plot: &Plot, marks: &Marks, text: &dyn TextWidth) -> Vec<Op> {
    let mut ops = Vec::new();
    axes(heat, across, plot, text, &mut ops);
    let fullest = fullest(heat);
    for up in 0..=plot.n_up {
        for at in 0..plot.n_across {
            let shade = shade(samples_of(heat, (at, up)), fullest);
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
        // One that would touch the word above is left out.
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

    fn heat() -> Heat {
        let bin = |from, to| AxisBin { from, to };
        Heat {
            across: vec![bin(1, 2), bin(2, 4), bin(4, 8)],
            lifetimes: vec![bin(512, 1024), bin(1024, 2048)],
            samples: vec![vec![1, 0, 1000], vec![0, 30, 0]],
            never: vec![0, 0, 5],
            outside: 0,
        }
    }

    #[test]
    fn a_cell_on_the_screen_is_the_cell_that_is_pointed_at() {
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
    fn shades_ascend_with_the_samples_and_one_sample_is_seen() {
        assert_eq!((shade(0, 1000), shade(1, 1000), shade(1000, 1000)), (0, 1, SHADES));
        assert_eq!((shade(1, 1), shade(2, 2)), (1, SHADES));
        let named: Vec<u64> = (1..=SHADES).filter_map(|shade| least_of(shade, 3)).collect();
        assert_eq!(named, [1, 2, 3]);
        let shades: Vec<u8> = (0..=1000).map(|samples| shade(samples, 1000)).collect();
        assert!(shades.is_sorted() && (0..=SHADES).all(|wanted| shades.contains(&wanted)));
        for wanted in 1..=SHADES {
            let least = least_of(wanted, 1000).unwrap_or(0);
            assert_eq!((shade(least, 1000), shade(least - 1, 1000)), (wanted, wanted - 1));
        }
    }

    #[test]
    fn only_filled_cells_are_drawn_and_what_was_never_freed_stands_above_all() {
        let (heat, text) = (heat(), FixedWidth(6.0));
        let plot = Plot::new(640.0, 300.0, &heat);
        let ops = draw(&heat, Across::Size, &plot, &Marks::default(), &text);
        let cells = ops.iter().filter_map(|op| match op {
            Op::Rect { y, fill: Paint::Heat(shade), .. } => Some((*y, *shade)),
            _ => None,
        });
        let mut cells: Vec<(f64, u8)> = cells.collect();
        cells.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(cells.len(), 4);
        assert_eq!(cells[0], (plot.top, shade(5, 1000)));
        let texts: Vec<&str> = ops
            .iter()
            .filter_map(|op| if let Op::Text { text, .. } = op { Some(text.as_str()) } else { None })
            .collect();
        assert!(["never", "1 ms", "4"].iter().all(|word| texts.contains(word)), "{texts:?}");
    }

    #[test]
    fn a_brush_does_not_mix_what_was_never_freed_with_the_rest() {
        assert_eq!(Area::between((2, 1), (0, 2), 2), Area { across: (0, 2), up: (1, 1) });
        assert_eq!(Area::between((0, 2), (1, 0), 2), Area { across: (0, 1), up: (2, 2) });
        let heat = heat();
        assert_eq!(samples_in(&heat, Area { across: (0, 2), up: (0, 1) }), 1031);
        assert_eq!(samples_in(&heat, Area { across: (0, 2), up: (2, 2) }), 5);
        assert_eq!((total(&heat), fullest(&heat)), (1036, 1000));
    }
}
