//! Positions of menus, tooltips and popovers along one axis of the window. Lengths are in CSS pixels.

/// The distance to the window's edges, in CSS pixels.
pub const MARGIN: f64 = 8.0;

/// Returns the nearest position within both margins, or the start if the length doesn't fit.
pub fn within(start: f64, length: f64, window: f64) -> f64 {
    start.min(window - length - MARGIN).max(MARGIN)
}

/// Returns a position after the pointer, or before it if the length doesn't fit there.
pub fn next_to(pointer: f64, length: f64, window: f64) -> f64 {
    const DISTANCE: f64 = 14.0;
    let after = pointer + DISTANCE;
    if after + length + MARGIN <= window { after } else { pointer - DISTANCE - length }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_inside_the_window() {
        assert_eq!(within(40.0, 100.0, 400.0), 40.0);
        assert_eq!(within(390.0, 100.0, 400.0), 292.0);
        assert_eq!(within(-20.0, 100.0, 400.0), 8.0);
        assert_eq!(within(10.0, 900.0, 400.0), 8.0, "too long: the start is visible");
    }

    #[test]
    fn a_tooltip_does_not_overlap_the_pointer() {
        assert_eq!(next_to(100.0, 50.0, 400.0), 114.0);
        assert_eq!(next_to(380.0, 50.0, 400.0), 316.0);
    }
}
