//! The user's settings of the timeline: the cursor, a time range, and the visible window. Until the user zooms, the
//! window is the entire trace, so its right edge follows a live trace.

use camlscope_engine::query::timeline::By;
use camlscope_engine::query::tree::Grain;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineState {
    /// The time of the cursor, or the peak if `None`.
    pub cursor_us: Option<u64>,
    /// The two ends of the selected range, in either order.
    pub range: Option<[u64; 2]>,
    /// The visible part, with the start first, or everything if `None`.
    pub zoom: Option<[u64; 2]>,
    pub by: By,
}

/// The minimum width of the window, in µs.
const NARROWEST_US: u64 = 1000;

impl TimelineState {
    /// Resets all times, which belong to another run.
    pub fn forget_times(&mut self) {
        *self = TimelineState { by: self.by, ..TimelineState::default() };
    }

    /// Returns the visible part of a trace that ends at `end_us`.
    pub fn window(&self, end_us: u64) -> [u64; 2] {
        self.zoom.unwrap_or([0, end_us])
    }

    /// Moves the cursor, and the window if the cursor would leave it.
    pub fn put_cursor(&mut self, at_us: u64, end_us: u64) {
        let at_us = at_us.min(end_us);
        self.cursor_us = Some(at_us);
        if let Some([from, to]) = &mut self.zoom {
            let width = *to - *from;
            *from = (*from).clamp(at_us.saturating_sub(width), at_us);
            *to = *from + width;
        }
    }

    /// Halves the visible part. `at_us` stays in place.
    pub fn zoom_in(&mut self, at_us: u64, end_us: u64) {
        let [from, to] = self.window(end_us);
        let width = (to - from) / 2;
        if width >= NARROWEST_US {
            let at_us = at_us.clamp(from, to);
            let from = at_us - (at_us - from) / 2;
            self.zoom = Some([from, from + width]);
        }
    }

    /// Doubles the visible part, up to the entire trace.
    pub fn zoom_out(&mut self, at_us: u64, end_us: u64) {
        let Some([from, to]) = self.zoom else { return };
        let width = 2 * (to - from);
        let at_us = at_us.clamp(from, to);
        let from = at_us.saturating_sub(2 * (at_us - from)).min(end_us.saturating_sub(width));
        self.zoom = (width < end_us).then_some([from, from + width]);
    }
}

impl Default for TimelineState {
    fn default() -> TimelineState {
        TimelineState { cursor_us: None, range: None, zoom: None, by: By::Grain(Grain::Function) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END_US: u64 = 1_000_000;

    #[test]
    fn zooming_keeps_the_cursor_in_place_and_zooms_back_out_fully() {
        let mut timeline = TimelineState::default();
        timeline.zoom_in(800_000, END_US);
        assert_eq!(timeline.window(END_US), [400_000, 900_000]);
        timeline.zoom_in(800_000, END_US);
        assert_eq!(timeline.window(END_US), [600_000, 850_000]);
        timeline.zoom_out(800_000, END_US);
        assert_eq!(timeline.window(END_US), [400_000, 900_000]);
        timeline.zoom_out(800_000, END_US);
        assert_eq!(timeline.zoom, None);
        for _ in 0..100 {
            timeline.zoom_in(0, END_US);
        }
        let [from, to] = timeline.window(END_US);
        assert!(from == 0 && to >= NARROWEST_US);
    }

    #[test]
    fn the_window_follows_the_cursor() {
        let mut timeline = TimelineState { zoom: Some([200, 300]), ..TimelineState::default() };
        for (at_us, window) in [(250, [200, 300]), (310, [210, 310]), (100, [100, 200]), (5000, [900, 1000])] {
            timeline.put_cursor(at_us, 1000);
            assert_eq!(timeline.window(1000), window);
        }
    }
}
