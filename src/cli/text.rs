//! Text made for people: columns that line up, bars and small curves, and names that cannot play tricks on a terminal.

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};

pub const PLAIN: Style = Style::new();
pub const HEADING: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const BAR: Style = AnsiColor::Cyan.on_default();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Rows under a heading, each column as wide as its widest cell.
#[derive(Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

#[derive(Clone, Debug, Default)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Table {
    pub fn new(columns: &[(&str, Align)]) -> Table {
        let columns = columns.iter().map(|&(name, align)| (name.to_owned(), align)).collect();
        Table { columns, rows: Vec::new() }
    }

    /// As many cells as there are columns.
    pub fn push(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    pub fn render(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| chars(&cell.text));
            cells.chain([chars(&self.columns[column].0)]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let heading = self.columns.iter().map(|(name, _)| Cell::new(name).styled(HEADING)).collect();
        let mut text = String::new();
        for row in [&heading].into_iter().chain(&self.rows) {
            let mut line = String::new();
            let filled = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
            for (n, cell) in row[..filled].iter().enumerate() {
                if n > 0 {
                    line.push_str("  ");
                }
                line.push_str(&cell.padded(widths[n], self.columns[n].1));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

impl Cell {
    pub fn new(text: &str) -> Cell {
        Cell { text: clean(text).into_owned(), style: PLAIN }
    }

    pub fn styled(self, style: Style) -> Cell {
        Cell { style, ..self }
    }

    fn padded(&self, width: usize, align: Align) -> String {
        let Cell { text, style } = self;
        let space = " ".repeat(width.saturating_sub(chars(text)));
        match align {
            Align::Left => format!("{style}{text}{style:#}{space}"),
            Align::Right => format!("{space}{style}{text}{style:#}"),
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::new(&text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::new(text)
    }
}

/// Names and values below each other; no name: an empty line.
pub fn facts(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| chars(name)).max().unwrap_or(0);
    let line = |(name, value): &(&str, String)| {
        if name.is_empty() {
            return "\n".to_owned();
        }
        let space = " ".repeat(width - chars(name));
        format!("{FAINT}{name}{FAINT:#}{space}  {}\n", clean(value))
    };
    rows.iter().map(line).collect()
}

/// A share of 1 as a bar of at most `width` characters, in steps of an eighth of one; what is more than nothing shows.
pub fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let full = 8 * width;
    // A share that is no number (nothing of nothing) is 0.
    let mut eighths = (share.clamp(0.0, 1.0) * full as f64).round() as usize;
    if share > 0.0 {
        eighths = eighths.max(1);
    }
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// A curve of one character a value, from 0 to the largest.
pub fn sparkline(values: &[f64]) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let max = values.iter().copied().fold(0.0, f64::max);
    let step = |&value: &f64| {
        let share = if max > 0.0 { (value / max).clamp(0.0, 1.0) } else { 0.0 };
        STEPS[(share * 7.0).round() as usize]
    };
    values.iter().map(step).collect()
}

/// A trace's names are data: control characters, which could drive the terminal, become `�`.
pub fn clean(text: &str) -> Cow<'_, str> {
    // Nearly all text is printable ASCII, which takes no decoding to see.
    let is_suspect = text.bytes().any(|byte| !(0x20..0x7f).contains(&byte));
    if is_suspect && text.contains(char::is_control) {
        Cow::Owned(text.replace(char::is_control, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_the_alphabet() {
        let mut table = Table::new(&[("name", Align::Left), ("bytes", Align::Right)]);
        table.push(vec!["é".into(), "1".into()]);
        table.push(vec!["longer".into(), "12345 KiB".into()]);
        let text = anstream::adapter::strip_str(&table.render()).to_string();
        assert_eq!(text, "name        bytes\né               1\nlonger  12345 KiB\n");
    }

    #[test]
    fn a_bar_is_as_long_as_its_share_and_never_vanishes() {
        assert_eq!(bar(0.0, 4), "");
        assert_eq!(bar(1.0, 4), "████");
        assert_eq!(bar(0.5, 4), "██");
        assert_eq!(bar(0.0001, 4), "▏");
        assert_eq!(bar(f64::NAN, 4), "");
        assert_eq!(bar(7.0, 2), "██");
    }

    #[test]
    fn a_sparkline_reaches_from_nothing_to_the_largest_value() {
        assert_eq!(sparkline(&[0.0, 1.0, 2.0]), "▁▅█");
        assert_eq!(sparkline(&[0.0, 0.0]), "▁▁");
    }

    #[test]
    fn names_cannot_drive_the_terminal() {
        assert_eq!(clean("a\x1b[2Jb\n"), "a\u{fffd}[2Jb\u{fffd}");
        assert_eq!(clean("Stdlib.List.map"), "Stdlib.List.map");
    }
}
