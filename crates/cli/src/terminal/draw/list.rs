//! A list with headings: columns of figures to the right, names cut in the middle to what is left. The page of rows that
//! holds the selected one is shown.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::lines;
use super::theme::Theme;
use camlscope_present::terminal_text::{clean, cut_middle};

/// A heading and its width; the last column takes what is left.
pub type Column = (&'static str, usize);

pub struct Row {
    /// One text for each column but the last, and how it looks.
    pub cells: Vec<(String, Style)>,
    /// For the last column; the file behind it is left out where it would take room from the name.
    pub name: String,
    pub file: String,
}

impl Row {
    fn last_cell(&self, room: usize) -> String {
        // A profile's functions are called by file and line.
        let file = if self.name.contains(&self.file) { "" } else { &self.file };
        let whole = format!("{}  {file}", self.name);
        if whole.trim_end().chars().count() <= room { whole.trim_end().to_owned() } else { self.name.clone() }
    }
}

/// `orders.ml:12`; empty where there is no file.
pub fn place(file: &str, line: Option<u32>) -> String {
    line.filter(|_| !file.is_empty()).map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

/// The rows of the page that the selected one is on.
pub fn page(selected: usize, n_rows: usize, height: usize) -> std::ops::Range<usize> {
    let first = selected.min(n_rows.saturating_sub(1)) / height * height;
    first..(first + height).min(n_rows)
}

/// `selected` counts from the first of these rows.
pub fn draw(
    columns: &[Column],
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
