//! A line at the bottom of the terminal that stays while the program's output scrolls above it.
//!
//! The terminal scrolls only the rows above. A line that is drawn and erased in place would mix with the program's output,
//! since camlscope can't know when the program writes.

use std::env;
use std::io::{self, IsTerminal, Write};

use terminal_size::{Height, Width, terminal_size_of};

use super::super::text::clean;

/// Restores the terminal when it's dropped.
pub struct StatusLine {
    text: String,
    /// The rows of the terminal while the last one is taken.
    rows: Option<u16>,
}

/// With fewer rows, the program needs all of them.
const LEAST_ROWS: u16 = 5;

impl StatusLine {
    /// Returns `None` if standard error isn't a terminal that can do it.
    pub fn new() -> Option<StatusLine> {
        let is_dumb = env::var_os("TERM").is_none_or(|name| name == "dumb");
        (io::stderr().is_terminal() && !is_dumb).then(|| StatusLine { text: String::new(), rows: None })
    }

    pub fn show(&mut self, text: &str) {
        self.text = clean(text).to_string();
        self.redraw();
    }

    /// Draws the line again, since the program may have cleared the screen.
    pub fn redraw(&mut self) {
        let Some((Width(columns), Height(rows))) = terminal_size_of(io::stderr()) else { return };
        if rows < LEAST_ROWS {
            return;
        }
        let take = if self.rows == Some(rows) { String::new() } else { taking_last(rows) };
        self.rows = Some(rows);
        let text: String = self.text.chars().take(usize::from(columns.saturating_sub(1))).collect();
        write(&format!("{take}{}", on_row(rows, &text)));
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        if let Some(rows) = self.rows {
            write(&format!("{SAVE}{ESC}[r{RESTORE}{}", on_row(rows, "")));
        }
    }
}

const ESC: char = '\x1b';
const SAVE: &str = "\x1b7";
const RESTORE: &str = "\x1b8";

/// Makes sure that the cursor isn't in the last row, and excludes that row from scrolling. The latter moves the cursor.
fn taking_last(rows: u16) -> String {
    format!("{ESC}D{ESC}[A{SAVE}{ESC}[1;{}r{RESTORE}", rows - 1)
}

fn on_row(row: u16, text: &str) -> String {
    format!("{SAVE}{ESC}[{row};1H{ESC}[2K{text}{RESTORE}")
}

/// Writes everything at once, so that the program's output can't come in between.
fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}
