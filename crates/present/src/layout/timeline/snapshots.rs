//! Markers on a profile's time axis: ticks for snapshots, and flags for events that the program named.

use super::{Align, Dash, Font, Op, Paint, Plot, Snapshots, TextWidth, line};
use camlscope_engine::query::profile::Mark;

/// The height of a tick.
const TICK: f64 = 7.0;
/// Ticks that are closer together are drawn as one.
const APART: f64 = 2.0;
/// The pointer is on a flag if it's within this many pixels.
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
    // The end of the last name or flag.
    let mut taken = plot.left;
    for (nth, flag) in shown.iter().enumerate() {
        let x = plot.x(flag.at_us as f64);
        let points = vec![(x, plot.top), (x, plot.rates_bottom)];
        ops.push(Op::Line { points, stroke: Paint::Faint, width: 1.0, dash: Dash::Dotted });
        let (top, tip) = (plot.rates_top, 5.0);
        ops.push(Op::Area { points: vec![(x, top), (x + tip, top + tip / 2.0), (x, top + tip)], fill: Paint::Muted });
        // A name is drawn only if it doesn't touch the next flag, the edge or the previous name. Otherwise it's shown
        // only on hover.
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
