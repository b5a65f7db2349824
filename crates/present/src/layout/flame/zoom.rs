//! The stretch of a picture's width that shows, as fractions of the whole: how zooming and panning change it.

use std::ops::Range;

/// Nobody zooms in further: a box of a pixel would be a part of a sample.
const NARROWEST_STRETCH: f64 = 1e-7;
/// Rounding leaves a stretch a little short of the whole after the way in and out again.
const NEARLY_ALL: f64 = 1.0 - 1e-9;

/// A stretch made shorter or longer around a point of it, within the whole.
pub fn zoomed(x: &Range<f64>, at: f64, factor: f64) -> Range<f64> {
    let span = ((x.end - x.start) * factor).clamp(NARROWEST_STRETCH, 1.0);
    let share = (at - x.start) / (x.end - x.start);
    within(at - share * span, span)
}

/// A stretch moved by a part of the whole.
pub fn panned(x: &Range<f64>, by: f64) -> Range<f64> {
    within(x.start + by, x.end - x.start)
}

/// The stretch after two fingers moved on a picture of that width: what was between them stays between them.
pub fn pinched(x: &Range<f64>, width: f64, before: [(f64, f64); 2], after: [(f64, f64); 2]) -> Range<f64> {
    let apart = |[one, two]: [(f64, f64); 2]| (one.0 - two.0).hypot(one.1 - two.1).max(1.0);
    let part = |[one, two]: [(f64, f64); 2]| (one.0 + two.0) / 2.0 / width.max(1.0);
    let at = x.start + part(before) * (x.end - x.start);
    let nearer = zoomed(x, at, apart(before) / apart(after));
    panned(&nearer, (part(before) - part(after)) * (nearer.end - nearer.start))
}

/// The stretch in which a box takes that share of the width, in the middle if the whole goes on at both sides.
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
    fn as_many_steps_out_as_in_show_all_again() {
        let mut x = 0.0..1.0;
        for factor in [[1.0 / 1.4; 5], [1.4; 5]].concat() {
            x = zoomed(&x, x.start + 0.1 * (x.end - x.start), factor);
        }
        assert_eq!(x, 0.0..1.0);
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer_and_stays_within_the_whole() {
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
    fn two_fingers_keep_what_is_between_them() {
        let all = 0.0..1.0;
        assert_eq!(pinched(&all, 800.0, [(300.0, 0.0), (500.0, 0.0)], [(200.0, 0.0), (600.0, 0.0)]), 0.25..0.75);
        assert_eq!(
            pinched(&(0.25..0.75), 800.0, [(300.0, 9.0), (500.0, 9.0)], [(100.0, 9.0), (300.0, 9.0)]),
            0.375..0.875
        );
        // Fingers at one place neither divide by nothing nor leave the whole.
        let x = pinched(&all, 0.0, [(0.0, 0.0); 2], [(0.0, 0.0); 2]);
        assert_eq!(x, all);
    }

    #[test]
    fn a_box_is_shown_at_a_share_of_the_width() {
        assert_eq!(around(&(0.5..0.625), 0.25), 0.3125..0.8125);
        assert_eq!(around(&(0.0..0.125), 0.25), 0.0..0.5);
        assert_eq!(around(&(0.25..0.75), 0.25), 0.0..1.0);
    }
}
