//! Zooming and panning: the visible range of a chart's width, as fractions of the total.

use std::ops::Range;

/// The maximum zoom. Beyond that, a one-pixel box would be a fraction of a sample.
const NARROWEST_STRETCH: f64 = 1e-7;
/// After zooming in and out again, rounding leaves the range slightly narrower than the total.
const NEARLY_ALL: f64 = 1.0 - 1e-9;

/// Shrinks or expands a range around a point.
pub fn zoomed(x: &Range<f64>, at: f64, factor: f64) -> Range<f64> {
    let span = ((x.end - x.start) * factor).clamp(NARROWEST_STRETCH, 1.0);
    let share = (at - x.start) / (x.end - x.start);
    within(at - share * span, span)
}

/// Moves a range by a fraction of the total.
pub fn panned(x: &Range<f64>, by: f64) -> Range<f64> {
    within(x.start + by, x.end - x.start)
}

/// Returns the range after two fingers moved on a chart of this width. Points under the fingers stay under them.
pub fn pinched(x: &Range<f64>, width: f64, before: [(f64, f64); 2], after: [(f64, f64); 2]) -> Range<f64> {
    let apart = |[one, two]: [(f64, f64); 2]| (one.0 - two.0).hypot(one.1 - two.1).max(1.0);
    let part = |[one, two]: [(f64, f64); 2]| (one.0 + two.0) / 2.0 / width.max(1.0);
    let at = x.start + part(before) * (x.end - x.start);
    let nearer = zoomed(x, at, apart(before) / apart(after));
    panned(&nearer, (part(before) - part(after)) * (nearer.end - nearer.start))
}

/// Returns the range in which a box takes up `share` of the width, centered if there is room on both sides.
pub fn around(of: &Range<f64>, share: f64) -> Range<f64> {
    let span = ((of.end - of.start) / share).clamp(NARROWEST_STRETCH, 1.0);
    within((of.start + of.end - span) / 2.0, span)
}

fn within(start: f64, span: f64) -> Range<f64> {
    if span >= NEARLY_ALL {
        return 0.0..1.0;
    }
    let start = start.clamp(0.0, (1.0 - span).max(0.0));
    start..(start + span).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zooming_out_undoes_zooming_in() {
        let mut x = 0.0..1.0;
        for factor in [[1.0 / 1.4; 5], [1.4; 5]].concat() {
            x = zoomed(&x, x.start + 0.1 * (x.end - x.start), factor);
        }
        assert_eq!(x, 0.0..1.0);
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer_and_stays_in_bounds() {
        let x = zoomed(&(0.0..1.0), 0.25, 0.5);
        assert_eq!(x, 0.125..0.625);
        assert_eq!(zoomed(&x, 0.25, 2.0), 0.0..1.0);
        assert_eq!(zoomed(&(0.0..0.5), 0.0, 4.0), 0.0..1.0);
        assert_eq!(panned(&(0.25..0.5), 0.1).end.min(0.6), 0.6);
        assert_eq!(panned(&(0.25..0.5), 9.0), 0.75..1.0);
        let mut deep = 0.0..1.0;
        for _ in 0..200 {
            deep = zoomed(&deep, 0.3, 0.5);
        }
        assert!(deep.end > deep.start && deep.contains(&0.3), "{deep:?}");
    }

    #[test]
    fn pinching_keeps_points_under_the_fingers() {
        let all = 0.0..1.0;
        assert_eq!(pinched(&all, 800.0, [(300.0, 0.0), (500.0, 0.0)], [(200.0, 0.0), (600.0, 0.0)]), 0.25..0.75);
        assert_eq!(
            pinched(&(0.25..0.75), 800.0, [(300.0, 9.0), (500.0, 9.0)], [(100.0, 9.0), (300.0, 9.0)]),
            0.375..0.875
        );
        // Fingers in the same position neither divide by zero nor leave the total.
        let x = pinched(&all, 0.0, [(0.0, 0.0); 2], [(0.0, 0.0); 2]);
        assert_eq!(x, all);
    }

    #[test]
    fn a_box_can_be_zoomed_to_a_share_of_the_width() {
        assert_eq!(around(&(0.5..0.625), 0.25), 0.3125..0.8125);
        assert_eq!(around(&(0.0..0.125), 0.25), 0.0..0.5);
        assert_eq!(around(&(0.25..0.75), 0.25), 0.0..1.0);
    }
}
