//! What a profile has on its axis of time: a tick for each snapshot, and flags for the events that the program named.

use super::{Align, Dash, Font, Op, Paint, Plot, Snapshots, TextWidth, line};
use camlscope_engine::query::profile::Mark;

/// How high a tick is.
const TICK: f64 = 7.0;
/// Ticks that are nearer to each other are drawn as one.
const APART: f64 = 2.0;
/// A pointer within this many pixels of a flag is on it.
const NEAR: f64 = 5.0;

pub fn draw(snapshots: &Snapshots, plot: &Plot, text: &dyn TextWidth, ops: &mut Vec<Op>) {
    let mut last = f64::NEG_INFINITY;
    for x in snapshots.at_us.iter().map(|us| *us as f64).filter(|us| plot.shows(*us)).map(|us| plot.x(us)) {
        if x - last >= APART {
            ops.push(line(vec![(x, plot.rates_bottom - TICK), (x, plot.rates_bottom)], Paint::Muted, 1.5));
            last = x;
        }
    }
    ops.push(line(vec![(plot.left, plot.rates_bottom), (plot.right, plot.rates_bottom)], Paint::Line, 1.0));
    let shown: Vec<&Mark> = snapshots.flags.iter().filter(|flag| plot.shows(flag.at_us as f64)).collect();
    // Where the last name or flag ends.
    let mut taken = plot.left;
    for (nth, flag) in shown.iter().enumerate() {
        let x = plot.x(flag.at_us as f64);
        let points = vec![(x, plot.top), (x, plot.rates_bottom)];
        ops.push(Op::Line { points, stroke: Paint::Faint, width: 1.0, dash: Dash::Dotted });
        let (top, tip) = (plot.rates_top, 5.0);
        ops.push(Op::Area { points: vec![(x, top), (x + tip, top + tip / 2.0), (x, top + tip)], fill: Paint::Muted });
        // A name stands where it reaches neither the next flag nor the edge nor the name before; else only the pointer
        // tells it.
        let width = text.width(&flag.name, Font::Small);
        let next = shown.get(nth + 1).map_or(plot.right, |next| plot.x(next.at_us as f64));
        let (x, align) = match (x + width + 12.0 <= next, x - width - 6.0 > taken) {
            (true, _) => (x + 8.0, Align::Left),
            (false, true) => (x - 4.0, Align::Right),
            (false, false) => {
                taken = taken.max(x + tip);
                continue;
            }
        };
        taken = if align == Align::Left { x + width } else { x + 4.0 + tip };
        let (y, text) = (plot.rates_top + 3.0, flag.name.clone());
        ops.push(Op::Text { x, y, text, fill: Paint::Muted, align, font: Font::Small });
    }
}

/// The flag under the pointer.
pub fn flag_at<'a>(snapshots: &'a Snapshots, plot: &Plot, us: f64) -> Option<&'a Mark> {
    let away = |flag: &Mark| (plot.x(flag.at_us as f64) - plot.x(us)).abs();
    let nearest = snapshots.flags.iter().min_by(|one, two| away(one).total_cmp(&away(two)));
    nearest.filter(|flag| away(flag) <= NEAR)
}
