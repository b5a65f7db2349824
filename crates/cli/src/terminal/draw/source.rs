//! The source view: code with the figures of its lines, as `annotate` prints them.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme::Theme;
use super::{lines, missing};
use crate::source::figures::{COLUMNS, Heat, LINE, MARGIN, cut, function_at, widths};
use crate::terminal::app::App;
use crate::terminal::requests;
use crate::terminal::source::{SourceRows, SourceState};
use camlscope_present::terminal_text::{clean, cut_middle};

/// The keys of the view, for the last line.
pub const KEYS: &str = "↑↓ line  n N hot lines  e editor  x only this line  Esc back";
/// Narrower terminals need the space of the margins for code.
const LEAST_FOR_MARGINS: u16 = 100;

pub fn draw(app: &App, source: &SourceState, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let Some(rows) = app.source_rows(source) else {
        return missing(app, &requests::lines(&app.state, &source.file), theme, frame, area);
    };
    let width = usize::from(area.width);
    let mut text = vec![heading(source, &rows, theme, width)];
    text.extend(rows.messages(width).into_iter().map(|message| Line::styled(message, theme.alarm())));
    let first = app.first_source_row(source, &rows);
    let shown = rows.numbers.iter().skip(first).take(app.source_height(&rows));
    let cells: Vec<[String; 5]> = shown.map(|&line| rows.about.cells(line, rows.figures(line))).collect();
    // All lines of the file have the same columns, so that code doesn't move when it is scrolled.
    let all = rows.lines.lines.iter().map(|line| rows.about.cells(line.line, Some(&line.figures)));
    let last = [rows.about.cells(rows.numbers.last().copied().unwrap_or(0), None)];
    let all: Vec<[String; 5]> = all.chain(last).collect();
    let mut widths = widths(all.iter());
    if area.width < LEAST_FOR_MARGINS {
        widths[MARGIN] = 0;
    }
    text.push(row(&COLUMNS.map(str::to_owned), &widths, [theme.heading(); 2], "", width));
    for (at, cells) in (first..).zip(&cells) {
        let number = rows.numbers[at];
        let heat = rows.figures(number).map(|figures| rows.about.heat(figures));
        let style = match heat {
            Some(Heat::FewSamples) => theme.faint(),
            Some(Heat::VeryHot) => theme.alarm(),
            Some(Heat::Hot) => theme.warning(),
            Some(Heat::Low) | None => theme.plain(),
        };
        let line = row(cells, &widths, [style, theme.faint()], code(&rows, number), width);
        text.push(if at == rows.selected { line.patch_style(theme.selected()) } else { line });
    }
    lines(frame, area, text);
}

/// `src/orders.ml:88  Orders.Session.visit`
fn heading(source: &SourceState, rows: &SourceRows<'_>, theme: Theme, width: usize) -> Line<'static> {
    let path = rows.text.path.as_ref().unwrap_or(&source.file);
    let function = function_at(rows.lines, rows.line()).map_or_else(String::new, |name| format!("  {name}"));
    let text = format!("{}:{}{}", clean(path), rows.line(), clean(&function));
    Line::styled(cut_middle(&text, width).into_owned(), theme.heading())
}

fn code<'a>(rows: &SourceRows<'a>, number: u32) -> &'a str {
    match (rows.text.lines.get((number as usize).wrapping_sub(1)), &rows.text.path) {
        (Some(code), _) => code,
        (None, Some(_)) => "(past the end of the file)",
        (None, None) => "",
    }
}

/// `styles` are those of the figures and of the line number. The row fills the width, so that a selection does.
fn row(cells: &[String; 5], widths: &[usize; 5], styles: [Style; 2], code: &str, width: usize) -> Line<'static> {
    let shown = || (0..COLUMNS.len()).filter(|&column| widths[column] > 0);
    let room = width.saturating_sub(shown().map(|column| widths[column] + 2).sum());
    let cell = |column: usize| {
        let style = if column == LINE { styles[1] } else { styles[0] };
        Span::styled(format!("{:>1$}  ", cells[column], widths[column]), style)
    };
    let code = format!("{:<room$}", cut(code, Some(room)));
    shown().map(cell).chain([Span::raw(code)]).collect::<Vec<_>>().into()
}
