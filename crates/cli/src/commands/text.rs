//! Text output: aligned columns, bars and sparklines, and names that can't control the terminal.

use anstyle::{AnsiColor, Style};

use camlscope_present::terminal_text::cut_middle;
pub use camlscope_present::terminal_text::{bar, clean, sparkline};

pub const PLAIN: Style = Style::new();
pub const HEADING: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const BAR: Style = AnsiColor::Cyan.on_default();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Rows with a heading. Each column is as wide as its widest cell. If the terminal is too narrow, names are shortened
/// in the middle, then columns are left out.
#[derive(Debug)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
    /// Names of text columns, which are left-aligned.
    left: &'static [&'static str],
    /// Names of columns whose cells may be shortened.
    names: &'static [&'static str],
    /// Names of columns that may be left out, in this order.
    optional: &'static [&'static str],
}

/// Characters between two columns.
const GAP: usize = 2;
/// The minimum width of a name. Below that, a column is left out instead.
const MIN_NAME: usize = 18;

#[derive(Clone, Debug, Default)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Table {
    /// `left` are the text columns. All others are figures, which are right-aligned.
    pub fn new(columns: &[&str], left: &'static [&'static str]) -> Table {
        let columns = columns.iter().map(|&name| name.to_owned()).collect();
        Table { columns, rows: Vec::new(), left, names: &[], optional: &[] }
    }

    /// Shortens cells of these columns in the middle if the terminal is too narrow.
    pub fn cutting(self, names: &'static [&'static str]) -> Table {
        Table { names, ..self }
    }

    /// Leaves out these columns, in this order, if the terminal is too narrow.
    pub fn leaving_out(self, optional: &'static [&'static str]) -> Table {
        Table { optional, ..self }
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// `cells` must have one cell per column.
    pub fn push(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Renders the table in lines of at most `width` characters, if the figures fit. `None` doesn't limit the width.
    pub fn render(&self, width: Option<usize>) -> String {
        let width_of = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| chars(&cell.text));
            cells.chain([chars(&self.columns[column])]).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = (0..self.columns.len()).map(width_of).collect();
        let left_out = self.fit(&mut widths, width.unwrap_or(usize::MAX));
        let heading = self.columns.iter().map(|name| Cell::new(name).styled(HEADING)).collect();
        let mut text = String::new();
        for row in [&heading].into_iter().chain(&self.rows) {
            let mut line = String::new();
            let filled = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
            for (n, cell) in row[..filled].iter().enumerate().filter(|(n, _)| !left_out.contains(n)) {
                if !line.is_empty() {
                    line.push_str(&" ".repeat(GAP));
                }
                line.push_str(&cell.padded(widths[n], self.left.contains(&self.columns[n].as_str())));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if !left_out.is_empty() {
            let names: Vec<&str> = left_out.iter().map(|&column| self.columns[column].as_str()).collect();
            let line = format!("hidden columns (narrow terminal): {}", names.join(", "));
            let is_short = width.is_some_and(|width| chars(&line) <= width);
            let line = if is_short {
                line
            } else {
                format!("{} of {} columns", self.columns.len() - left_out.len(), self.columns.len())
            };
            text.push_str(&format!("{FAINT}{line}{FAINT:#}\n"));
        }
        text
    }

    /// Fits the columns into `width`. Shortens columns of names, and returns the columns to leave out.
    fn fit(&self, widths: &mut [usize], width: usize) -> Vec<usize> {
        let column = |name: &&str| self.columns.iter().position(|column| column == name);
        let mut left_out = Vec::new();
        let mut optional = self.optional.iter().filter_map(column);
        loop {
            let is_shown = |n: &usize| !left_out.contains(n);
            let shown: Vec<usize> = (0..widths.len()).filter(is_shown).collect();
            let names: Vec<usize> = self.names.iter().filter_map(column).filter(is_shown).collect();
            let whole = shown.iter().map(|&n| widths[n]).sum::<usize>() + GAP * shown.len().saturating_sub(1);
            let over = whole.saturating_sub(width);
            let spare: usize = names.iter().map(|&n| widths[n].saturating_sub(MIN_NAME)).sum();
            if over > spare
                && let Some(next) = optional.next()
            {
                left_out.push(next);
                continue;
            }
            shorten(widths, &names, over);
            left_out.sort_unstable();
            return left_out;
        }
    }
}

/// Removes `over` characters from the columns of names, longest first, down to [`MIN_NAME`].
fn shorten(widths: &mut [usize], names: &[usize], mut over: usize) {
    while over > 0
        && let Some(&longest) = names.iter().filter(|&&n| widths[n] > MIN_NAME).max_by_key(|&&n| widths[n])
    {
        widths[longest] -= 1;
        over -= 1;
    }
}

impl Cell {
    pub fn new(text: &str) -> Cell {
        Cell { text: clean(text).into_owned(), style: PLAIN }
    }

    pub fn styled(self, style: Style) -> Cell {
        Cell { style, ..self }
    }

    fn padded(&self, width: usize, is_left: bool) -> String {
        let Cell { text, style } = self;
        let text = &cut_middle(text, width);
        let space = " ".repeat(width.saturating_sub(chars(text)));
        match is_left {
            true => format!("{style}{text}{style:#}{space}"),
            false => format!("{space}{style}{text}{style:#}"),
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

/// Lists names and values, one per line. An empty name is an empty line.
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

fn chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_in_any_alphabet() {
        let mut table = Table::new(&["name", "bytes"], &["name"]);
        table.push(vec!["é".into(), "1".into()]);
        table.push(vec!["longer".into(), "12345 KiB".into()]);
        let text = anstream::adapter::strip_str(&table.render(None)).to_string();
        assert_eq!(text, "name        bytes\né               1\nlonger  12345 KiB\n");
    }

    #[test]
    fn a_narrow_table_shortens_names_then_drops_columns() {
        let table = || {
            let mut table = Table::new(&["bytes", "blocks", "name", "place"], &["name", "place"])
                .cutting(&["name", "place"])
                .leaving_out(&["place", "blocks"]);
            table.push(vec!["10".into(), "2".into(), "Stdlib__Hashtbl.find_or_add".into(), "hashtbl.ml:10".into()]);
            table
        };
        let text = |width| anstream::adapter::strip_str(&table().render(width)).to_string();
        let whole = "   10       2  Stdlib__Hashtbl.find_or_add  hashtbl.ml:10";
        assert_eq!(text(None).lines().nth(1), Some(whole));
        assert_eq!(text(Some(whole.len())).lines().nth(1), Some(whole));
        assert_eq!(text(Some(52)).lines().nth(1), Some("   10       2  Stdlib__Ha…find_or_add  hashtbl.ml:10"));
        let narrow = text(Some(36));
        assert_eq!(narrow.lines().nth(1), Some("   10       2  Stdlib__Ha…ind_or_add"));
        assert_eq!(narrow.lines().nth(2), Some("3 of 4 columns"));
        assert_eq!(text(Some(30)).lines().nth(1), Some("   10  Stdlib__Has…find_or_add"));
        // Figures are never shortened.
        assert_eq!(text(Some(5)).lines().nth(1), Some("   10  Stdlib__…nd_or_add"));
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
    fn a_sparkline_ranges_from_zero_to_the_maximum() {
        assert_eq!(sparkline(&[0.0, 1.0, 2.0]), "▁▅█");
        assert_eq!(sparkline(&[0.0, 0.0]), "▁▁");
    }

    #[test]
    fn names_cannot_control_the_terminal() {
        assert_eq!(clean("a\x1b[2Jb\n"), "a\u{fffd}[2Jb\u{fffd}");
        assert_eq!(clean("Stdlib.List.map"), "Stdlib.List.map");
    }
}
