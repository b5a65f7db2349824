//! The visible lines of a long list.
//!
//! Browsers limit the height of an element to some ten million pixels. A longer list is scrolled proportionally: the
//! scroll distance is shorter than the list, but both ends match.

use std::ops::Range;

/// The visible part of a list. Lengths are in CSS pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct ScrollWindow {
    pub lines: Range<usize>,
    /// The height of the scrolled element.
    pub body_px: f64,
    /// The padding above the first rendered line.
    pub above_px: f64,
    n_lines: usize,
    line_px: f64,
    view_px: f64,
    scroll_px: f64,
}

/// Well below Firefox's limit of 17.8 million.
const MAX_BODY_PX: f64 = 8_000_000.0;
/// The number of extra lines rendered at both ends, so that a small scroll shows no gap.
const SPARE: usize = 8;

impl ScrollWindow {
    pub fn new(n_lines: usize, line_px: f64, view_px: f64, scroll_px: f64) -> ScrollWindow {
        let whole_px = n_lines as f64 * line_px;
        let body_px = whole_px.min(MAX_BODY_PX);
        let mut window = ScrollWindow { lines: 0..0, body_px, above_px: 0.0, n_lines, line_px, view_px, scroll_px };
        let top = window.top_line();
        let first = (top as usize).saturating_sub(SPARE).min(n_lines);
        let n_seen = (view_px / line_px).max(0.0).ceil() as usize + 1;
        window.lines = first..(top as usize + n_seen + SPARE).min(n_lines);
        let shift_px = if window.is_scaled() { scroll_px - top * line_px } else { 0.0 };
        window.above_px = first as f64 * line_px + shift_px;
        window
    }

    /// Returns the scroll position that makes a line fully visible, or `None` if it already is.
    pub fn scroll_to(&self, line: usize) -> Option<f64> {
        let (top, n_whole) = (self.top_line(), self.view_px / self.line_px);
        let wanted = if (line as f64) < top {
            line as f64
        } else if line as f64 + 1.0 > top + n_whole {
            line as f64 + 1.0 - n_whole
        } else {
            return None;
        };
        Some(wanted * self.px_a_line())
    }

    /// Returns the scroll position that centers a line, if there are enough lines above it.
    pub fn center(&self, line: usize) -> f64 {
        (line as f64 + 0.5 - self.view_px / self.line_px / 2.0).max(0.0) * self.px_a_line()
    }

    /// Returns the number of lines that Page Up and Page Down move by.
    pub fn page(&self) -> usize {
        ((self.view_px / self.line_px) as usize).saturating_sub(1).max(1)
    }

    /// Returns the first and the last visible line, including fractions.
    pub fn seen(&self) -> (f64, f64) {
        let top = self.top_line();
        (top, top + self.view_px / self.line_px)
    }

    /// Returns the line at the top of the view, including the fraction that is scrolled out of view.
    fn top_line(&self) -> f64 {
        let last = (self.n_lines as f64 - self.view_px / self.line_px).max(0.0);
        (self.scroll_px / self.px_a_line()).clamp(0.0, last)
    }

    /// Returns the scroll distance per line.
    fn px_a_line(&self) -> f64 {
        if !self.is_scaled() {
            return self.line_px;
        }
        let n_hidden = self.n_lines as f64 - self.view_px / self.line_px;
        (self.body_px - self.view_px) / n_hidden.max(1.0)
    }

    fn is_scaled(&self) -> bool {
        self.n_lines as f64 * self.line_px > MAX_BODY_PX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_list_is_rendered_completely() {
        let window = ScrollWindow::new(5, 20.0, 400.0, 0.0);
        assert_eq!(window.lines, 0..5);
        assert_eq!((window.body_px, window.above_px), (100.0, 0.0));
    }

    #[test]
    fn only_visible_lines_are_rendered_at_their_position() {
        let window = ScrollWindow::new(10_000, 20.0, 400.0, 2_010.0);
        assert_eq!(window.lines, 92..129);
        assert_eq!(window.above_px, 92.0 * 20.0);
        assert_eq!(window.scroll_to(110), None);
        assert_eq!(window.scroll_to(7), Some(140.0));
        assert_eq!(window.scroll_to(200), Some(201.0 * 20.0 - 400.0));
        assert_eq!((window.center(3), window.center(500)), (0.0, 500.5 * 20.0 - 200.0));
    }

    #[test]
    fn a_million_rows_scroll_to_the_last_one() {
        let (n, view) = (1_000_000, 400.0);
        let last = ScrollWindow::new(n, 20.0, view, MAX_BODY_PX - view);
        assert_eq!(last.body_px, MAX_BODY_PX);
        assert_eq!(last.lines.end, n);
        // The last line ends at the bottom.
        let end_px = last.above_px + last.lines.len() as f64 * 20.0;
        assert!((end_px - MAX_BODY_PX).abs() < 1.0, "{end_px}");
        let middle = ScrollWindow::new(n, 20.0, view, last.scroll_to(499_999).expect("the middle is not at the end"));
        assert!(middle.lines.contains(&499_999));
        assert_eq!(middle.scroll_to(499_999), None);
    }
}
