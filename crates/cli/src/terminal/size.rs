//! The size of the terminal, and the space for a screen.

use super::tab::Tab;

/// In characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: u16,
    pub height: u16,
    /// The line of keys, and the status line of a live trace.
    pub foot_rows: u16,
}

/// Lines above the screen: title, tabs, and measure.
pub const HEAD_ROWS: u16 = 3;
/// The space for amounts to the left of the timeline.
pub const GUTTER: u16 = 11;

impl Size {
    /// Returns the number of rows for a screen.
    pub fn body_rows(self) -> usize {
        usize::from(self.height.saturating_sub(HEAD_ROWS + self.foot_rows)).max(1)
    }

    /// Returns the number of rows for a screen's list, without its headings and the text below.
    pub fn list_rows(self, tab: Tab) -> usize {
        self.body_rows().saturating_sub(1 + usize::from(tab.words_rows())).max(1)
    }

    pub fn plot_width(self) -> usize {
        usize::from(self.width.saturating_sub(GUTTER)).max(1)
    }
}
