//! The help screen, with every key.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::lines;
use super::theme::Theme;
use crate::terminal::state::State;
use crate::terminal::tab::Tab;
use camlscope_present::format;

const COMMON: [(&str, &str); 9] = [
    ("1 – 6, Tab", "switch screens (or click)"),
    ("↑ ↓ PgUp PgDn Home End", "select a row"),
    ("m", "measure: allocated, live at the peak, …"),
    ("g", "group by function, site, file or module"),
    ("f", "filter, as in a link to the page: size=257.."),
    ("c", "clear the filter"),
    ("Esc", "cancel typing"),
    ("?", "help"),
    ("q, Ctrl-C", "quit"),
];

pub fn draw(state: &State, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let line = |name: &str, words: &str| {
        Line::from(vec![Span::styled(format!("{name:<24}"), theme.heading()), Span::raw(words.to_owned())])
    };
    let mut text: Vec<Line<'static>> = COMMON.iter().map(|(keys, words)| line(keys, words)).collect();
    if state.follow.is_some() {
        text.push(line("p", "pause or resume"));
    }
    text.push(Line::raw(""));
    text.extend(Tab::ALL.iter().map(|tab| {
        Line::from(vec![Span::styled(format!("{:<10}", tab.title()), theme.heading()), Span::raw(tab.keys())])
    }));
    text.push(Line::raw(""));
    text.push(Line::styled(format!("{} Press any key to go back.", format::MARGIN), theme.faint()));
    lines(frame, area, text);
}
