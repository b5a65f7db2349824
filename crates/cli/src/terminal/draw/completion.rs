//! The list above a filter that is being typed: how it could continue.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;

use super::lines;
use super::list;
use super::theme::Theme;
use crate::terminal::app::App;
use crate::terminal::completion::completions;
use camlscope_present::terminal_text::{clean, cut_middle};

/// The maximum number of completions on the screen.
const MOST_ROWS: usize = 8;

pub fn draw(app: &App, theme: Theme, frame: &mut Frame<'_>, body: Rect) {
    let Some(input) = &app.state.input else { return };
    let found = completions(&app.state, &app.answers);
    let mut text: Vec<Line<'static>> = Vec::new();
    let width = usize::from(body.width);
    let page = list::page(input.chosen.unwrap_or(0), found.list.len(), MOST_ROWS.min(usize::from(body.height)));
    let names = found.list[page.clone()].iter().map(|completion| completion.name.chars().count());
    let name_width = names.max().unwrap_or(0).min(width);
    for (at, completion) in page.clone().zip(&found.list[page.clone()]) {
        let name = cut_middle(&clean(&completion.name), name_width).into_owned();
        let words = format!("  {}", completion.words);
        let line = Line::from(vec![
            Span::styled(format!(" {name:<name_width$}"), theme.heading()),
            Span::styled(cut_middle(&words, width.saturating_sub(name_width + 1)).into_owned(), theme.faint()),
        ]);
        text.push(if input.chosen == Some(at) { line.patch_style(theme.selected()) } else { line });
    }
    let n_more = found.list.len() - page.len();
    let keys = match (found.list.is_empty(), n_more) {
        (true, _) => String::new(),
        (false, 0) => "↑↓ choose  Tab completes".to_owned(),
        (false, n) => format!("↑↓ choose, {n} more  Tab completes"),
    };
    let note = [found.note, &keys].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" · ");
    if !note.is_empty() {
        text.push(Line::styled(format!(" {}", cut_middle(&note, width.saturating_sub(1))), theme.faint()));
    }
    let height = u16::try_from(text.len()).unwrap_or(0).min(body.height);
    let area = Rect { y: body.bottom() - height, height, ..body };
    frame.render_widget(Clear, area);
    lines(frame, area, text);
}
