//! How much room the terminal has, and what is left for a screen.

use super::tab::Tab;

/// Of the terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: u16,
    pub height: u16,
    /// The line of keys, and of a trace that is followed the line about it.
    pub foot_rows: u16,
}

/// Lines above what a screen shows: title, tabs, what is counted.
pub const HEAD_ROWS: u16 = 3;
/// Left of the timeline, for amounts.
pub const GUTTER: u16 = 11;

impl Size {
    /// The rows that a screen has.
    pub fn body_rows(self) -> usize {
        usize::from(self.height.saturating_sub(HEAD_ROWS + self.foot_rows)).max(1)
    }

    /// The rows that a screen's list has, without its headings and the text below it.
    pub fn list_rows(self, tab: Tab) -> usize {
        self.body_rows().saturating_sub(1 + usize::from(tab.words_rows())).max(1)
    }

    pub fn plot_width(self) -> usize {
        usize::from(self.width.saturating_sub(GUTTER)).max(1)
    }
}
