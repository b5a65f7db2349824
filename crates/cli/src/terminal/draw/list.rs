//! A list with headings. Columns of figures are right-aligned, and names are shortened in the middle to fit. It shows
//! the page with the selected row.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::lines;
use super::theme::Theme;
use camlscope_present::terminal_text::{clean, cut_middle};

/// A heading and its width. The last column takes the remaining width.
pub type Column<'a> = (&'a str, usize);

/// Returns the columns that a terminal of this width has room for, next to the others.
pub fn wide<T>(width: u16, columns: impl IntoIterator<Item = (u16, T)>) -> impl Iterator<Item = T> {
    columns.into_iter().filter(move |(least, _)| width >= *least).map(|(_, column)| column)
}

pub struct Row {
    /// One styled text for each column except the last.
    pub cells: Vec<(String, Style)>,
    /// For the last column. The file is shown after the name only if both fit.
    pub name: String,
    pub file: String,
}

impl Row {
    fn last_cell(&self, room: usize) -> String {
        // In a profile, functions are named by file and line.
        let file = if self.name.contains(&self.file) { "" } else { &self.file };
        let whole = format!("{}  {file}", self.name);
        if whole.trim_end().chars().count() <= room { whole.trim_end().to_owned() } else { self.name.clone() }
    }
}

/// `orders.ml:12`, or empty without a file.
pub fn place(file: &str, line: Option<u32>) -> String {
    line.filter(|_| !file.is_empty()).map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

/// Returns the rows of the page with the selected row.
pub fn page(selected: usize, n_rows: usize, height: usize) -> std::ops::Range<usize> {
    let first = selected.min(n_rows.saturating_sub(1)) / height * height;
    first..(first + height).min(n_rows)
}

/// `selected` is relative to the first of these rows.
pub fn draw(
    columns: &[Column<'_>],
    rows: Vec<Row>,
    selected: Option<usize>,
    theme: Theme,
    frame: &mut Frame<'_>,
    area: Rect,
) {
    let width = usize::from(area.width);
    let last = columns.len().saturating_sub(1);
    let fixed: usize = columns[..last].iter().map(|(_, width)| width + 1).sum();
    let width_of = |at: usize| if at == last { width.saturating_sub(fixed) } else { columns[at].1 };
    let cell = |at: usize, text: &str| {
        let room = width_of(at);
        let text = cut_middle(&clean(text), room).into_owned();
        let space = " ".repeat(room.saturating_sub(text.chars().count()));
        if at == last { format!("{text}{space}") } else { format!("{space}{text} ") }
    };
    let heading: Vec<Span<'static>> =
        columns.iter().enumerate().map(|(at, (name, _))| Span::styled(cell(at, name), theme.heading())).collect();
    let mut text = vec![Line::from(heading)];
    if rows.is_empty() {
        text.push(Line::styled("No rows.", theme.faint()));
    }
    for (at, row) in rows.into_iter().enumerate() {
        let spans = row.cells.iter().enumerate().map(|(at, (text, style))| Span::styled(cell(at, text), *style));
        let name = Span::raw(cell(last, &row.last_cell(width_of(last))));
        let line = Line::from(spans.chain([name]).collect::<Vec<_>>());
        text.push(if selected == Some(at) { line.patch_style(theme.selected()) } else { line });
    }
    lines(frame, area, text);
}
